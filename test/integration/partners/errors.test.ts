import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { BoardingClient } from '../../../src/partners/boarding/client.js';
import { failureOf } from '../../rigs/partners/failure.js';
import {
  clientOf,
  closedPort,
  recordingServer,
  responding,
  socketServer,
} from '../../rigs/partners/servers.js';

const create = (client: BoardingClient, signal?: AbortSignal) =>
  client.createMerchant(
    {
      cashDiscount: 'No',
      firstName: 'Ada',
      lastName: 'Baker',
      dba: 'Corner Bakery',
      pos: 'None',
      agentProfileId: 101,
      email: 'ada@example.com',
    },
    signal && { signal },
  );

/** The error of a client at this URL. */
const failureAt = (url: string, limits = {}) => failureOf(create(clientOf(url, { limits })));

/** Runs `act` once a whole request of {@link create} was read from the socket. */
function onRequest(socket: Socket, act: () => void): void {
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
    if (received.endsWith('"email":"ada@example.com"}')) act();
  });
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

describe('the status of a response decides', () => {
  it.each([
    [400, 'Rejected'],
    [404, 'Rejected'],
    [409, 'Rejected'],
    [422, 'Rejected'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [429, 'RateLimited'],
    [408, 'Uncertain'],
    [500, 'Uncertain'],
    [502, 'Uncertain'],
    [503, 'Uncertain'],
    [504, 'Uncertain'],
    [301, 'Uncertain'],
    [304, 'Uncertain'],
  ])('%i is %s', async (status, kind) => {
    const { url } = await recordingServer(responding(status, ''));
    const error = await failureAt(url);
    expect(error.details).toEqual({
      system: 'boarding',
      operation: 'create-merchant',
      kind,
      status,
      fields: [],
      reason: `HTTP ${status}`,
    });
    expect(error.message).toBe(`boarding create-merchant: ${kind}, HTTP ${status}`);
  });

  it.each([302, 307, 308])('a redirect (%i) is not followed', async (status) => {
    const other = await recordingServer(responding(200, '{"data":{"merchantProfileId":1}}'));
    const { url } = await recordingServer(responding(status, '', { location: `${other.url}/elsewhere` }));
    expect(await failureAt(url)).toMatchObject({ kind: 'Uncertain', status });
    expect(other.connections()).toBe(0);
  });

  it('and the request is sent once: the client does not retry', async () => {
    const { url, requests } = await recordingServer(responding(503, '', { 'retry-after': '0' }));
    await failureAt(url);
    expect(requests).toHaveLength(1);
  });
});

describe('Retry-After', () => {
  const retryAfter = async (value: string, status = 429) => {
    const { url } = await recordingServer(responding(status, '', { 'retry-after': value }));
    return (await failureAt(url)).retryAfter;
  };

  it.each([
    ['120', 429, 120_000],
    ['0', 429, 0],
    ['30', 503, 30_000],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 429, 0],
    ['soon', 429, undefined],
  ])('%s (at a %i) is %s ms', async (value, status, expected) => {
    expect(await retryAfter(value, status)).toBe(expected);
  });

  it('may be a date in the future', async () => {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    const milliseconds = await retryAfter(inAMinute);
    expect(milliseconds).toBeGreaterThan(55_000);
    expect(milliseconds).toBeLessThanOrEqual(60_000);
  });

  it('is absent when the partner sends none', async () => {
    const { url } = await recordingServer(responding(429, ''));
    expect((await failureAt(url)).details).not.toHaveProperty('retryAfterMs');
  });
});

describe('NotSent: nothing left this machine', () => {
  it('when the connection is refused', async () => {
    const error = await failureAt(`http://127.0.0.1:${await closedPort()}`);
    expect(error.details).toMatchObject({ kind: 'NotSent', reason: 'ECONNREFUSED', fields: [] });
    expect(error.status).toBeUndefined();
  });

  it('when the name cannot be resolved', async () => {
    const error = await failureAt('https://partner.invalid');
    expect(error.kind).toBe('NotSent');
    expect(error.details.reason).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
  });

  it('when there is no TLS at the other end', async () => {
    const { port } = await socketServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const error = await failureAt(`https://127.0.0.1:${port}`);
    expect(error.kind).toBe('NotSent');
    expect(error.details.reason).toBe('ERR_SSL_WRONG_VERSION_NUMBER');
  });

  it('when the TLS handshake takes longer than connecting may', async () => {
    const { port } = await socketServer(() => undefined);
    const error = await failureAt(`https://127.0.0.1:${port}`, { connectTimeoutMs: 50 });
    expect(error.details).toMatchObject({ kind: 'NotSent', reason: 'UND_ERR_CONNECT_TIMEOUT' });
  });

  it('when the caller gave up before the call', async () => {
    const { url, connections } = await recordingServer(responding(200, ''));
    const error = await failureOf(create(clientOf(url), AbortSignal.abort()));
    expect(error.details).toMatchObject({ kind: 'NotSent', reason: 'AbortError' });
    expect(connections()).toBe(0);
  });

  it('when the caller gave up while it was connecting', async () => {
    const controller = new AbortController();
    const { port } = await socketServer((socket) =>
      socket.once('data', () => {
        controller.abort();
        // Closing the client waits for its connections.
        socket.destroy();
      }),
    );
    const error = await failureOf(create(clientOf(`https://127.0.0.1:${port}`), controller.signal));
    expect(error.details).toMatchObject({ kind: 'NotSent', reason: 'AbortError' });
  });

  it('when the call took too long while it waited for a connection', async () => {
    // Both must time out at once: otherwise the second goes out when the first releases the connection.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const totalTimeoutMs = 200;
    const { url } = await socketServer((socket) =>
      onRequest(socket, () => vi.advanceTimersByTime(totalTimeoutMs)),
    );
    const client = clientOf(url, { limits: { connections: 1, totalTimeoutMs } });
    const [first, second] = await Promise.all([failureOf(create(client)), failureOf(create(client))]);
    expect([first.kind, second.kind]).toEqual(['Uncertain', 'NotSent']);
    expect(second.details.reason).toBe('TimeoutError');
  });

  it('when the caller gave up while the call waited for a connection: it is never sent', async () => {
    const controller = new AbortController();
    const held: (() => void)[] = [];
    const partner = await recordingServer((response, { url }) => {
      const finish = () => response.end('{"data":null,"requestId":1}');
      if (url?.endsWith('id=1')) held.push(finish);
      else finish();
      controller.abort();
    });
    const client = clientOf(partner.url, { limits: { connections: 1 } });
    const first = client.setUnderwritingPending({ id: 1 });
    const second = await failureOf(client.setUnderwritingPending({ id: 2 }, { signal: controller.signal }));
    expect(second.details).toMatchObject({ kind: 'NotSent', reason: 'AbortError' });
    for (const finish of held) finish();
    await first;
    await client.setUnderwritingPending({ id: 3 });
    expect(partner.requests.map(({ line }) => line.at(-1))).toEqual(['1', '3']);
  });
});

