import { describe, expect, it } from 'vitest';
import {
  PAYMENTS_OPERATIONS,
  type PaymentsOperations,
} from '../../../../src/partners/payments/operations.js';
import { ANYTHING, paymentsPlatform } from '../../../rigs/partners/payments/partner.js';
import { responding } from '../../../rigs/partners/servers.js';

/** The request, then method, path and query, and the exact bytes of the body. */
type Wire = readonly [request: object, line: string, body?: string];

const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
const addressJson = '"address":{"street_line1":"1 Main Street","city":"Albany","state":"NY","zip":"12207"}';
const account = { type: 'merchant', name: 'Bakery', description: 'Bread', address } as const;
const accountJson = `"type":"merchant","name":"Bakery","description":"Bread",${addressJson}`;
const ids = { transaction_id: 't-1', event_id: 'e-1' };

/** As in apis/3; what it does not print is as docs/partner-apis.md assumes it. */
const WIRE: Record<keyof PaymentsOperations, Wire> = {
  listAccounts: [
    { search: 'Corner & Co', status: 'active', limit: 10, offset: 20 },
    'GET /v1/accounts?search=Corner+%26+Co&status=active&limit=10&offset=20',
  ],
  getAccount: [{ account_id: 'a/1' }, 'GET /v1/accounts/a%2F1'],
  createAccountV1: [account, 'POST /v1/accounts', `{${accountJson}}`],
  createAccount: [
    {
      ...account,
      admin_email: 'ada@example.com',
      mcc: '5462',
      parent_id: 'a-0',
      tax_id: '000000000',
      further: { field: 1 },
    },
    'POST /v2/accounts',
    `{${accountJson},"admin_email":"ada@example.com","mcc":"5462","parent_id":"a-0","tax_id":"000000000",` +
      '"further":{"field":1}}',
  ],
  updateAccount: [{ account_id: 'a-1', name: 'Café' }, 'PUT /v1/accounts/a-1', '{"name":"Café"}'],
  listApiKeys: [{ limit: 200, offset: 0 }, 'GET /v5/apikeys?limit=200&offset=0'],
  getApiKey: [{ apikey_id: 'k-1' }, 'GET /v5/apikeys/k-1'],
  createApiKey: [
    { name: 'till', permissions: ['payments:write'] },
    'POST /v5/apikeys',
    '{"name":"till","permissions":["payments:write"]}',
  ],
  updateApiKey: [
    { apikey_id: 'k-1', permissions: ['a', 'b'] },
    'PUT /v5/apikeys/k-1',
    '{"permissions":["a","b"]}',
  ],
  deleteApiKey: [{ apikey_id: 'k-1' }, 'DELETE /v5/apikeys/k-1'],
  listTerminals: [
    { search: 'till', account_id: 'a-1', status: 'active', limit: 1, offset: 3 },
    'GET /v2/terminals?search=till&account_id=a-1&status=active&limit=1&offset=3',
  ],
  createTerminal: [
    { account_id: 'a-1', name: 'Till', location_id: 'l-1', serial: 9 },
    'POST /v2/terminals',
    '{"account_id":"a-1","name":"Till","location_id":"l-1","serial":9}',
  ],
  getTerminal: [{ terminal_id: 'x' }, 'GET /v2/terminals/x'],
  updateTerminal: [{ terminal_id: 'x', name: 'Counter' }, 'PUT /v2/terminals/x', '{"name":"Counter"}'],
  deleteTerminal: [{ terminal_id: 'x' }, 'DELETE /v2/terminals/x'],
  createLocation: [
    { account_id: 'a-1', name: 'Shop', address },
    'POST /v1/locations',
    `{"account_id":"a-1","name":"Shop",${addressJson}}`,
  ],
  updateLocation: [{ location_id: 'l-1', name: 'Stall' }, 'PUT /v1/locations/l-1', '{"name":"Stall"}'],
  getLocation: [{ location_id: 'l-1' }, 'GET /v1/locations/l-1'],
  listTransactions: [
    { search: 'Ada', account_id: 'a-1', status: 'settled' },
    'GET /v1/transactions?search=Ada&account_id=a-1&status=settled',
  ],
  getTransaction: [{ transaction_id: 't-1' }, 'GET /v1/transactions/t-1'],
  updateTransaction: [
    { transaction_id: 't-1', status: 'captured', auth_code: '00' },
    'PUT /v1/transactions/t-1',
    '{"status":"captured","auth_code":"00"}',
  ],
  openBatch: [
    { account_id: 'a-1', name: 'Monday' },
    'POST /v1/batches',
    '{"account_id":"a-1","name":"Monday"}',
  ],
  closeBatch: [{ batch_id: 'b-1' }, 'POST /v1/batches/b-1/close'],
  updateBatch: [{ batch_id: 'b-1', name: 'Tuesday' }, 'PUT /v1/batches/b-1', '{"name":"Tuesday"}'],
  startPayment: [
    { terminal_id: 'x', amount: 1250, event_id: 'e-1', note: 'n' },
    'POST /v3/payment',
    '{"terminal_id":"x","amount":1250,"event_id":"e-1","note":"n"}',
  ],
  startPreauth: [
    { terminal_id: 'x', amount: 1250, event_id: 'e-1' },
    'POST /v3/preauth',
    '{"terminal_id":"x","amount":1250,"event_id":"e-1"}',
  ],
  capturePayment: [
    { ...ids, amount: 1000, tip_amount: 150, breakdown: { tax: 80, items: [1] } },
    'POST /v3/payments/t-1/capture',
    '{"event_id":"e-1","amount":1000,"tip_amount":150,"breakdown":{"tax":80,"items":[1]}}',
  ],
  incrementAuthorization: [
    { ...ids, amount: 500 },
    'POST /v3/payments/t-1/auth',
    '{"event_id":"e-1","amount":500}',
  ],
  refundPayment: [
    { ...ids, amount: null },
    'POST /v3/payments/t-1/refund',
    '{"event_id":"e-1","amount":null}',
  ],
  reversePayment: [ids, 'POST /v3/payments/t-1/reverse', '{"event_id":"e-1"}'],
  adjustPayment: [
    { ...ids, amount: 1100 },
    'POST /v3/payments/t-1/adjust',
    '{"event_id":"e-1","amount":1100}',
  ],
  confirmPayment: [
    { ...ids, confirm: false },
    'POST /v3/payments/t-1/confirm',
    '{"event_id":"e-1","confirm":false}',
  ],
  capturePaymentV1: [ids, 'POST /v1/payments/t-1/capture', '{"event_id":"e-1"}'],
  incrementAuthorizationV1: [
    { ...ids, amount: 500 },
    'POST /v1/payments/t-1/auth',
    '{"event_id":"e-1","amount":500}',
  ],
  refundPaymentV1: [{ ...ids, amount: 1 }, 'POST /v1/payments/t-1/refund', '{"event_id":"e-1","amount":1}'],
  reversePaymentV1: [ids, 'POST /v1/payments/t-1/reverse', '{"event_id":"e-1"}'],
  adjustPaymentV1: [
    { ...ids, amount: 1100 },
    'POST /v1/payments/t-1/adjust',
    '{"event_id":"e-1","amount":1100}',
  ],
  confirmPaymentV1: [
    { ...ids, confirm: true },
    'POST /v1/payments/t-1/confirm',
    '{"event_id":"e-1","confirm":true}',
  ],
  refundTransaction: [
    { ...ids, amount: 300 },
    'POST /v3/refund',
    '{"transaction_id":"t-1","event_id":"e-1","amount":300}',
  ],
};

