import { describe, expect, it } from 'vitest';
import {
  ACCOUNT,
  COUNTER,
  OLD_TILL,
  type RunningPayments,
  runPayments,
} from '../../../../rigs/sandbox/payments/running-payments.js';
import { shared } from '../../../../rigs/shared.js';

const START = (more = '') => `{"terminal_id":"${COUNTER}","amount":1000,"event_id":"e-1"${more}}`;

/** Brings a payment into each state. */
const INTO: Record<string, (payments: RunningPayments) => Promise<string>> = {
  pending: (payments) => payments.start('payment', OLD_TILL),
  surcharge_pending: async (payments) => payments.start('payment', await payments.terminal('surcharge')),
  authorized: (payments) => payments.start('preauth'),
  captured: (payments) => payments.start('payment'),
  settled: async (payments) => {
    const id = await payments.start('payment');
    const { json } = await payments.call('POST /v1/batches', `{"account_id":"${ACCOUNT}"}`);
    await payments.call(`POST /v1/batches/${json<{ id: string }>().id}/close`);
    return id;
  },
  declined: async (payments) => payments.start('payment', await payments.terminal('declined')),
  reversed: async (payments) => {
    const id = await payments.start('preauth');
    await payments.act('reverse', id);
    return id;
  },
};

it('a payment is captured, with what it was started with', async () => {
  const payments = await runPayments();
  const { status, text } = await payments.call('POST /v3/payment', START(',"note":"n"'));
  expect(status).toBe(200);
  expect(JSON.parse(text)).toEqual({
    ...{ id: 'transaction-1001', account_id: ACCOUNT, terminal_id: COUNTER, status: 'captured', note: 'n' },
    ...{ amount: 1000, captured_amount: 1000, refunded_amount: 0, passthrough: false },
  });
  expect(await payments.effects()).toEqual(['start-payment transaction-1001']);
});

describe('what the state allows', () => {
  // Each test uses its own payment.
  const running = shared((until) => runPayments({}, until));

  it.each([
    ['capture', 'authorized', '', 'captured 1000 1000 0'],
    ['capture', 'authorized', '"amount":null', 'captured 1000 1000 0'],
    ['capture', 'authorized', '"amount":400', 'captured 1000 400 0'],
    ['capture', 'authorized', '"amount":1000,"tip_amount":150', 'captured 1000 1150 0'],
    ['auth', 'authorized', '"amount":500', 'authorized 1500 0 0'],
    ['adjust', 'authorized', '"amount":900', 'authorized 900 0 0'],
    ['reverse', 'authorized', '', 'reversed 1000 0 0'],
    ['reverse', 'authorized', '"amount":300', 'authorized 700 0 0'],
    ['reverse', 'captured', '', 'reversed 1000 1000 0'],
    ['refund', 'captured', '', 'refunded 1000 1000 1000'],
    ['refund', 'captured', '"amount":1', 'captured 1000 1000 1'],
    ['refund', 'settled', '"amount":999', 'settled 1000 1000 999'],
    ['refund', 'settled', '"amount":1000', 'refunded 1000 1000 1000'],
    ['confirm', 'surcharge_pending', '"confirm":true', 'captured 1000 1000 0'],
    ['confirm', 'surcharge_pending', '"confirm":false', 'declined 1000 0 0'],
  ])('%s of one that is %s, with {%s}: %s', async (action, status, more, state) => {
    const payments = running();
    const id = await INTO[status]?.(payments);
    const reply = await payments.act(action, String(id), more);
    expect(reply.status).toBe(200);
    expect(reply.json()).toMatchObject({ id, status: state.split(' ')[0] });
    expect(await payments.state(String(id))).toBe(state);
  });

  it.each([
    ['capture', 'captured', 'authorized'],
    ['refund', 'authorized', 'captured or settled'],
    ['refund', 'pending', 'captured or settled'],
    ['reverse', 'settled', 'authorized or captured'],
    ['reverse', 'reversed', 'authorized or captured'],
    ['capture', 'declined', 'authorized'],
  ])('and nothing else: %s of one that is %s is a 400', async (action, status, allowed) => {
    const payments = running();
    const id = String(await INTO[status]?.(payments));
    const [before, effects] = [await payments.state(id), await payments.effects()];
    const { status: code, text } = await payments.act(action, id);
    expect([code, text]).toEqual([400, `{"message":"The payment is ${status}, not ${allowed}","errors":{}}`]);
    expect(await payments.state(id)).toBe(before);
    expect(await payments.effects()).toEqual(effects);
  });

  it.each([
    ['capture', 'authorized'],
    ['reverse', 'authorized'],
    ['refund', 'captured'],
  ])('and no larger amount: %s of one that is %s', async (action, status) => {
    const payments = running();
    const reply = await payments.act(action, String(await INTO[status]?.(payments)), '"amount":1001');
    expect([reply.status, reply.json()]).toEqual([
      400,
      { message: 'One or more fields are invalid', errors: { amount: ['is more than 1000'] } },
    ]);
  });

  it('several refunds are allowed, up to the captured total', async () => {
    const payments = await runPayments();
    const id = await payments.start('preauth');
    await payments.act('capture', id, '"amount":800');
    const statuses: number[] = [];
    for (const amount of [300, 300, 201, 200, 1]) {
      statuses.push((await payments.act('refund', id, `"amount":${amount}`)).status);
    }
    expect(statuses).toEqual([200, 200, 400, 200, 400]);
    expect(await payments.state(id)).toBe('refunded 1000 800 800');
  });

  it('v1 does the same as v3, and the refund of a transaction the same as that of a payment', async () => {
    const payments = await runPayments();
    const id = await payments.start('preauth');
    await payments.call(`POST /v1/payments/${id}/capture`, '{"event_id":"d"}');
    const refund = `{"transaction_id":"${id}","event_id":"g","amount":400}`;
    expect((await payments.call('POST /v3/refund', refund)).status).toBe(200);
    expect(await payments.state(id)).toBe('captured 1000 1000 400');
    expect((await payments.effects()).slice(1)).toEqual([
      `capture-payment-v1 ${id}`,
      `refund-transaction ${id}`,
    ]);
  });
});