describe('Uncertain: bytes went out and no reliable response came', () => {
  it('when the connection is cut after the request was read', async () => {
    const { url } = await socketServer((socket) => onRequest(socket, () => socket.destroy()));
    expect((await failureAt(url)).details).toMatchObject({ kind: 'Uncertain', reason: 'UND_ERR_SOCKET' });
  });

  it('when the connection is reset after the request was read', async () => {
    const { url } = await socketServer((socket) => onRequest(socket, () => socket.resetAndDestroy()));
    expect((await failureAt(url)).details).toMatchObject({ kind: 'Uncertain', reason: 'ECONNRESET' });
  });

  it('when the headers do not come in time', async () => {
    const { url } = await socketServer(() => undefined);
    const error = await failureAt(url, { headersTimeoutMs: 100 });
    expect(error.details).toMatchObject({ kind: 'Uncertain', reason: 'UND_ERR_HEADERS_TIMEOUT' });
  });

  it('when the body stops coming', async () => {
    const { url } = await socketServer((socket) =>
      onRequest(socket, () => socket.write(`${HEAD}content-length: 100\r\n\r\n{"data":`)),
    );
    const error = await failureAt(url, { bodyTimeoutMs: 100 });
    expect(error.details).toMatchObject({ kind: 'Uncertain', reason: 'UND_ERR_BODY_TIMEOUT' });
  });

  it('when the whole call takes too long, though the body keeps trickling', async () => {
    const { url } = await socketServer((socket) =>
      onRequest(socket, () => {
        socket.write(`${HEAD}content-length: 1000\r\n\r\n`);
        const trickle = setInterval(() => socket.write(' '), 10);
        socket.once('close', () => clearInterval(trickle));
      }),
    );
    const error = await failureAt(url, { totalTimeoutMs: 150, bodyTimeoutMs: 10_000 });
    expect(error.details).toMatchObject({ kind: 'Uncertain', reason: 'TimeoutError' });
  });

  it.each([
    ['by length', 'content-length: 100\r\n\r\n{"data":'],
    ['by chunks', 'transfer-encoding: chunked\r\n\r\n8\r\n{"data":\r\n'],
    ['by its end', '\r\n{"data":'],
  ])('when the body is cut half-way, delimited %s', async (_, rest) => {
    const { url } = await socketServer((socket) => onRequest(socket, () => socket.end(HEAD + rest)));
    expect(await failureAt(url)).toMatchObject({ kind: 'Uncertain' });
  });

  it('when what comes back is not HTTP', async () => {
    const { url } = await socketServer((socket) =>
      onRequest(socket, () => socket.end('220 mail.example ESMTP\r\n')),
    );
    expect(await failureAt(url)).toMatchObject({ kind: 'Uncertain', status: undefined });
  });

  it.each([
    ['head', true],
    ['chunked', false],
  ])('when the body is larger than allowed (%s)', async (_, head) => {
    const body = `{"data":"${'x'.repeat(2_000)}"}`;
    const { url } = await recordingServer((response) => {
      response.writeHead(200, head ? { 'content-length': body.length } : {});
      response.end(body);
    });
    const error = await failureAt(url, { maxBodyBytes: 1_000 });
    expect(error.details).toMatchObject({ kind: 'Uncertain', reason: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
  });

  it('when the caller gives up after bytes went out', async () => {
    const controller = new AbortController();
    const { url } = await socketServer((socket) => onRequest(socket, () => controller.abort()));
    const error = await failureOf(create(clientOf(url), controller.signal));
    expect(error.details).toMatchObject({ kind: 'Uncertain', reason: 'AbortError' });
  });

  it('and the partner sees that the caller has disconnected', async () => {
    const controller = new AbortController();
    let closed: Promise<unknown> | undefined;
    const { url } = await socketServer((socket) => {
      closed = once(socket, 'close');
      onRequest(socket, () => controller.abort());
    });
    await failureOf(create(clientOf(url), controller.signal));
    await expect(closed).resolves.toBeDefined();
  });
});