describe('every operation of the contract', () => {
  it('is in the table', () => {
    expect(Object.keys(WIRE)).toHaveLength(39);
    expect(Object.keys(WIRE).sort()).toEqual(Object.keys(PAYMENTS_OPERATIONS).sort());
  });

  it.each(Object.entries(WIRE))('%s', async (key, [given, line, body]) => {
    const { client, requests } = await paymentsPlatform(responding(200, ANYTHING));
    await client[key as keyof typeof WIRE](given as never);
    expect(requests).toHaveLength(1);
    const [request] = requests;
    expect(request?.line).toBe(line);
    expect(request?.headers['x-svc-api-key']).toBe('k3y');
    expect(request?.headers.accept).toBe('application/json');
    expect(request?.headers.authorization).toBeUndefined();
    expect(request?.headers['content-type']).toBe(body === undefined ? undefined : 'application/json');
    expect(request?.body.toString('utf8')).toBe(body ?? '');
  });
});

it('the key is sent in the header that the settings name', async () => {
  const { client, requests } = await paymentsPlatform(responding(200, ANYTHING), {
    apiKeyHeader: 'X-Brand-Api-Key',
  });
  await client.getTransaction({ transaction_id: 't-1' });
  expect(requests[0]?.headers['x-brand-api-key']).toBe('k3y');
  expect(requests[0]?.headers['x-svc-api-key']).toBeUndefined();
});
