import { describe, expect, it, onTestFinished } from 'vitest';
import { type PaymentsClient, paymentsClient } from '../../../../src/partners/payments/client.js';
import { failureOf, NOWHERE, refusedFields } from '../../../rigs/partners/failure.js';

const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
const account = { type: 'merchant', name: 'Bakery', description: 'Bread', address };
const ids = { transaction_id: 't-1', event_id: 'e-1' };
const start = { terminal_id: 'x', amount: 1250, event_id: 'e-1' };
const key = { name: 'till', permissions: ['payments:write'] };

type Key = Exclude<keyof PaymentsClient, 'close'>;

const ACTIONS: [Key, object][] = (['', 'V1'] as const).flatMap((version) => [
  [`capturePayment${version}`, ids],
  [`refundPayment${version}`, ids],
  [`reversePayment${version}`, ids],
  [`incrementAuthorization${version}`, { ...ids, amount: 1 }],
  [`adjustPayment${version}`, { ...ids, amount: 1 }],
  [`confirmPayment${version}`, { ...ids, confirm: true }],
]);
const OF_MONEY: [Key, object][] = [
  ...ACTIONS.filter(([operation]) => !operation.startsWith('confirm')),
  ['refundTransaction', ids],
  ['startPayment', start],
  ['startPreauth', start],
];

function call(operation: Key, request: object): Promise<unknown> {
  const client = paymentsClient({ url: NOWHERE, apiKey: 'k3y', environment: 'uat' });
  onTestFinished(() => client.close());
  return client[operation](request as never);
}

/** Refused before anything is sent. @returns the names of the fields */
const refuses = (operation: Key, request: object) => refusedFields(call(operation, request));

describe('a request may be sent:', () => {
  const ofType = (type: string): [Key, string, object] => ['createAccount', type, { ...account, type }];
  it.each<[Key, string, object]>([
    ...['admin', 'psp', 'partner', 'merchant'].map((type) => ofType(type)),
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
    expect((await failureOf(call(operation, request))).details.reason).toBe('ECONNREFUSED');
  });
});

describe('a request is refused before it is sent:', () => {
  it.each<[Key, string, object, string[]]>([
    ['createAccount', 'nothing', {}, ['type', 'name', 'description', 'address']],
    ['createAccount', 'an unknown type', { ...account, type: 'shop' }, ['type']],
    ['createAccount', 'an empty name', { ...account, name: '' }, ['name']],
    ['createAccount', 'no description', { ...account, description: undefined }, ['description']],
    ['createAccount', 'no zip', { ...account, address: { ...address, zip: undefined } }, ['address.zip']],
    ['createAccount', 'an attic', { ...account, address: { ...address, attic: 1 } }, ['address.attic']],
    ['createAccount', 'no e-mail', { ...account, admin_email: 'ada' }, ['admin_email']],
    ['createAccount', 'a numeric mcc', { ...account, mcc: 5462 }, ['mcc']],
    ['createAccountV1', 'an unknown type', { ...account, type: 'Merchant' }, ['type']],
    ['updateAccount', 'no id', { name: 'x' }, ['account_id']],
    ['updateAccount', 'an empty name', { account_id: 'a', name: '' }, ['name']],
    ['getAccount', 'an empty id', { account_id: '' }, ['account_id']],
    ['getAccount', 'a numeric id', { account_id: 5 }, ['account_id']],
    ['listAccounts', 'a limit of 0', { limit: 0 }, ['limit']],
    ['listTerminals', 'a limit of 0', { limit: 0 }, ['limit']],
    ['listTerminals', 'a limit of 201', { limit: 201 }, ['limit']],
    ['listTerminals', 'half a limit', { limit: 1.5 }, ['limit']],
    ['listTerminals', 'a negative offset', { offset: -1 }, ['offset']],
    ['listTerminals', 'an unknown filter', { color: 'red' }, ['color']],
    ['listTransactions', 'a limit of 201', { limit: 201 }, ['limit']],
    ['listApiKeys', 'a limit of 201', { limit: 201 }, ['limit']],
    ['createTerminal', 'nothing', {}, ['account_id', 'name']],
    ['updateTerminal', 'no id', { name: 'x' }, ['terminal_id']],
    ['createLocation', 'nothing', {}, ['account_id', 'name', 'address']],
    ['updateTransaction', 'no id', { status: 'captured' }, ['transaction_id']],
    ['updateTransaction', 'an empty status', { transaction_id: 't', status: '' }, ['status']],
    ['openBatch', 'nothing', {}, ['account_id']],
    ['closeBatch', 'a further field', { batch_id: 'b', force: true }, ['force']],
    ['createApiKey', 'nothing', {}, ['name', 'permissions']],
    ['createApiKey', 'no permission', { ...key, permissions: [] }, ['permissions']],
    ['createApiKey', 'an empty permission', { ...key, permissions: ['a', ''] }, ['permissions.1']],
    ['updateApiKey', 'no permission', { apikey_id: 'k', permissions: [] }, ['permissions']],
    ['startPayment', 'nothing', {}, ['terminal_id', 'amount', 'event_id']],
    ['startPreauth', 'no amount', { ...start, amount: null }, ['amount']],
    ['capturePayment', 'a negative tip', { ...ids, tip_amount: -1 }, ['tip_amount']],
    ['capturePayment', 'half a tip', { ...ids, tip_amount: 0.5 }, ['tip_amount']],
    ['capturePaymentV1', 'an unknown field', { ...ids, tip: 5 }, ['tip']],
    ['incrementAuthorization', 'no amount', ids, ['amount']],
    ['adjustPaymentV1', 'no amount', ids, ['amount']],
    ['confirmPayment', 'neither yes nor no', ids, ['confirm']],
    ['confirmPaymentV1', 'a word', { ...ids, confirm: 'yes' }, ['confirm']],
    ['refundTransaction', 'nothing', {}, ['transaction_id', 'event_id']],
  ])('%s with %s', async (operation, _, request, fields) => {
    expect(await refuses(operation, request)).toEqual(fields);
  });

  it.each(OF_MONEY)('%s with an amount that is no whole cents', async (operation, request) => {
    for (const amount of [0, -1, 12.5, '100', 2 ** 53])
      expect(await refuses(operation, { ...request, amount })).toEqual(['amount']);
  });

  it.each([...OF_MONEY, ...ACTIONS.filter(([operation]) => operation.startsWith('confirm'))])(
    '%s without an event_id',
    async (operation, request) => {
      expect(await refuses(operation, { ...request, event_id: undefined })).toEqual(['event_id']);
      expect(await refuses(operation, { ...request, event_id: '' })).toEqual(['event_id']);
    },
  );
});
