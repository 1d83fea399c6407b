import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { serverWithin } from '../../../../src/platform/http/server.js';

/** Longer than any test waits. */
const LONG_MS = 300_000;

/** A server whose `GET /slow` responds when the test wants it to, and a connection over which it has received this text. */
async function connected(sent: string, requestMs = LONG_MS) {
  const server = serverWithin({ headersMs: LONG_MS, requestMs });
  const steps = new EventEmitter();
  server.get('/slow', async () => {
    await once(steps, 'respond');
    return 'slow';
  });
  server.post('/', async ({ body }) => body);
  const closing = once(steps, 'close');
  server.addHook('preClose', async () => void steps.emit('close'));
  await server.listen({ host: '127.0.0.1', port: 0 });
  const accepted = once(server.server, 'connection') as Promise<[Socket]>;
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (part) => {
    received += part;
  });
  socket.on('error', () => undefined);
  const ended = once(socket, 'close');
  onTestFinished(async () => {
    socket.destroy();
    await server.close();
  });
  const [atServer] = await accepted;
  const send = async (more: string) => {
    const before = atServer.bytesRead;
    socket.write(more);
    await expect.poll(() => atServer.bytesRead - before).toBe(more.length);
  };
  if (sent !== '') await send(sent);
  const [respond, close] = [() => steps.emit('respond'), () => server.close()];
  return { send, respond, ended, closing, received: () => received, close };
}

const SLOW = 'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n';
const BODY = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\n';

it.each([
  ['has sent nothing', '', ''],
  ['has sent a part of the headers', 'GET /slow HTTP/1.1\r\nho', ''],
  ['keeps its connection after a response', `${BODY}done`, 'done'],
])('a server that closes does not wait for a caller that %s', async (_, sent, response) => {
  const { close, received, ended } = await connected(sent);
  await expect.poll(received).toMatch(new RegExp(`${response}$`));
  await close();
  await ended;
});

it('a connection takes one request after the other until the server closes', async () => {
  const { send, received } = await connected(`${BODY}done`);
  await expect.poll(received).toMatch(/done$/);
  await send(`${BODY}more`);
  await expect.poll(received).toMatch(/more$/);
  expect(received()).not.toContain('connection: close');
});

it('a request under way gets its response, and with it the end of the connection', async () => {
  const { close, closing, respond, received, ended } = await connected(SLOW);
  const closed = close();
  await closing;
  respond();
  await Promise.all([closed, ended]);
  expect(received()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*connection: close\r\n[\s\S]*\r\n\r\nslow$/);
});

it('a body under way may arrive, but not for longer than a request may take', async () => {
  const arriving = await connected(`${BODY}do`);
  const closed = arriving.close();
  await arriving.closing;
  await arriving.send('ne');
  await Promise.all([closed, arriving.ended]);
  expect(arriving.received()).toMatch(/\r\n\r\ndone$/);
  const endless = await connected(`${BODY}do`, 100);
  await Promise.all([endless.close(), endless.ended]);
  expect(endless.received()).not.toContain('200 OK');
});
