import { describe, expect, it } from 'vitest';
import type { PaymentsClient } from '../../../../src/partners/payments/client.js';
import { refusedFields } from '../../../rigs/partners/failure.js';
import { ANYTHING, paymentsPlatform } from '../../../rigs/partners/payments/partner.js';
import { responding } from '../../../rigs/partners/servers.js';

const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
const account = { type: 'merchant', name: 'Bakery', description: 'Bread', address };
const ids = { transaction_id: 't-1', event_id: 'e-1' };
const start = { terminal_id: 'x', amount: 1250, event_id: 'e-1' };
const key = { name: 'till', permissions: ['payments:write'] };

type Key = Exclude<keyof PaymentsClient, 'close'>;

describe('a request is sent:', () => {
  it.each<[Key, string, object]>([
    ...['admin', 'psp', 'partner', 'merchant'].map((type): [Key, string, object] => [
      'createAccount',
      `type ${type}`,
      { ...account, type },
    ]),
    ['createAccount', 'a second street line', { ...account, address: { ...address, street_line2: '' } }],
    ['createAccount', 'fields of the platform’s own', { ...account, timezone: 'UTC' }],
    ['updateAccount', 'one field', { account_id: 'a', description: 'Cake' }],
    ['listTerminals', 'nothing', {}],
    ['listTerminals', 'the least', { limit: 1, offset: 0 }],
    ['listTerminals', 'the most', { limit: 200 }],
    ['createApiKey', 'any permission', { ...key, permissions: ['a brand’s own'] }],
    ['capturePayment', 'a null amount', { ...ids, amount: null }],
    ['capturePayment', 'no tip', { ...ids, tip_amount: 0 }],
    ['refundPayment', 'no amount', ids],
    ['refundTransaction', 'one cent', { ...ids, amount: 1 }],
    ['startPayment', 'a large amount', { ...start, amount: Number.MAX_SAFE_INTEGER }],
  ])('%s with %s', async (operation, _, request) => {
    const { client, requests } = await paymentsPlatform(responding(200, ANYTHING));
    await client[operation](request as never);
    expect(requests).toHaveLength(1);
  });
});

/** The rules themselves: test/unit/partners/payments/requests.test.ts. */
it.each<[Key, string, object, string]>([
  ['listTerminals', 'a limit of 201', { limit: 201 }, 'limit'],
  ['createAccount', 'an unknown type', { ...account, type: 'shop' }, 'type'],
  ['startPayment', 'half a cent', { ...start, amount: 0.5 }, 'amount'],
  ['refundPayment', 'no event_id', { ...ids, event_id: '' }, 'event_id'],
])('a refusal of %s with %s costs no call', async (operation, _, request, field) => {
  const { client, connections } = await paymentsPlatform(responding(200, ANYTHING));
  expect(await refusedFields(client[operation](request as never))).toEqual([field]);
  expect(connections()).toBe(0);
});
