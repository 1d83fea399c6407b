import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { listeningConsole } from '../../../rigs/console/listening-console.js';
import { headOf, MULTIPART } from '../../../rigs/console/multipart.js';

/** Longer than any test waits. */
const LONG_MS = 300_000;
const LIMITS = { headersMs: LONG_MS, requestMs: 200, uploadMs: LONG_MS };

/** A connection that has sent this text. */
function sending(port: number, text: string) {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.setEncoding('utf8').on('data', (part) => {
    received += part;
  });
  socket.write(text);
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, ended, received: () => received };
}

const FORM = 'content-type: application/x-www-form-urlencoded';
const FILE = `content-type: ${MULTIPART['content-type']}`;

/** A request whose body has begun. */
const start = (host: string, line: string, type: string, body: string, length = '99999') =>
  `${line} HTTP/1.1\r\nhost: ${host}\r\n${type}\r\ncontent-length: ${length}\r\n\r\n${body}`;

/** Sends a part of a request, and waits for the end of the connection. @returns what it received */
async function unfinished(port: number, request: string): Promise<string> {
  const { ended, received } = sending(port, request);
  await ended;
  return received();
}

const SLOW = /^HTTP\/1\.1 408 Unreadable\r\n[\s\S]*\r\n\r\nThe request took too long to arrive\.\n$/;

it.each(['POST /sign-out', 'POST /no-such-page', 'PUT /'])(
  'a body that never ends is cut off without a session: %s',
  async (line) => {
    const port = await listeningConsole({ limits: LIMITS });
    expect(await unfinished(port, start('console.example.com', line, FORM, 'a'))).toMatch(SLOW);
  },
);

it.each([
  ['arrives too slowly', 'GET / HTTP/1.1\r\nhost: localhost\r\n', /^HTTP\/1\.1 408 .*took too long/s],
  ['is no HTTP', 'not http\r\n\r\n', /^HTTP\/1\.1 400 .*cannot be read/s],
  ['is too large', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431 .*too large/s],
])('a request whose head %s is refused without a page', async (_, head, refusal) => {
  const port = await listeningConsole({ limits: { headersMs: 200, requestMs: 400 } });
  expect(await unfinished(port, head)).toMatch(refusal);
});

it('a body has ten seconds, however steadily it arrives', async () => {
  const port = await listeningConsole();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const { socket, ended, received } = sending(
    port,
    start('console.example.com', 'POST /sign-out', FORM, 'a'),
  );
  // To poll would advance the clock.
  while (!timers.mock.calls.some(([, ms]) => ms === 10_000)) await othersTurn();
  socket.write('a');
  await vi.advanceTimersByTimeAsync(9_999);
  expect([socket.closed, received()]).toEqual([false, '']);
  await vi.advanceTimersByTimeAsync(1);
  await ended;
  expect(received()).toMatch(SLOW);
});

it('of what a person may send, a form is cut off as well, and a file may take its time', async () => {
  const port = await listeningConsole({ limits: LIMITS, hasProvider: false });
  const host = `127.0.0.1:${port}`;
  const head = `${headOf({ name: 'csrf' })}wrong\r\n`;
  const rest = '--a-boundary-of-this-form--\r\n';
  const length = `${head.length + rest.length}`;
  const file = sending(port, start(host, 'POST /batches', FILE, head, length));
  expect(await unfinished(port, start(host, 'POST /start/merchant', FORM, 'csrf=a'))).toMatch(SLOW);
  file.socket.write(rest);
  await expect.poll(file.received).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
});

it.each([
  ['what comes before its parts', ''],
  ['the header of a part', `--a-boundary-of-this-form\r\ncontent-disposition: form-data; name="`],
  ['a field', headOf({ name: 'csrf' })],
  ['what comes behind its parts', `${headOf({ name: 'a' })}b\r\n--a-boundary-of-this-form--\r\n`],
])('a form with files is read to its limit, and not further: %s', async (_, begin) => {
  const port = await listeningConsole({ hasProvider: false });
  const head = `POST /start/file HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${FILE}\r\ntransfer-encoding: chunked\r\n\r\n`;
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const { socket, ended, received } = sending(port, head + (begin && chunk(begin)));
  const mebibyte = chunk('x'.repeat(1024 * 1024));
  // The input of one onboarding has 2 MiB at most.
  for (let sent = 0; sent < 400 && received() === '' && !socket.closed; sent += 1)
    if (!socket.write(mebibyte)) await Promise.race([once(socket, 'drain').catch(() => undefined), ended]);
  await expect.poll(received).toMatch(/^HTTP\/1\.1 413 Payload Too Large\r\n/);
});
