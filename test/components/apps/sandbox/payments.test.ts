import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../../../src/apps/sandbox/server.js';
import { runKeyed } from '../../../rigs/sandbox/keyed.js';
import { shared, type Until } from '../../../rigs/shared.js';

const keyOf = (key: string) => ({ 'x-svc-api-key': key });
const runPayments = (options?: SandboxOptions, until?: Until) => runKeyed(keyOf('sandbox'), options, until);

const SALE = (event: string) => `{"terminal_id":"terminal-1001","amount":1000,"event_id":"${event}"}`;

describe('a path', () => {
  const running = shared((until) => runPayments({}, until));

  it.each([
    'GET /accounts',
    'GET /transactions/transaction-1001',
    'GET /v5/payments',
    'GET /v5/terminals',
    'GET /v5/accounts',
    'GET /v3/accounts',
    'GET /v1/terminals',
    'POST /v1/payment',
    'POST /v2/payments/transaction-1001/capture',
  ])('without a version, or in one that its resource lacks, is a 404: %s', async (line) => {
    expect((await running().call(line)).status).toBe(404);
  });
});

it('a key is the password, if one is set for all', async () => {
  const { call } = await runPayments({ password: 'w0rd' });
  expect((await call('GET /v2/terminals')).status).toBe(401);
  expect((await call('GET /v2/terminals', undefined, keyOf('w0rd'))).status).toBe(200);
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  expect((await call('GET /plants', undefined, bearer('sandbox'))).status).toBe(400);
  expect((await call('GET /plants', undefined, bearer('w0rd'))).status).toBe(200);
  expect((await call('POST /processor/api/v1/webhook', '{}', bearer('sandbox'))).status).toBe(401);
  expect((await call('POST /processor/api/v1/webhook', '{}', bearer('w0rd'))).status).toBe(422);
});

describe('what belongs to another partner does not exist for the caller', () => {
  const running = shared(async (until) => {
    const payments = await runPayments({}, until);
    await payments.call('POST /v1/batches', '{"account_id":"account-1001"}');
    await payments.call('POST /v3/payment', SALE('e-1'));
    return payments;
  });

  it.each([
    ['GET /v1/accounts/account-1001', undefined],
    ['PUT /v2/terminals/terminal-1001', '{"name":"x"}'],
    ['DELETE /v2/terminals/terminal-1001', undefined],
    ['GET /v1/transactions/transaction-1001', undefined],
    ['POST /v3/payments/transaction-1001/capture', '{"event_id":"x"}'],
    ['POST /v3/refund', '{"transaction_id":"transaction-1001","event_id":"x"}'],
    ['POST /v1/batches/batch-1001/close', undefined],
  ])('%s is a 404', async (line, body) => {
    const payments = running();
    const effects = await payments.effects();
    const { status, text } = await payments.call(line, body, keyOf('other-partner'));
    expect(status).toBe(404);
    expect(text).toMatch(/^\{"message":"no such \w+","errors":\{\}\}$/);
    expect(await payments.effects()).toEqual(effects);
  });

  it('and is not listed', async () => {
    const count = async (line: string) =>
      (await running().call(line, undefined, keyOf('other-partner'))).json<{ total: number }>().total;
    expect(await count('GET /v1/transactions')).toBe(0);
    expect(await count('GET /v2/terminals?search=terminal-1001')).toBe(0);
    expect(await count('GET /v2/terminals')).toBe(2);
    expect(await count('GET /v1/accounts')).toBe(1);
  });
});

it('an event_id that is repeated gets the first response, and nothing happens twice', async () => {
  const payments = await runPayments();
  const { id } = (await payments.call('POST /v3/payment', SALE('e-1'))).json<{ id: string }>();
  expect((await payments.call('POST /v3/payment', SALE('e-1'))).json()).toMatchObject({ id });
  const act = (version: string, action: string, event: string) =>
    payments.call(`POST /${version}/payments/${id}/${action}`, `{"event_id":"${event}"}`);
  const first = await act('v3', 'refund', 'r-1');
  expect(first.json()).toMatchObject({ id, status: 'refunded', amount: 1000 });
  await act('v1', 'capture', 'r-1');
  expect((await act('v3', 'refund', 'r-1')).text).toBe(first.text);
  const read = await payments.call(`GET /v1/transactions/${id}`);
  expect(read.json()).toMatchObject({ status: 'captured' });
  const done = ['start-payment', 'refund-payment', 'capture-payment-v1'];
  expect(await payments.effects()).toEqual(done.map((operation) => `${operation} ${id}`));
});

it('transactions are listed in pages, and can be searched', async () => {
  const payments = await runPayments();
  await payments.call('POST /v3/payment', SALE('e-1'));
  await payments.call('POST /v3/preauth', SALE('e-2'));
  const [captured, authorized] = ['transaction-1001', 'transaction-1002'];
  const list = async (query: string) => {
    const { json } = await payments.call(`GET /v1/transactions${query}`);
    const { transactions, ...page } = json<{ transactions: { id: string }[] }>();
    return { ids: transactions.map(({ id }) => id), ...page };
  };
  const page = { limit: 50, offset: 0, page: 1, total: 2 };
  expect(await list('')).toEqual({ ids: [captured, authorized], ...page });
  const second = { ids: [authorized], limit: 1, offset: 1, page: 2, total: 2 };
  expect(await list('?limit=1&offset=1')).toEqual(second);
  expect(await list('?status=authorized')).toEqual({ ids: [authorized], ...page, total: 1 });
  expect(await list('?search=CAPTURED%22')).toEqual({ ids: [captured], ...page, total: 1 });
  expect(await list('?account_id=account-1002')).toEqual({ ids: [], ...page, total: 0 });
});

it('a planned fault of one system does not hit an operation of the same name of another', async () => {
  const payments = await runPayments();
  const list = async () => (await payments.call('GET /v1/transactions')).status;
  const plan = (system: string) =>
    payments.call('POST /sandbox/faults', `{"fault":"429","operation":"list-transactions"${system}}`);
  await plan(',"system":"banking"');
  expect(await list()).toBe(200);
  await plan(',"system":"payments"');
  await plan('');
  expect([await list(), await list(), await list()]).toEqual([429, 429, 200]);
  expect((await plan(',"system":"bank"')).status).toBe(400);
});
