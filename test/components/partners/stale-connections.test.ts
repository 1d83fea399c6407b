import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { clientOf, type Respond, recordingServer, responding } from '../../rigs/partners/servers.js';

const ROUNDS = 50;
const respond = responding(200, '{"data":[],"requestId":1}');

/** Promises keep-alive, and closes a connection when the next request arrives on it. */
function closingWhenReused(): Respond {
  const used = new Set<Socket>();
  return (response, request) => {
    if (used.has(request.socket)) request.socket.destroy();
    else respond(response, request);
    used.add(request.socket);
  };
}

/** Promises keep-alive, and closes the connection after its response. */
const closingAtOnce: Respond = (response, request) => {
  response.once('finish', () => setImmediate(() => request.socket.destroy()));
  respond(response, request);
};

describe('a partner that closes kept-alive connections', () => {
  it.each([
    ['when they are used again', closingWhenReused()],
    ['as soon as they are idle', closingAtOnce],
  ])('%s never makes the outcome of a write uncertain', async (_, respond) => {
    const partner = await recordingServer(respond);
    const client = clientOf(partner.url, { limits: { connections: 1 } });
    const outcomes = new Set<unknown>();
    for (let round = 0; round < ROUNDS; round += 1) {
      await client.getUnderwritingNotes({ id: 1 }).catch(() => undefined);
      outcomes.add(await client.setUnderwritingPending({ id: 1 }).catch((error: unknown) => error));
    }
    expect([...outcomes].filter((outcome) => outcome instanceof Error)).toEqual([]);
    const writes = partner.requests.filter(({ line }) => line.startsWith('POST'));
    expect(writes).toHaveLength(ROUNDS);
  });
});
