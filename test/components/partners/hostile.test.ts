import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { BoardingClient } from '../../../src/partners/boarding/client.js';
import type { ByHand } from '../../../src/partners/by-hand.js';
import { PartnerError } from '../../../src/partners/partner-error.js';
import { isWhole } from '../../rigs/partners/memory.js';
import { clientOf, socketServer } from '../../rigs/partners/servers.js';

/** How a call may end: with a response that was understood, or with the kind of a {@link PartnerError}. */
type End = 'understood' | 'NotSent' | 'Uncertain' | 'Rejected' | 'Unauthorized' | 'RateLimited';

/** Acts as the partner once a whole request has arrived. */
type Act = (socket: Socket) => void;

const LIMITS = {
  connectTimeoutMs: 500,
  headersTimeoutMs: 300,
  bodyTimeoutMs: 300,
  totalTimeoutMs: 1_000,
  maxBodyBytes: 100_000,
};

const WRITE = {
  cashDiscount: 'No',
  firstName: 'Adelheid',
  lastName: 'Zuckerbaecker',
  dba: 'Zuckerbaecker Sweets',
  pos: 'None',
  agentProfileId: 101,
  email: 'adelheid@example.com',
} as const;

/** Our credentials in each form, and the private data of the request. */
const SECRETS = ['s3cret', 'c2FuZGJveDpzM2NyZXQ=', 'Zuckerbaecker', 'Adelheid', 'adelheid@example.com'];

const created = '{"data":{"merchantProfileId":7001},"requestId":1}';

const say =
  (...parts: (string | Buffer)[]): Act =>
  (socket) => {
    for (const part of parts) socket.write(part);
    socket.end();
  };

