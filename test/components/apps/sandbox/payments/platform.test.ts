import { describe, expect, it } from 'vitest';
import {
  ACCOUNT,
  COUNTER,
  keyOf,
  type RunningPayments,
  runPayments,
} from '../../../../rigs/sandbox/payments/running-payments.js';
import { shared } from '../../../../rigs/shared.js';

const ADDRESS = '"address":{"street_line1":"1 Main Street","city":"Albany","state":"NY","zip":"12207"}';
const NEW_ACCOUNT = `{"type":"merchant","name":"Books","description":"Sells books",${ADDRESS}}`;
const AT = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);

async function made(payments: RunningPayments, line: string, body: string): Promise<string> {
  const { status, json } = await payments.call(line, body);
  expect(status).toBe(200);
  return json<{ id: string }>().id;
}

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

describe('a key', () => {
  it('is the password, if one is set for all', async () => {
    const { call } = await runPayments({ password: 'w0rd' });
    expect((await call('GET /v2/terminals')).status).toBe(401);
    expect((await call('GET /v2/terminals', undefined, keyOf('w0rd'))).status).toBe(200);
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    expect((await call('GET /plants', undefined, bearer('sandbox'))).status).toBe(400);
    expect((await call('GET /plants', undefined, bearer('w0rd'))).status).toBe(200);
    expect((await call('POST /processor/api/v1/webhook', '{}', bearer('sandbox'))).status).toBe(401);
    expect((await call('POST /processor/api/v1/webhook', '{}', bearer('w0rd'))).status).toBe(422);
  });

  it('allows what it has permission for, and nothing else', async () => {
    const payments = await runPayments();
    const { json } = await payments.call(
      'POST /v5/apikeys',
      '{"name":"till","permissions":["terminals:read","payment:write"]}',
    );
    const { id, key } = json<{ id: string; key: string }>();
    const status = async (line: string, body?: string) =>
      (await payments.call(line, body, keyOf(key))).status;
    const sale = `{"terminal_id":"${COUNTER}","amount":100,"event_id":"e"}`;
    expect(await status('GET /v2/terminals')).toBe(200);
    expect(await status('POST /v3/payment', sale)).toBe(200);
    expect(await status('POST /v3/preauth', sale)).toBe(403);
    expect(await status('DELETE /v2/terminals/terminal-1001')).toBe(403);
    expect(await status('GET /v1/accounts')).toBe(403);
    await payments.call(`PUT /v5/apikeys/${id}`, '{"permissions":["accounts:read"]}');
    expect([await status('GET /v2/terminals'), await status('GET /v1/accounts')]).toEqual([403, 200]);
    await payments.call(`DELETE /v5/apikeys/${id}`);
    expect(await status('GET /v1/accounts')).toBe(401);
    expect((await payments.effects()).filter((effect) => effect.includes('api-key'))).toEqual([
      `create-api-key ${id}`,
      `update-api-key ${id}`,
      `delete-api-key ${id}`,
    ]);
  });

  it('shows its secret once', async () => {
    const payments = await runPayments();
    const body = '{"name":"till","permissions":["*"]}';
    const created = (await payments.call('POST /v5/apikeys', body)).json();
    const record = { id: 'apikey-1001', name: 'till', permissions: ['*'] };
    expect(created).toEqual({ ...record, key: expect.stringMatching(/^made-[0-9a-f-]{36}$/) });
    expect((await payments.call('GET /v5/apikeys/apikey-1001')).json()).toEqual(record);
    expect((await payments.call('PUT /v5/apikeys/apikey-1001', '{"name":"shop"}')).json()).toEqual({
      ...record,
      name: 'shop',
    });
    expect((await payments.call('GET /v5/apikeys')).json()).toEqual({
      limit: 50,
      offset: 0,
      page: 1,
      apikeys: [{ ...record, name: 'shop' }],
      total: 1,
    });
  });
});

