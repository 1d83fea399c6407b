import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Operation } from '../../../src/partners/catalogue.js';
import { partnerClient } from '../../../src/partners/client.js';
import { PartnerHttp } from '../../../src/partners/http.js';
import { recordingServer, responding } from '../../rigs/partners/servers.js';

const PING = {
  summary: 'an operation of this test alone, because Node prints each warning once per process',
  method: 'POST',
  path: '/ping',
  effect: 'read',
  request: z.strictObject({}),
  response: z.unknown(),
} as const satisfies Operation;
const OPERATIONS = { ping: PING, pingV1: { ...PING, deprecated: 'use ping' } };

it('a deprecated operation causes one warning per process, and no other operation does', async () => {
  const warnings: Error[] = [];
  const keep = (warning: Error) => warnings.push(warning);
  process.on('warning', keep);
  onTestFinished(() => void process.off('warning', keep));
  const { url, requests } = await recordingServer(responding(200, '{}'));
  const clients = [1, 2].map(() => {
    const http = new PartnerHttp(url);
    onTestFinished(() => http.close());
    const protocol = {
      system: 'retired',
      authorization: async () => ({}),
      unwrap: () => ({ failed: false, fields: [] }),
      secrets: () => [],
    };
    return partnerClient(OPERATIONS, protocol, http);
  });

  const warned = once(process, 'warning');
  for (const client of [...clients, ...clients]) await client.pingV1({});
  await clients[0]?.ping({});
  await warned;
  await setImmediate();
  expect(requests).toHaveLength(5);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatchObject({
    name: 'DeprecationWarning',
    code: 'GANGWAY_retired_ping-v1',
    message: 'retired ping-v1 is deprecated: use ping',
  });
});
