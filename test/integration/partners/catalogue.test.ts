import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Operations } from '../../../src/partners/catalogue.js';
import { partnerClient } from '../../../src/partners/client.js';
import { PartnerHttp } from '../../../src/partners/http.js';
import { recordingServer, responding } from '../../rigs/partners/servers.js';

/** A partner with one operation of each form that a catalogue supports. */
const OPERATIONS = {
  renameCard: {
    summary: 'a field in the path, one in the query, the rest in the body',
    method: 'PUT',
    path: '/owners/{owner}/cards/{cardId}',
    query: ['notify'],
    effect: 'idempotent',
    provenance: 'assumed',
    request: z.object({
      owner: z.string(),
      cardId: z.number(),
      notify: z.string().optional(),
      name: z.string().optional(),
    }),
    response: z.unknown(),
  },
} as const satisfies Operations;

async function partner() {
  const { url, requests } = await recordingServer(responding(200, '{}'));
  const http = new PartnerHttp(url);
  onTestFinished(() => http.close());
  const protocol = {
    system: 'cards',
    authorization: async () => ({ 'x-key': 'k' }),
    open: () => ({ failed: false, fields: [] }),
    secrets: () => [],
  };
  return { client: partnerClient(OPERATIONS, protocol, http), requests };
}

describe('a request field goes where the catalogue puts it', () => {
  it('into the path, the query or the body, each with its encoding', async () => {
    const { client, requests } = await partner();
    await client.renameCard({ owner: 'a/b?c=ä', cardId: 7, notify: 'a&b=c d', name: 'Ada & Co' });
    expect(requests[0]?.line).toBe('PUT /owners/a%2Fb%3Fc%3D%C3%A4/cards/7?notify=a%26b%3Dc+d');
    expect(requests[0]?.headers['x-key']).toBe('k');
    expect(requests[0]?.body.toString('utf8')).toBe('{"name":"Ada & Co"}');
  });

  it('and nowhere when it is absent', async () => {
    const { client, requests } = await partner();
    await client.renameCard({ owner: 'a', cardId: 7 });
    expect(requests[0]?.line).toBe('PUT /owners/a/cards/7');
    expect(requests[0]?.headers['content-type']).toBeUndefined();
    expect(requests[0]?.body).toHaveLength(0);
  });
});