describe('what belongs to another partner does not exist for the caller', () => {
  const running = shared(async (until) => {
    const payments = await runPayments({}, until);
    await made(payments, 'POST /v1/locations', `{"account_id":"${ACCOUNT}","name":"Shop",${ADDRESS}}`);
    await made(payments, 'POST /v1/batches', `{"account_id":"${ACCOUNT}"}`);
    await made(payments, 'POST /v5/apikeys', '{"name":"till","permissions":["*"]}');
    await payments.start('payment');
    return payments;
  });

  it.each([
    ['GET /v1/accounts/account-1001', undefined],
    ['PUT /v1/accounts/account-1001', '{"name":"x"}'],
    ['GET /v2/terminals/terminal-1001', undefined],
    ['PUT /v2/terminals/terminal-1001', '{"name":"x"}'],
    ['DELETE /v2/terminals/terminal-1001', undefined],
    ['GET /v1/locations/location-1001', undefined],
    ['PUT /v1/locations/location-1001', '{"name":"x"}'],
    ['GET /v1/transactions/transaction-1001', undefined],
    ['PUT /v1/transactions/transaction-1001', '{"status":"captured"}'],
    ['POST /v3/payments/transaction-1001/capture', '{"event_id":"x"}'],
    ['POST /v1/payments/transaction-1001/refund', '{"event_id":"x"}'],
    ['POST /v3/refund', '{"transaction_id":"transaction-1001","event_id":"x"}'],
    ['PUT /v1/batches/batch-1001', '{"name":"x"}'],
    ['POST /v1/batches/batch-1001/close', undefined],
    ['GET /v5/apikeys/apikey-1001', undefined],
    ['PUT /v5/apikeys/apikey-1001', '{"name":"x"}'],
    ['DELETE /v5/apikeys/apikey-1001', undefined],
  ])('%s is a 404', async (line, body) => {
    const payments = running();
    const effects = await payments.effects();
    const { status, text } = await payments.call(line, body, keyOf('other-partner'));
    expect(status).toBe(404);
    expect(text).toMatch(/^\{"message":"no such \w+","errors":\{\}\}$/);
    expect(await payments.effects()).toEqual(effects);
  });

  it('and is not listed', async () => {
    const payments = running();
    const count = async (line: string) =>
      (await payments.call(line, undefined, keyOf('other-partner'))).json<{ total: number }>().total;
    expect(await count('GET /v1/transactions')).toBe(0);
    expect(await count('GET /v5/apikeys')).toBe(0);
    expect(await count('GET /v2/terminals?search=terminal-1001')).toBe(0);
    expect(await count('GET /v2/terminals')).toBe(2);
    expect(await count('GET /v1/accounts')).toBe(1);
  });
});

describe('an account', () => {
  it('that v2 made has an organization, a webhook application and a working key', async () => {
    const payments = await runPayments();
    const { status, json } = await payments.call('POST /v2/accounts', NEW_ACCOUNT);
    expect(status).toBe(200);
    expect(json()).toEqual({
      ...JSON.parse(NEW_ACCOUNT),
      id: 'account-1003',
      status: 'active',
      created_at: AT,
      organization: { id: 'organization-account-1003', name: 'Books' },
      webhook_app: { id: 'webhook-app-account-1003' },
      api_key: { id: 'apikey-1001', name: 'Books', key: expect.any(String) },
    });
    const { api_key } = json<{ api_key: { key: string } }>();
    const seen = await payments.call('GET /v1/accounts/account-1003', undefined, keyOf(api_key.key));
    expect(seen.status).toBe(200);
    expect((await payments.call('GET /v5/apikeys/apikey-1001')).status).toBe(200);
    expect(await payments.effects()).toEqual(['create-account account-1003']);
  });

  it('that v1 made has none of these', async () => {
    const payments = await runPayments();
    const { json } = await payments.call('POST /v1/accounts', NEW_ACCOUNT);
    const account = { ...JSON.parse(NEW_ACCOUNT), id: 'account-1003', status: 'active', created_at: AT };
    expect(json()).toEqual(account);
    expect((await payments.call('GET /v1/accounts/account-1003')).json()).toEqual(account);
    expect((await payments.call('GET /v5/apikeys')).json()).toMatchObject({ total: 0 });
    expect(await payments.effects()).toEqual(['create-account-v1 account-1003']);
  });
});

it('a terminal cannot play an unknown scenario', async () => {
  const payments = await runPayments();
  const { status, json } = await payments.call(
    'POST /v2/terminals',
    `{"account_id":"${ACCOUNT}","name":"Till [exploding]"}`,
  );
  expect([status, json<{ errors: object }>().errors]).toEqual([
    400,
    { name: [expect.stringMatching(/unknown magic value \[exploding\].*straight, declined, surcharge/)] },
  ]);
});

it('a batch settles the captured payments of its account when it is closed', async () => {
  const payments = await runPayments();
  const [captured, authorized] = [await payments.start('payment'), await payments.start('preauth')];
  const id = await made(payments, 'POST /v1/batches', `{"account_id":"${ACCOUNT}","name":"Monday"}`);
  const change = await payments.call(`PUT /v1/batches/${id}`, '{"name":"Tuesday"}');
  const open = { id, account_id: ACCOUNT, name: 'Tuesday', status: 'open' };
  expect(change.json()).toEqual(open);
  const closed = await payments.call(`POST /v1/batches/${id}/close`);
  expect(closed.json()).toEqual({ ...open, status: 'closed' });
  expect(await payments.state(captured)).toBe('settled 1000 1000 0');
  expect(await payments.state(authorized)).toBe('authorized 1000 0 0');
  expect((await payments.effects()).slice(2)).toEqual([
    `open-batch ${id}`,
    `update-batch ${id}`,
    `close-batch ${id}`,
  ]);
});
