import { expect, it } from 'vitest';
import { z } from 'zod';
import { byHand } from '../../../src/partners/by-hand.js';
import type { Operations } from '../../../src/partners/catalogue.js';
import { type Credentials, partnerClient } from '../../../src/partners/client.js';
import { openPlain } from '../../../src/partners/fields.js';
import type { ExchangeEnd } from '../../../src/partners/observers.js';
import { failureOf } from '../../rigs/partners/failure.js';
import { memoryPartner, response } from '../../rigs/partners/memory.js';

const request = z.object({ id: z.number(), text: z.string().optional() });
const shared = { request, response: z.unknown(), provenance: 'documented' } as const;
const OPERATIONS = {
  getStatus: { ...shared, summary: 'a read', method: 'GET', path: '/v1/:id/status', effect: 'read' },
  submit: { ...shared, summary: 'a write', method: 'POST', path: '/v1/submit', effect: 'once' },
} as const satisfies Operations;

const CREDENTIALS = { 'x-partner': '7', 'x-app': 'gangway' };

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
      open: openPlain,
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
      ...[2, 2, [{ ...CREDENTIALS, authorization: 'Bearer first' }]],
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
