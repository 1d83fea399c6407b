import { describe, expect, it } from 'vitest';
import { failureOf } from '../../../rigs/partners/failure.js';
import { paymentsPlatform } from '../../../rigs/partners/payments/partner.js';
import { responding } from '../../../rigs/partners/servers.js';

const edit = { transaction_id: 't-1', status: 'captured' };

describe('a failure', () => {
  const PASSTHROUGH =
    'only transactions of passthrough flows can be edited, and the processor manages this one directly; ' +
    'if reads fail with 401 as well, the API key is wrong';
  const ids = { transaction_id: 't-1', event_id: 'e-1' };
  it.each([
    ['updateTransaction', 'update-transaction', edit, 'Rejected', [PASSTHROUGH, 'flow not supported']],
    ['getTransaction', 'get-transaction', { transaction_id: 't-1' }, 'Unauthorized', ['flow not supported']],
    ['capturePayment', 'capture-payment', ids, 'Unauthorized', ['flow not supported']],
  ] as const)(
    'of %s with 401 is about the API key unless it is an edit, and is not retried',
    async (key, operation, request, kind, messages) => {
      const { client, requests } = await paymentsPlatform(
        responding(401, '{"message":"flow not supported"}'),
      );
      const error = await failureOf(client[key](request as never));
      expect(error.details).toEqual({
        system: 'payments',
        operation,
        kind,
        status: 401,
        reason: 'HTTP 401',
        fields: messages.map((message) => ({ field: '', message })),
      });
      expect(requests).toHaveLength(1);
    },
  );

  it.each([
    ['transaction', 'getTransaction', { transaction_id: 't' }],
    ['transaction', 'updateTransaction', edit],
    ['transaction', 'refundTransaction', { transaction_id: 't', event_id: 'e' }],
    ['payment', 'capturePayment', { transaction_id: 't', event_id: 'e' }],
    ['payment', 'refundPaymentV1', { transaction_id: 't', event_id: 'e' }],
    ['account', 'getAccount', { account_id: 'a' }],
    ['account', 'updateAccount', { account_id: 'a', name: 'x' }],
    ['terminal', 'getTerminal', { terminal_id: 'x' }],
    ['terminal', 'deleteTerminal', { terminal_id: 'x' }],
    ['location', 'getLocation', { location_id: 'l' }],
    ['batch', 'closeBatch', { batch_id: 'b' }],
    ['API key', 'deleteApiKey', { apikey_id: 'k' }],
  ] as const)('404 names what is missing: %s, of %s', async (thing, key, request) => {
    const { client } = await paymentsPlatform(responding(404, ''));
    const error = await failureOf(client[key](request as never));
    expect(error).toMatchObject({ kind: 'Rejected', status: 404 });
    expect(error.fields).toEqual([
      { field: '', message: `there is no such ${thing}, or this API key may not see it` },
    ]);
  });
});

describe('a response', () => {
  it('of create-account keeps what was provisioned', async () => {
    const body =
      '{"id":17,"status":"active","created_at":"2026-01-31T10:00:00Z","organization":{"id":"o-1"},' +
      '"webhook_app":{"id":"w-1"},"api_key":{"id":"k-1","key":"told once"}}';
    const { client } = await paymentsPlatform(responding(200, body));
    const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
    const account = { type: 'psp', name: 'Bakery', description: 'Bread', address } as const;
    expect(await client.createAccount(account)).toEqual({ ...JSON.parse(body), id: '17', name: null });
  });

  it('of list-terminals is a page', async () => {
    const body = '{"limit":1,"offset":2,"page":3,"terminals":[{"id":"x","state":"new"}],"total":9}';
    const { client } = await paymentsPlatform(responding(200, body));
    const terminals = [{ id: 'x', state: 'new', status: null, name: null, account_id: null }];
    expect(await client.listTerminals({})).toEqual({ limit: 1, offset: 2, page: 3, terminals, total: 9 });
  });

  it('keeps an unknown status', async () => {
    const { client } = await paymentsPlatform(responding(200, '{"id":"t-1","status":"held_for_review"}'));
    const read = await client.getTransaction({ transaction_id: 't-1' });
    expect(read).toMatchObject({ status: 'held_for_review' });
  });

  it.each([
    ['listTerminals', '{"data":[]}'],
    ['listTerminals', '[]'],
    ['listTransactions', '{"terminals":[]}'],
    ['getTransaction', '{"status":"captured"}'],
    ['getTransaction', ''],
  ] as const)('of %s with the body %s is unreadable', async (key, body) => {
    const { client } = await paymentsPlatform(responding(200, body));
    const request = key === 'getTransaction' ? { transaction_id: 't' } : {};
    expect((await failureOf(client[key](request as never))).details).toMatchObject({
      kind: 'Uncertain',
      reason: 'unreadable response',
    });
  });
});
