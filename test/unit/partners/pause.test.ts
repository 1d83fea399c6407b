import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { byHand } from '../../../src/partners/by-hand.js';
import type { Operations } from '../../../src/partners/catalogue.js';
import { partnerClient } from '../../../src/partners/client.js';
import type { ExchangeEnd } from '../../../src/partners/exchange-observers.js';
import { openPlain } from '../../../src/partners/field-schemas.js';
import type { PartnerErrorKind } from '../../../src/partners/partner-error.js';
import { stoppedAt } from '../../rigs/clock.js';
import { failureOf } from '../../rigs/partners/failure.js';
import {
  isClosed,
  type MemoryOptions,
  memoryPartner,
  response,
  settled,
} from '../../rigs/partners/memory.js';

const shared = { request: z.object({}), response: z.unknown(), provenance: 'documented' } as const;
const OPERATIONS = {
  getStatus: { ...shared, summary: 'a read', method: 'GET', path: '/status', effect: 'read' },
  submit: { ...shared, summary: 'a write', method: 'POST', path: '/submit', effect: 'once' },
} as const satisfies Operations;

/** Time that only the test moves. */
beforeEach(() => stoppedAt(0, ['performance']));

/** A client of a partner that responds with these heads in turn, and then with 200. */
function clientOf(heads: readonly string[], connect?: MemoryOptions['connect'], maxRetryAfterMs = 60_000) {
  const left = [...heads];
  const { http, requests, connections } = memoryPartner({
    respond: (connection) => connection.end(response('{}', `HTTP/1.1 ${left.shift() ?? '200 OK'}`)),
    limits: { maxRetryAfterMs },
    ...(connect && { connect }),
  });
  const ends: ExchangeEnd[] = [];
  const protocol = {
    system: 'boarding',
    observe: () => (end: ExchangeEnd) => void ends.push(end),
    authorization: async () => ({}),
    unwrap: openPlain,
    secrets: () => [],
  };
  const client = byHand(partnerClient(OPERATIONS, protocol, http));
  return { client, connections, ends, sent: () => requests.map((request) => request.split(' ')[1]) };
}

const PAUSED = { failure: 'Paused', code: '429' };
const paused = (retryAfterMs: number, operation = 'get-status') => ({
  system: 'boarding',
  kind: 'RateLimited' satisfies PartnerErrorKind,
  fields: [],
  retryAfterMs,
  operation,
  reason: 'not sent: get-status got HTTP 429',
});

describe('a 429 holds for all calls of the account', () => {
  it.each([
    ['as long as it asks for', '429 Busy\r\nretry-after: 7', 7_000],
    ['at most as long as the limit', '429 Busy\r\nretry-after: 61', 60_000],
    ['a second if it names no time', '429 Busy', 1_000],
    ['a second if its time cannot be read', '429 Busy\r\nretry-after: soon', 1_000],
  ])('%s', async (_, head, ms) => {
    const { client, ends, sent } = clientOf([head]);
    await failureOf(client.getStatus({}));
    const beforeSending = vi.fn(async () => undefined);
    expect((await failureOf(client.getStatus({}))).details).toEqual(paused(ms));
    vi.advanceTimersByTime(ms - 1);
    expect((await failureOf(client.submit({}, { beforeSending }))).details).toEqual(paused(1, 'submit'));
    expect([sent(), beforeSending.mock.calls]).toEqual([['/status'], []]);
    vi.advanceTimersByTime(1);
    await client.submit({}, { beforeSending });
    expect(sent()).toEqual(['/status', '/submit']);
    expect(ends).toEqual([{ status: 429 }, PAUSED, PAUSED, { status: 200 }]);
  });

  it.each(['429 Busy\r\nretry-after: 0', '503 Busy'])('but not: %j', async (head) => {
    const { client, sent } = clientOf([head]);
    await failureOf(client.getStatus({}));
    await client.getStatus({});
    expect(sent()).toEqual(['/status', '/status']);
  });

  it('and a later one that asks for less does not end it sooner', async () => {
    const { client } = clientOf(['429 Busy\r\nretry-after: 7', '429 Busy\r\nretry-after: 1']);
    await Promise.all([failureOf(client.getStatus({})), failureOf(client.submit({}))]);
    expect((await failureOf(client.getStatus({}))).details).toEqual(paused(7_000));
  });

  it('even for a write that is connecting: it records no intent, and closes its connection', async () => {
    let connect = () => {};
    const { client, sent, connections, ends } = clientOf(
      ['429 Busy\r\nretry-after: 7'],
      (connected, attempt) => {
        if (attempt === 1) connect = () => connected(null);
        else queueMicrotask(() => connected(null));
      },
    );
    const beforeSending = vi.fn(async () => undefined);
    const write = failureOf(client.submit({}, { beforeSending }));
    await settled();
    await failureOf(client.getStatus({}));
    connect();
    expect((await write).details).toEqual(paused(7_000, 'submit'));
    expect(ends).toEqual([{ status: 429 }, PAUSED]);
    expect([sent(), beforeSending.mock.calls]).toEqual([['/status'], []]);
    await settled();
    expect(connections.map(isClosed)).toEqual([true, true]);
  });
});

