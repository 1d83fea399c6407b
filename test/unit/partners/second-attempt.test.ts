import { expect, it } from 'vitest';
import { z } from 'zod';
import { byHand } from '../../../src/partners/by-hand.js';
import type { Operations } from '../../../src/partners/catalogue.js';
import { type Credentials, partnerClient } from '../../../src/partners/client.js';
import type { ExchangeEnd } from '../../../src/partners/exchange-observers.js';
import { openPlain } from '../../../src/partners/field-schemas.js';
import { failureOf } from '../../rigs/partners/failure.js';
import { memoryPartner, response } from '../../rigs/partners/memory.js';

const request = z.object({ id: z.number(), text: z.string().optional() });
const shared = { request, response: z.unknown(), provenance: 'documented' } as const;
const OPERATIONS = {
  getStatus: { ...shared, summary: 'a read', method: 'GET', path: '/v1/:id/status', effect: 'read' },
  submit: { ...shared, summary: 'a write', method: 'POST', path: '/v1/submit', effect: 'once' },
} as const satisfies Operations;

const CREDENTIALS = { 'x-partner': '7', 'x-app': 'gangway' };

/** What the partner writes for a write, and for the reads after it. */
interface Refusing {
  readonly write: string;
  /** The last one is also that of all further reads. */
  readonly reads: readonly [string, ...string[]];
}

/** A client of a partner whose every write gets one status, and the reads others. */
function answering({ write, reads }: Refusing) {
  const left = [...reads];
  const nextRead = () => (left.length > 1 ? left.shift() : left[0]);
  const { http, requests } = memoryPartner({
    respond: (connection, sent) =>
      connection.end(response('{}', `HTTP/1.1 ${sent.startsWith('POST') ? write : nextRead()}`)),
  });
  const operations = {
    ...OPERATIONS,
    list: {
      ...shared,
      request: z.object({}),
      summary: 'a list',
      method: 'GET',
      path: '/v1/all',
      effect: 'read',
    },
  } as const satisfies Operations;
  const protocol = {
    system: 'banking',
    unwrap: openPlain,
    secrets: () => [],
    probe: 'list',
    authorization: async () => ({ authorization: 'Bearer first' }),
    reauthorize: async () => ({ authorization: 'Bearer second' }),
  };
  return { client: byHand(partnerClient(operations, protocol, http)), requests };
}

const linesOf = (requests: readonly string[]) =>
  requests.map((each) => {
    const [line] = each.split('\r\n', 1);
    return `${line?.split(' ').slice(0, 2).join(' ')} ${/authorization: Bearer (\w+)/.exec(each)?.[1]}`;
  });

// Catches a write that is sent again although the partner may have saved it: the token works, so the 401 is of the write alone.
it('a write is not sent again after a 401 if a read with the same token works', async () => {
  const { client, requests } = answering({ write: '401 Unauthorized', reads: ['200 OK'] });
  const failure = await failureOf(client.submit({ id: 4711 }));
  expect(failure).toMatchObject({ kind: 'Unauthorized', details: { refusesReads: false } });
  expect(linesOf(requests)).toEqual(['POST /v1/submit first', 'GET /v1/all first']);
});

// Catches a write that is sent twice, because the partner saved and refused it, and refused one read by chance.
it('a write is not sent again after a 401 if the second read with the same token works', async () => {
  const { client, requests } = answering({
    write: '401 Unauthorized',
    reads: ['401 Unauthorized', '200 OK'],
  });
  expect((await failureOf(client.submit({ id: 4711 }))).details).toMatchObject({ refusesReads: false });
  expect(linesOf(requests)).toEqual(['POST /v1/submit first', 'GET /v1/all first', 'GET /v1/all first']);
});

// Catches a token that ended, about which a person would be asked.
it('a write is sent again with another token if two reads with the same one get a 401 as well', async () => {
  const { client, requests } = answering({ write: '401 Unauthorized', reads: ['401 Unauthorized'] });
  expect((await failureOf(client.submit({ id: 4711 }))).details).toMatchObject({ refusesReads: true });
  expect(linesOf(requests)).toEqual([
    'POST /v1/submit first',
    'GET /v1/all first',
    'GET /v1/all first',
    'POST /v1/submit second',
    'GET /v1/all second',
    'GET /v1/all second',
    'POST /v1/submit second',
    'GET /v1/all second',
    'GET /v1/all second',
  ]);
});

it.each([
  ['403 Forbidden', '200 OK', false, 1],
  ['403 Forbidden', '403 Forbidden', true, 2],
  // A limit asks for a repeat, and may hold for writes alone. It costs no read.
  ['429 Too Many Requests', '200 OK', undefined, 0],
  ['403 Forbidden\r\nRetry-After: 60', '200 OK', undefined, 0],
  // Nothing is proven by a read that fails in another way.
  ['403 Forbidden', '500 Internal Server Error', false, 1],
  ['400 Bad Request', '400 Bad Request', undefined, 0],
] as const)('a write that gets %s, and reads that get %s', async (write, read, refusesReads, reads) => {
  const { client, requests } = answering({ write, reads: [read] });
  expect((await failureOf(client.submit({ id: 4711 }))).details.refusesReads).toBe(refusesReads);
  expect(requests).toHaveLength(1 + reads);
});

/** A client of a partner that refuses the credentials this many times. Each time it gets another token. */
function refusing(times: number) {
  let left = times;
  const { http, requests } = memoryPartner({
    respond(connection) {
      left -= 1;
      connection.end(response('{}', `HTTP/1.1 ${left >= 0 ? '401 Unauthorized' : '200 OK'}`));
    },
  });
  const ends: ExchangeEnd[] = [];
  const refused: Credentials[] = [];
  const client = partnerClient(
    OPERATIONS,
    {
      system: 'boarding',
      observe: () => (end: ExchangeEnd) => void ends.push(end),
      authorization: async () => ({ ...CREDENTIALS, authorization: 'Bearer first' }),
      async reauthorize(credentials) {
        refused.push(credentials);
        return { ...CREDENTIALS, authorization: 'Bearer second' };
      },
      unwrap: openPlain,
      secrets: () => [],
    },
    http,
  );
  return { client: byHand(client), requests, ends, refused };
}

it.each(['getStatus', 'submit'] as const)(
  'after a 401, %s is sent once more, the same in all but its token',
  async (operation) => {
    const { client, requests, ends, refused } = refusing(1);
    await client[operation]({ id: 4711, text: 'x' });
    const [first = '', second = ''] = requests;
    for (const part of [
      'x-partner: 7',
      'x-app: gangway',
      'accept: application/json',
      'authorization: Bearer first',
    ])
      expect(first).toContain(part);
    expect(second.replace('Bearer second', 'Bearer first')).toBe(first);
    expect([requests.length, ends.length, refused]).toEqual([
      2,
      2,
      [{ ...CREDENTIALS, authorization: 'Bearer first' }],
    ]);
  },
);

it.each(['getStatus', 'submit'] as const)('a third 401 of %s ends the call', async (operation) => {
  const { client, requests, ends } = refusing(3);
  expect(await failureOf(client[operation]({ id: 4711 }))).toMatchObject({
    kind: 'Unauthorized',
    status: 401,
  });
  expect([requests.length, ends]).toEqual([3, Array(3).fill({ status: 401 })]);
});