describe('an event_id', () => {
  it('that is repeated gets the first response, and nothing happens twice', async () => {
    const payments = await runPayments();
    const id = await payments.start('payment');
    const refund = (event: string) =>
      payments.call(`POST /v3/payments/${id}/refund`, `{"event_id":"${event}","amount":400}`);
    const first = await refund('r-1');
    await refund('r-2');
    expect((await refund('r-1')).text).toBe(first.text);
    expect(await payments.state(id)).toBe('captured 1000 1000 800');
    expect((await payments.effects()).slice(1)).toEqual([`refund-payment ${id}`, `refund-payment ${id}`]);
  });

  it('may equal that of another operation, of another payment, or of a refused call', async () => {
    const payments = await runPayments();
    const [one, other] = [await payments.start('preauth'), await payments.start('preauth')];
    const call = (id: string, action: string, more = '') =>
      payments.call(`POST /v3/payments/${id}/${action}`, `{"event_id":"e"${more}}`);
    expect((await call(one, 'capture', ',"amount":1001')).status).toBe(400);
    expect((await call(one, 'capture')).status).toBe(200);
    expect((await call(one, 'refund', ',"amount":1')).status).toBe(200);
    expect((await call(other, 'capture')).status).toBe(200);
    expect(await payments.state(one)).toBe('captured 1000 1000 1');
    expect(await payments.state(other)).toBe('captured 1000 1000 0');
  });
});

describe('a passthrough transaction', () => {
  it('waits until its outcome is entered', async () => {
    const payments = await runPayments();
    const id = await payments.start('payment', OLD_TILL);
    expect(await payments.state(id)).toBe('pending 1000 0 0');
    const { status, json } = await payments.call(
      `PUT /v1/transactions/${id}`,
      '{"status":"captured","auth_code":"000111"}',
    );
    expect(status).toBe(200);
    expect(json()).toMatchObject({ id, status: 'captured', captured_amount: 1000, auth_code: '000111' });
    expect((await payments.effects()).at(-1)).toBe(`update-transaction ${id}`);
    await payments.act('refund', id, '"amount":100');
    expect(await payments.state(id)).toBe('captured 1000 1000 100');
  });

  it('is the only one that can be edited: an edit of any other is a 401', async () => {
    const payments = await runPayments();
    const id = await payments.start('payment');
    const { status, text } = await payments.call(`PUT /v1/transactions/${id}`, '{"status":"settled"}');
    expect([status, text]).toEqual([
      401,
      '{"message":"The processor manages this transaction directly","errors":{}}',
    ]);
    expect(await payments.state(id)).toBe('captured 1000 1000 0');
    expect(await payments.effects()).toEqual([`start-payment ${id}`]);
  });
});

describe('transactions', () => {
  it('are listed in pages, and can be searched', async () => {
    const payments = await runPayments();
    const captured = await payments.start('payment');
    const authorized = await payments.start('preauth');
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
});

describe('a planned fault', () => {
  it('of one system does not hit an operation of the same name of another', async () => {
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
});
