import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { paymentsClientOf } from '../../../../src/partners/payments/client.js';
import type { PaymentsCatalogue, VersionedPath } from '../../../../src/partners/payments/schemas.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { recordingServer, responding } from '../../../rigs/partners/servers.js';

/** Each prefix of apis/3. For those that do not exist, see test/unit/partners/payments/versions.test.ts. */
const THERE_ARE: readonly VersionedPath[] = [
  '/v1/accounts',
  '/v2/accounts',
  '/v1/accounts/a-1',
  '/v2/terminals',
  '/v1/locations',
  '/v1/transactions',
  '/v1/transactions/t-1',
  '/v3/payment',
  '/v3/preauth',
  '/v1/payments/t-1/capture',
  '/v3/payments/t-1/capture',
  '/v3/refund',
  '/v1/batches',
  '/v5/apikeys',
  '/v5/apikeys/k-1',
];

const BY_HAND = {
  summary: 'written by hand',
  method: 'GET',
  effect: 'read',
  provenance: 'assumed',
  request: z.strictObject({}),
  response: z.unknown(),
} as const;

/** Calls an operation with any path, as a caller without types can. */
async function callAt(path: string) {
  const server = await recordingServer(responding(200, '{}'));
  const operations = { byHand: { ...BY_HAND, path } } as unknown as PaymentsCatalogue;
  const client = paymentsClientOf(operations, { url: server.url, apiKey: 'k3y', environment: 'uat' });
  onTestFinished(() => client.close());
  return { call: client['byHand']?.({}) ?? Promise.reject(new Error('no such operation')), server };
}

describe('a path', () => {
  it.each(THERE_ARE)('%s is sent', async (path) => {
    const { call, server } = await callAt(path);
    await call;
    expect(server.requests.map(({ line }) => line)).toEqual([`GET ${path}`]);
  });

  it('that does not exist costs no call', async () => {
    const { call, server } = await callAt('/v5/payments');
    expect(await failureOf(call)).toMatchObject({ kind: 'Rejected', status: undefined });
    expect(server.connections()).toBe(0);
  });
});