it('a 503 that names a time holds for all calls of the account, as a 429 does', async () => {
  const { client, sent } = clientOf(['503 Maintenance\r\nretry-after: 7']);
  expect((await failureOf(client.submit({}))).kind).toBe('Uncertain');
  const held = { kind: 'RateLimited', retryAfterMs: 7_000, reason: 'not sent: submit got HTTP 503' };
  expect((await failureOf(client.submit({}))).details).toMatchObject(held);
  expect((await failureOf(client.getStatus({}))).details).toMatchObject(held);
  vi.advanceTimersByTime(7_000);
  await client.getStatus({});
  expect(sent()).toEqual(['/submit', '/status']);
});

describe('a redirect', () => {
  const TO = 'https://new.example.com/v3/submit';
  const to = (status: number) => `${status} Moved\r\nlocation: ${TO}?token=abc`;
  const HOUR = 3_600_000;

  it.each([307, 308])(
    '(%i) did nothing, names its target, and holds all calls for a minute',
    async (status) => {
      const { client, sent } = clientOf([to(status)], undefined, HOUR);
      const reason = `HTTP ${status} to ${TO}`;
      expect((await failureOf(client.submit({}))).details).toEqual({
        system: 'boarding',
        operation: 'submit',
        kind: 'NotSent',
        status,
        fields: [],
        reason,
        unreadable: 'submit',
      });
      const held = { kind: 'RateLimited', unreadable: 'submit', reason: `not sent: submit got ${reason}` };
      expect((await failureOf(client.submit({}))).details).toMatchObject(held);
      expect((await failureOf(client.getStatus({}))).details).toMatchObject({
        ...held,
        retryAfterMs: 60_000,
      });
      vi.advanceTimersByTime(60_000);
      await client.submit({});
      expect(sent()).toEqual(['/submit', '/submit']);
    },
  );

  it.each([300, 301, 302, 303])(
    '(%i) of a write may follow its success, and holds writes for an hour',
    async (status) => {
      const { client, sent } = clientOf([to(status)], undefined, HOUR);
      const reason = `HTTP ${status} to ${TO}`;
      expect((await failureOf(client.submit({}))).details).toMatchObject({
        kind: 'Uncertain',
        reason,
        unreadable: 'submit',
      });
      await client.getStatus({});
      const held = { kind: 'RateLimited', retryAfterMs: HOUR, unreadable: 'submit' };
      expect((await failureOf(client.submit({}))).details).toMatchObject(held);
      vi.advanceTimersByTime(HOUR);
      await client.submit({});
      expect(sent()).toEqual(['/submit', '/status', '/submit']);
    },
  );

  it('of a read holds all calls for a minute', async () => {
    const { client, sent } = clientOf(['302 Found\r\nlocation: /sign-in'], undefined, HOUR);
    const reason = 'HTTP 302 to /sign-in';
    expect((await failureOf(client.getStatus({}))).details).toMatchObject({ kind: 'Uncertain', reason });
    expect((await failureOf(client.submit({}))).details).toMatchObject({ retryAfterMs: 60_000 });
    expect(sent()).toEqual(['/status']);
  });

  it.each([
    ['', 'HTTP 308'],
    ['location: https://a.example/ada@example.com\r\n', 'HTTP 308 to https://a.example/[Redacted]'],
    [`location: /${'x'.repeat(500)}\r\n`, `HTTP 308 to /${'x'.repeat(170)}… (shortened, 501 characters)`],
  ])('with the header %j is %j', async (header, reason) => {
    const { client } = clientOf([`308 Moved\r\n${header}`.trimEnd()]);
    expect((await failureOf(client.getStatus({}))).details.reason).toBe(reason);
  });
});
