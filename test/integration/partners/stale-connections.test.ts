import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../rigs/partners/failure.js';
import {
  clientOf,
  type Respond,
  recordingServer,
  responding,
  socketServer,
} from '../../rigs/partners/servers.js';

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

  it('may hit a read, which is repeated', async () => {
    const partner = await recordingServer(closingWhenReused());
    const client = clientOf(partner.url, { limits: { connections: 1 } });
    const read = () => client.getUnderwritingNotes({ id: 1 });
    expect(await read()).toEqual([]);
    expect(await failureOf(read())).toMatchObject({ kind: 'Uncertain', status: undefined });
    expect(await read()).toEqual([]);
  });

  it.each(['end', 'resetAndDestroy'] as const)(
    'while a write is about to be sent (%s) gets it once, on a new one',
    async (how) => {
      const connections: Socket[] = [];
      const requests: string[] = [];
      const { url } = await socketServer((socket) => {
        const isFirst = connections.push(socket) === 1;
        socket.on('data', (chunk) => {
          requests.push(String(chunk).split(' ')[0] ?? '');
          if (!isFirst) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 25\r\n\r\n{"data":[],"requestId":1}');
        });
      });
      const beforeSending = async () => void connections[0]?.[how]();
      await clientOf(url).setUnderwritingPending({ id: 1 }, { beforeSending });
      expect(connections).toHaveLength(2);
      expect(requests).toEqual(['POST']);
    },
  );
});