/** A whole response with this body. */
const body = (content: string | Buffer, head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n') =>
  say(`${head}content-length: ${Buffer.byteLength(content)}\r\n\r\n`, content);

const status = (line: string, content = '', headers = '') =>
  body(content, `HTTP/1.1 ${line}\r\ncontent-type: application/json\r\n${headers}`);

/** Repeats a text as long as the other end listens. */
const endlessly =
  (begin: string, again: string | Buffer, everyMs = 0): Act =>
  (socket) => {
    socket.write(begin);
    const more = setInterval(() => socket.writable && socket.write(again), everyMs);
    socket.on('close', () => clearInterval(more));
  };

/** A mode for each of these values. */
const each = <Value>(
  values: readonly Value[],
  nameOf: (value: Value) => string,
  actOf: (value: Value) => Act,
) => Object.fromEntries(values.map((value) => [nameOf(value), actOf(value)]));

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

const levels = (inside = '') => body(`{"data":${'['.repeat(40_000)}${inside}${']'.repeat(40_000)}}`);
const json = (value: unknown) => JSON.stringify(value);
const ECHO = SECRETS.join(' ');

/** Every way in which a partner, or an impostor, can respond to a write that it should accept, and how the write then ends. */
const MODES: Readonly<Record<End, Readonly<Record<string, Act>>>> = {
  NotSent: {
    // It sends us elsewhere, and has done nothing.
    ...each(
      [307, 308],
      (code) => `redirects with ${code}`,
      (code) => status(`${code} Moved`, '', 'location: http://169.254.169.254/\r\n'),
    ),
    'redirects to itself': status('307 Temporary', '', 'location: /v2/merchants\r\n'),
  },
  Uncertain: {
    // It disconnects.
    'closes the connection': (socket) => socket.end(),
    'resets the connection': (socket) => socket.resetAndDestroy(),
    'never responds': () => undefined,
    'stops within the status line': say('HTTP/1.1 20'),
    'stops within the headers': say(`${OK}x-more: `),
    'stops within the body': say(`${OK}content-length: 100\r\n\r\n{"data":`),
    'stops within a chunk': say(CHUNKED, '8\r\n{"da'),
    'resets within the body': (socket) =>
      void socket.write(`${OK}content-length: 100\r\n\r\n{`, () => socket.resetAndDestroy()),
    // It does not end.
    'sends spaces for ever': endlessly(CHUNKED, '1\r\n \r\n', 10),
    'sends headers for ever': endlessly(OK, `x-${'x'.repeat(200)}: y\r\n`),
    'sends one header for ever': endlessly(`${OK}x: `, 'x'.repeat(1_000)),
    'sends digits for ever': endlessly(`${OK}\r\n{"data":`, '9'.repeat(10_000)),
    'sends 100 Continue for ever': endlessly('', 'HTTP/1.1 100 Continue\r\n\r\n', 5),
    'sends 103 Early Hints for ever': endlessly('', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n', 5),
    'stalls within the body': (socket) => void socket.write(`${OK}content-length: 9\r\n\r\n{`),
    // It is too large.
    'declares 10 GB': say(`${OK}content-length: 10000000000\r\n\r\n{`),
    'sends more than fits': body(`{"data":"${'x'.repeat(200_000)}"}`),
    'sends more than fits in chunks': say(CHUNKED, `30d40\r\n${'x'.repeat(200_000)}\r\n0\r\n\r\n`),
    'sends a body that unpacks to 50 MB': body(
      gzipSync(Buffer.alloc(50_000_000)),
      `${OK}content-encoding: gzip\r\n`,
    ),
    'sends 100 kB of headers': say(`${OK}x: ${'x'.repeat(100_000)}\r\n\r\n{}`),
    // It does not speak HTTP.
    'speaks SMTP': say('220 mail.example.com ESMTP\r\n'),
    'speaks HTTP/0.9': say(created),
    'speaks HTTP/2': say('HTTP/2 200\r\n\r\n'),
    'speaks TLS': say(Buffer.from('1503010002022a', 'hex')),
    'sends a status of four digits': status('2000 OK', created),
    'sends a status that is no number': status('OK', created),
    'sends the status 999': status('999 Odd', created),
    'sends the status 000': status('000 Odd', created),
    'switches protocols': status('101 Switching Protocols', '', 'upgrade: x\r\nconnection: upgrade\r\n'),
    'sends null bytes': say(Buffer.alloc(1_000)),
    'has a negative length': say(`${OK}content-length: -1\r\n\r\n${created}`),
    'has two lengths': say(`${OK}content-length: 3\r\ncontent-length: 49\r\n\r\n${created}`),
    'has a length and chunks': say(`${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    'has a chunk of no size': say(CHUNKED, 'xyz\r\n{}\r\n'),
    'has a chunk of a huge size': say(CHUNKED, `${'f'.repeat(30)}\r\n{}\r\n`),
    'has a header without a name': say(`${OK}: x\r\ncontent-length: 0\r\n\r\n`),
    'has a header with a null byte': say(`${OK}x: a\0b\r\ncontent-length: 0\r\n\r\n`),
    // It sends us elsewhere.
    ...each(
      [301, 302, 303],
      (code) => `redirects with ${code}`,
      (code) => status(`${code} Moved`, '', 'location: http://169.254.169.254/\r\n'),
    ),
    'redirects to a file': status('302 Found', '', 'location: file:///etc/passwd\r\n'),
    refreshes: status('200 OK', '', 'refresh: 0; url=http://169.254.169.254/\r\n'),
    'is overloaded': status('503 Unavailable', '<html>', 'retry-after: -1\r\n'),
    // It responds with something other than JSON.
    'responds with nothing': body(''),
    'responds without content': say('HTTP/1.1 204 No Content\r\n\r\n'),
    'responds with a page': body('<!doctype html><title>Sign in</title>'),
    'responds in XML': body('<merchantProfileId>7001</merchantProfileId>'),
    'responds with half of it': body(created.slice(0, -2)),
    'responds with it twice': body(created + created),
    'responds with a script': body(`callback(${created})`),
    'responds in UTF-16': body(Buffer.from(created, 'utf16le')),
    'responds with bytes that are no text': body(Buffer.from([0x22, 0xff, 0xfe, 0x22])),
    'responds with NaN': body('{"data":{"merchantProfileId":NaN}}'),
    'responds with a comment': body(`/* ok */ ${created}`),
    // It responds with other JSON.
    ...each(
      [
        'null',
        'true',
        '7',
        '"7"',
        '[]',
        '[[[]]]',
        '{}',
        ...['null', '[]', '{}', '""'].map((data) => `{"data":${data}}`),
      ],
      (other) => `responds with ${other}`,
      (other) => body(other),
    ),
    ...each(
      ['null', '"x"', '1.5', '1e400', '-1e400', '99999999999999999999', '{}', '[7001]', 'true'],
      (id) => `responds with the id ${id}`,
      (id) => body(`{"data":{"merchantProfileId":${id}}}`),
    ),
    'responds with a prototype': body('{"data":{"__proto__":{"merchantProfileId":7001}}}'),
    'responds with 40,000 levels': levels(),
    'responds with 40,000 levels around a long number': levels('1234567890123456'),
    'responds with 9,000 fields and no id': body(
      `{"data":{${Array.from({ length: 9_000 }, (_, at) => `"f${at}":1`).join()}}}`,
    ),
    // It repeats the request.
    'repeats everything in the status line': status(`500 ${ECHO}`),
    'repeats everything in a header': status('500 Oops', '', `x-echo: ${ECHO}\r\n`),
  },
  Rejected: {
    'wants proxy credentials': status('407 Proxy Authentication Required'),
    'is a teapot': status('418 Teapot'),
    'repeats everything in words': status('400 Bad', json({ data: null, error: ECHO, requestId: 1 })),
    'repeats everything as a name of a field': status('400 Bad', json({ errors: { [ECHO]: ['is wrong'] } })),
    'repeats everything in the names and words of a rejected field': status(
      '400 Bad',
      json({ data: null, validationResults: [{ memberNames: ['email'], errorMessage: ECHO }] }),
    ),
  },
  Unauthorized: {
    'challenges for other credentials': status('401 Unauthorized', '', 'www-authenticate: NTLM\r\n'),
  },
  RateLimited: {
    'rate limits us for ever': status('429 Too Many', '', 'retry-after: 1e30\r\n'),
    'rate limits us in words': status('429 Too Many', '', 'retry-after: soon\r\n'),
    'limits us twice': status('429 Too Many', '', 'retry-after: 1\r\nretry-after: 2\r\n'),
  },
  // It responds in an odd way.
  understood: {
    'sends a cookie': body(created, `${OK}set-cookie: s=1\r\n`),
    'sends fields that nobody asked for': say(
      `${OK}content-length: ${created.length}\r\n\r\n${created}`,
      `${OK}content-length: 2\r\n\r\n{}`,
    ),
    'sends further fields': body('{"data":{"merchantProfileId":7001,"x":{"y":[1]}},"z":null,"requestId":1}'),
    'has the content type of a page': body(created, 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n'),
    'has the id twice': body('{"data":{"merchantProfileId":7000,"merchantProfileId":7001},"requestId":1}'),
  },
};

const ROWS = Object.entries(MODES).flatMap(([end, modes]) =>
  Object.entries(modes).map(([mode, act]) => [mode, act, end as End] as const),
);

/** A partner that does this with the first request, and then behaves. */
async function partner(act: Act): Promise<ByHand<BoardingClient>> {
  let requests = 0;
  const { url } = await socketServer((socket) => {
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
      if (!isWhole(received)) return;
      received = '';
      requests += 1;
      if (requests === 1) act(socket);
      else body('{"data":[],"requestId":2}')(socket);
    });
  });
  return clientOf(url, { limits: LIMITS });
}

async function endOf(call: Promise<unknown>): Promise<{ end: End; text: string }> {
  try {
    return { end: 'understood', text: JSON.stringify(await call) };
  } catch (error) {
    if (!(error instanceof PartnerError)) throw error;
    return {
      end: error.kind as End,
      text: `${error.message}\n${error.stack}\n${JSON.stringify(error.details)}`,
    };
  }
}

// Proves P4.
describe('whatever a partner does, a write ends with a known outcome, and the next call is sent', () => {
  it.each(ROWS)('%s', async (_, act, expected) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const client = await partner(act);
    const { end, text } = await endOf(client.createMerchant(WRITE));
    expect(end).toBe(expected);
    if (end === 'understood') expect(JSON.parse(text)).toMatchObject({ merchantProfileId: 7001 });
    expect(text.split('\n')[0]?.length).toBeLessThan(500);
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    // A 429 holds for a second, a redirect for a minute.
    if (end === 'RateLimited' || end === 'NotSent') vi.advanceTimersByTime(60_000);
    expect(await client.listAgentProfiles({})).toEqual([]);
  });
});

it('there are at least eighty ways', () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(80);
});
