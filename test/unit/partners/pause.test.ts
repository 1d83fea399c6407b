import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { byHand } from '../../../src/partners/by-hand.js';
import type { Operations } from '../../../src/partners/catalogue.js';
import { partnerClient } from '../../../src/partners/client.js';
import { openPlain } from '../../../src/partners/fields.js';
import type { ExchangeEnd } from '../../../src/partners/observers.js';
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
function clientOf(heads: readonly string[], connect?: MemoryOptions['connect']) {
  const left = [...heads];
  const { http, requests, connections } = memoryPartner({
    respond: (connection) => connection.end(response('{}', `HTTP/1.1 ${left.shift() ?? '200 OK'}`)),
    limits: { maxRetryAfterMs: 60_000 },
    ...(connect && { connect }),
  });
  const ends: ExchangeEnd[] = [];
  const protocol = {
    system: 'boarding',
    observe: () => (end: ExchangeEnd) => void ends.push(end),
    authorization: async () => ({}),
    open: openPlain,
    secrets: () => [],
  };
  const client = byHand(partnerClient(OPERATIONS, protocol, http));
  return { client, connections, ends, sent: () => requests.map((request) => request.split(' ')[1]) };
}

const PAUSED = { failure: 'Paused', code: '429' };
const paused = (retryAfterMs: number, operation = 'get-status') => ({
  ...{
    system: 'boarding',
    kind: 'RateLimited' satisfies PartnerErrorKind,
    fields: [],
    retryAfterMs,
    operation,
  },
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

  it.each(['429 Busy\r\nretry-after: 0', '503 Busy\r\nretry-after: 7'])('but not: %j', async (head) => {
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

  it('even for a write that is connecting: it makes no mark, and closes its connection', async () => {
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
