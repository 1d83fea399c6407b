import { describe, expect, it } from 'vitest';
import type { ByHand } from '../../../../src/partners/by-hand.js';
import type { PaymentsClient } from '../../../../src/partners/payments/client.js';
import {
  PAYMENTS_OPERATIONS,
  type PaymentsOperations,
} from '../../../../src/partners/payments/operations.js';
import { ANYTHING, paymentsPlatform } from '../../../rigs/partners/payments/partner.js';
import { responding } from '../../../rigs/partners/servers.js';

interface Wire {
  readonly call: (client: ByHand<PaymentsClient>) => Promise<unknown>;
  /** Method, path and query. */
  readonly line: string;
  /** The exact bytes. */
  readonly body?: string;
}

const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
const addressJson = '"address":{"street_line1":"1 Main Street","city":"Albany","state":"NY","zip":"12207"}';
const account = { type: 'merchant', name: 'Bakery', description: 'Bread', address } as const;
const accountJson = `"type":"merchant","name":"Bakery","description":"Bread",${addressJson}`;
const ids = { transaction_id: 't-1', event_id: 'e-1' };

/** As in apis/3; what it does not print is as docs/partner-apis.md assumes it. */
const WIRE: Record<keyof PaymentsOperations, Wire> = {
  listAccounts: {
    call: (client) => client.listAccounts({ search: 'Corner & Co', status: 'active', limit: 10, offset: 20 }),
    line: 'GET /v1/accounts?search=Corner+%26+Co&status=active&limit=10&offset=20',
  },
  getAccount: {
    call: (client) => client.getAccount({ account_id: 'a/1' }),
    line: 'GET /v1/accounts/a%2F1',
  },
  createAccountV1: {
    call: (client) => client.createAccountV1(account),
    line: 'POST /v1/accounts',
    body: `{${accountJson}}`,
  },
  createAccount: {
    call: (client) =>
      client.createAccount({
        ...account,
        admin_email: 'ada@example.com',
        mcc: '5462',
        parent_id: 'a-0',
        tax_id: '000000000',
        further: { field: 1 },
      }),
    line: 'POST /v2/accounts',
    body:
      `{${accountJson},"admin_email":"ada@example.com","mcc":"5462","parent_id":"a-0","tax_id":"000000000",` +
      '"further":{"field":1}}',
  },
  updateAccount: {
    call: (client) => client.updateAccount({ account_id: 'a-1', name: 'Café' }),
    line: 'PUT /v1/accounts/a-1',
    body: '{"name":"Café"}',
  },
  listApiKeys: {
    call: (client) => client.listApiKeys({ limit: 200, offset: 0 }),
    line: 'GET /v5/apikeys?limit=200&offset=0',
  },
  getApiKey: { call: (client) => client.getApiKey({ apikey_id: 'k-1' }), line: 'GET /v5/apikeys/k-1' },
  createApiKey: {
    call: (client) => client.createApiKey({ name: 'till', permissions: ['payments:write'] }),
    line: 'POST /v5/apikeys',
    body: '{"name":"till","permissions":["payments:write"]}',
  },
  updateApiKey: {
    call: (client) => client.updateApiKey({ apikey_id: 'k-1', permissions: ['a', 'b'] }),
    line: 'PUT /v5/apikeys/k-1',
    body: '{"permissions":["a","b"]}',
  },
  deleteApiKey: {
    call: (client) => client.deleteApiKey({ apikey_id: 'k-1' }),
    line: 'DELETE /v5/apikeys/k-1',
  },
  listTerminals: {
    call: (client) =>
      client.listTerminals({ search: 'till', account_id: 'a-1', status: 'active', limit: 1, offset: 3 }),
    line: 'GET /v2/terminals?search=till&account_id=a-1&status=active&limit=1&offset=3',
  },
  createTerminal: {
    call: (client) =>
      client.createTerminal({ account_id: 'a-1', name: 'Till', location_id: 'l-1', serial: 9 }),
    line: 'POST /v2/terminals',
    body: '{"account_id":"a-1","name":"Till","location_id":"l-1","serial":9}',
  },
  getTerminal: { call: (client) => client.getTerminal({ terminal_id: 'x' }), line: 'GET /v2/terminals/x' },
  updateTerminal: {
    call: (client) => client.updateTerminal({ terminal_id: 'x', name: 'Counter' }),
    line: 'PUT /v2/terminals/x',
    body: '{"name":"Counter"}',
  },
  deleteTerminal: {
    call: (client) => client.deleteTerminal({ terminal_id: 'x' }),
    line: 'DELETE /v2/terminals/x',
  },
  createLocation: {
    call: (client) => client.createLocation({ account_id: 'a-1', name: 'Shop', address }),
    line: 'POST /v1/locations',
    body: `{"account_id":"a-1","name":"Shop",${addressJson}}`,
  },
  updateLocation: {
    call: (client) => client.updateLocation({ location_id: 'l-1', name: 'Stall' }),
    line: 'PUT /v1/locations/l-1',
    body: '{"name":"Stall"}',
  },
  getLocation: {
    call: (client) => client.getLocation({ location_id: 'l-1' }),
    line: 'GET /v1/locations/l-1',
  },
  listTransactions: {
    call: (client) => client.listTransactions({ search: 'Ada', account_id: 'a-1', status: 'settled' }),
    line: 'GET /v1/transactions?search=Ada&account_id=a-1&status=settled',
  },
  getTransaction: {
    call: (client) => client.getTransaction({ transaction_id: 't-1' }),
    line: 'GET /v1/transactions/t-1',
  },
  updateTransaction: {
    call: (client) =>
      client.updateTransaction({ transaction_id: 't-1', status: 'captured', auth_code: '00' }),
    line: 'PUT /v1/transactions/t-1',
    body: '{"status":"captured","auth_code":"00"}',
  },
  openBatch: {
    call: (client) => client.openBatch({ account_id: 'a-1', name: 'Monday' }),
    line: 'POST /v1/batches',
    body: '{"account_id":"a-1","name":"Monday"}',
  },
  closeBatch: {
    call: (client) => client.closeBatch({ batch_id: 'b-1' }),
    line: 'POST /v1/batches/b-1/close',
  },
  updateBatch: {
    call: (client) => client.updateBatch({ batch_id: 'b-1', name: 'Tuesday' }),
    line: 'PUT /v1/batches/b-1',
    body: '{"name":"Tuesday"}',
  },
  startPayment: {
    call: (client) => client.startPayment({ terminal_id: 'x', amount: 1250, event_id: 'e-1', note: 'n' }),
    line: 'POST /v3/payment',
    body: '{"terminal_id":"x","amount":1250,"event_id":"e-1","note":"n"}',
  },
  startPreauth: {
    call: (client) => client.startPreauth({ terminal_id: 'x', amount: 1250, event_id: 'e-1' }),
    line: 'POST /v3/preauth',
    body: '{"terminal_id":"x","amount":1250,"event_id":"e-1"}',
  },
  capturePayment: {
    call: (client) =>
      client.capturePayment({ ...ids, amount: 1000, tip_amount: 150, breakdown: { tax: 80, items: [1] } }),
    line: 'POST /v3/payments/t-1/capture',
    body: '{"event_id":"e-1","amount":1000,"tip_amount":150,"breakdown":{"tax":80,"items":[1]}}',
  },
  incrementAuthorization: {
    call: (client) => client.incrementAuthorization({ ...ids, amount: 500 }),
    line: 'POST /v3/payments/t-1/auth',
    body: '{"event_id":"e-1","amount":500}',
  },
  refundPayment: {
    call: (client) => client.refundPayment({ ...ids, amount: null }),
    line: 'POST /v3/payments/t-1/refund',
    body: '{"event_id":"e-1","amount":null}',
  },
  reversePayment: {
    call: (client) => client.reversePayment(ids),
    line: 'POST /v3/payments/t-1/reverse',
    body: '{"event_id":"e-1"}',
  },
  adjustPayment: {
    call: (client) => client.adjustPayment({ ...ids, amount: 1100 }),
    line: 'POST /v3/payments/t-1/adjust',
    body: '{"event_id":"e-1","amount":1100}',
  },
  confirmPayment: {
    call: (client) => client.confirmPayment({ ...ids, confirm: false }),
    line: 'POST /v3/payments/t-1/confirm',
    body: '{"event_id":"e-1","confirm":false}',
  },
  capturePaymentV1: {
    call: (client) => client.capturePaymentV1(ids),
    line: 'POST /v1/payments/t-1/capture',
    body: '{"event_id":"e-1"}',
  },
  incrementAuthorizationV1: {
    call: (client) => client.incrementAuthorizationV1({ ...ids, amount: 500 }),
    line: 'POST /v1/payments/t-1/auth',
    body: '{"event_id":"e-1","amount":500}',
  },
  refundPaymentV1: {
    call: (client) => client.refundPaymentV1({ ...ids, amount: 1 }),
    line: 'POST /v1/payments/t-1/refund',
    body: '{"event_id":"e-1","amount":1}',
  },
  reversePaymentV1: {
    call: (client) => client.reversePaymentV1(ids),
    line: 'POST /v1/payments/t-1/reverse',
    body: '{"event_id":"e-1"}',
  },
  adjustPaymentV1: {
    call: (client) => client.adjustPaymentV1({ ...ids, amount: 1100 }),
    line: 'POST /v1/payments/t-1/adjust',
    body: '{"event_id":"e-1","amount":1100}',
  },
  confirmPaymentV1: {
    call: (client) => client.confirmPaymentV1({ ...ids, confirm: true }),
    line: 'POST /v1/payments/t-1/confirm',
    body: '{"event_id":"e-1","confirm":true}',
  },
  refundTransaction: {
    call: (client) => client.refundTransaction({ ...ids, amount: 300 }),
    line: 'POST /v3/refund',
    body: '{"transaction_id":"t-1","event_id":"e-1","amount":300}',
  },
};

describe('every operation of the contract', () => {
  it('is in the table', () => {
    expect(Object.keys(WIRE)).toHaveLength(39);
    expect(Object.keys(WIRE).sort()).toEqual(Object.keys(PAYMENTS_OPERATIONS).sort());
  });

  it.each(Object.entries(WIRE))('%s', async (_, { call, line, body }) => {
    const { client, requests } = await paymentsPlatform(responding(200, ANYTHING));
    await call(client);
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
