import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { serverWithin } from '../../../src/http/server.js';

const REQUEST_MS = 800;

/** A server that responds to `GET /slow` after some time, and a connection to it over which this text was sent. */
async function connected(sent: string) {
  const server = serverWithin({ headersMs: 10_000, requestMs: REQUEST_MS });
  server.get('/slow', async () => {
    await sleep(300);
    return 'done';
  });
  server.post('/', async ({ body }) => body);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(async () => {
    socket.destroy();
    await server.close();
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(sent);
  await sleep(100);
  return { socket, close: () => server.close() };
}

/** How long a server takes to close, in milliseconds. */
async function closing({ close }: Awaited<ReturnType<typeof connected>>): Promise<number> {
  const begun = Date.now();
  await close();
  return Date.now() - begun;
}

const SLOW = 'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n';
const BODY = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\n';

it.each([
  ['has sent nothing', ''],
  ['has sent a part of the headers', 'GET /slow HTTP/1.1\r\nho'],
  ['keeps its connection after a response', `${BODY}done`],
])('a server that closes does not wait for a caller that %s', async (_, sent) => {
  expect(await closing(await connected(sent))).toBeLessThan(200);
});

it('a request under way gets its response, and with it the end of the connection', async () => {
  const connection = await connected(SLOW);
  const response = text(connection.socket);
  expect(await closing(connection)).toBeLessThan(1_000);
  expect(await response).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*connection: close\r\n[\s\S]*\r\n\r\ndone$/);
});

it('a body under way may arrive, but not for longer than a request may take', async () => {
  const arriving = await connected(`${BODY}do`);
  const response = text(arriving.socket);
  setTimeout(() => arriving.socket.write('ne'), 200);
  expect(await closing(arriving)).toBeLessThan(REQUEST_MS);
  expect(await response).toMatch(/\r\n\r\ndone$/);
  const endless = await connected(`${BODY}do`);
  expect(await closing(endless)).toBeGreaterThanOrEqual(REQUEST_MS - 50);
}, 5_000);
