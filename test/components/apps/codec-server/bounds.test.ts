import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  CLEAR,
  ENCRYPTED,
  LONG_LIMITS,
  runCodecServer,
  TOKEN,
} from '../../../rigs/codec-server/running-codec-server.js';

const BODY = `{"payloads":[${ENCRYPTED}]}`;

describe('a body', () => {
  it('with the name of an object property is rejected', async () => {
    const { call } = await runCodecServer();
    const { status, text } = await call('POST /decode', '{"payloads":[{"metadata":{"__proto__":""}}]}');
    expect([status, text]).toEqual([400, '{"message":"the body must be JSON"}']);
  });
});

describe('many requests at once', () => {
  it('are processed one by one, and health checks respond meanwhile', async () => {
    const { call, url } = await runCodecServer();
    const stuck = Array.from({ length: 8 }, () => halfSent(url));
    await Promise.all(stuck.map(({ connected }) => connected));
    let isAnswered = false;
    const waiting = call('POST /decode', BODY).then((reply) => {
      isAnswered = true;
      return reply;
    });
    expect((await call('GET /healthz', undefined, {})).status).toBe(200);
    expect((await call('POST /decode', BODY, {})).status).toBe(401);
    expect(isAnswered).toBe(false);
    stuck[0]?.end();
    expect((await waiting).text).toBe(`{"payloads":[${CLEAR}]}`);
    for (const { end } of stuck) end();
  });

  it('do not wait for callers that have disconnected', async () => {
    const { call, url } = await runCodecServer();
    const stuck = Array.from({ length: 20 }, () => halfSent(url));
    await Promise.all(stuck.map(({ connected }) => connected));
    for (const { end } of stuck) end();
    expect((await call('POST /decode', BODY)).status).toBe(200);
  });
});

describe('a slow caller', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['headers that never end', (socket) => dripping(socket, `${HEAD}\r\n`, 'x: y\r\n')],
    ['a header that never ends', (socket) => dripping(socket, `${HEAD}\r\nx: `, 'y')],
    ['nothing at all', () => undefined],
    [
      'a body that never ends',
      (socket) => dripping(socket, `${JSON_HEAD}content-length: 99999\r\n\r\n`, ' '),
    ],
    ['chunks that never end', (socket) => dripping(socket, CHUNKED, '1\r\n \r\n')],
    ['a body that stops', (socket) => void socket.write(`${JSON_HEAD}content-length: 9\r\n\r\n{`)],
  ])('is disconnected: %s', async (_, send) => {
    const { url } = await runCodecServer({ limits: { ...LONG_LIMITS, headersMs: 100, requestMs: 200 } });
    const [socket] = connections(url, 1);
    if (socket) {
      send(socket.resume());
      await closed(socket);
    }
  });

  it('that does not read its responses delays others only until it is disconnected', async () => {
    const { call, url } = await runCodecServer({ limits: { ...LONG_LIMITS, idleMs: 200 } });
    const large = `{"data":"${'A'.repeat(8_000_000)}"}`;
    const { text } = await call('POST /encode', `{"payloads":[${large}]}`);
    // More than are processed at once.
    for (const socket of connections(url, 9)) {
      socket.pause();
      socket.write(`${JSON_HEAD}content-length: ${text.length}\r\n\r\n${text}`);
    }
    expect((await call('POST /decode', BODY)).status).toBe(200);
  });
});

const HEAD = `POST /decode HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\nx-namespace: default`;
const JSON_HEAD = `${HEAD}\r\ncontent-type: application/json\r\n`;
const CHUNKED = `${JSON_HEAD}transfer-encoding: chunked\r\n\r\n`;

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));
}

/** Until the running test ends. */
function connections(url: string, count: number): Socket[] {
  return Array.from({ length: count }, () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    return socket;
  });
}

/** Writes a beginning, then the same again and again. */
function dripping(socket: Socket, begin: string, again: string): void {
  socket.write(begin);
  const more = setInterval(() => socket.write(again), 20);
  socket.on('close', () => clearInterval(more));
}

/** A request with a valid token whose body is incomplete. */
function halfSent(url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  const connected = new Promise<void>((resolve) => socket.once('data', () => resolve()));
  socket.write(`${JSON_HEAD}content-length: 9\r\nexpect: 100-continue\r\n\r\n{`);
  return { connected, end: () => socket.destroy() };
}
