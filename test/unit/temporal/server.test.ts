import { expect, it } from 'vitest';
import { serverGaps } from '../../../src/temporal/server.js';
import { answering, grpcError } from '../../rigs/temporal/answering-service.js';

/** The gaps of a server that responds so. */
async function gapsOf(serverVersion: string, error: Parameters<typeof grpcError>[0], syncUpdate: boolean) {
  const { client } = answering({
    getSystemInfo: () => ({ serverVersion }),
    describeActivityExecution: () => Promise.reject(grpcError(error)),
  });
  const { gaps } = await serverGaps(client, { namespaceInfo: { capabilities: { syncUpdate } } });
  return gaps.map(({ gap }) => gap);
}

it('a server lacks what it refuses, and not what it only does not find', async () => {
  expect(await gapsOf('1.31.0', 'NOT_FOUND', true)).toEqual([]);
  expect(await gapsOf('1.9.0', 'UNIMPLEMENTED', false)).toEqual([
    expect.stringMatching(/^server 1\.9\.0 is too old/),
    expect.stringMatching(/^standalone activities are off/),
    expect.stringMatching(/^updates are off/),
  ]);
});
