import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { BoardingClient } from '../../../src/partners/boarding/client.js';
import type { ByHand } from '../../../src/partners/by-hand.js';
import { PartnerError } from '../../../src/partners/partner-error.js';
import { clientOf, socketServer } from '../../rigs/partners/servers.js';

/** How a call may end: with a response that was understood, or with the kind of a {@link PartnerError}. */
type End = 'understood' | PartnerError['kind'];

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

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

/** Every way in which a partner, or an impostor, can respond to a write that it should accept. */
const MODES: readonly (readonly [mode: string, act: Act, end: End])[] = [
  // It disconnects.
  ['closes the connection', (socket) => socket.end(), 'Uncertain'],
  ['resets the connection', (socket) => socket.resetAndDestroy(), 'Uncertain'],
  ['never responds', () => undefined, 'Uncertain'],
  ['stops within the status line', say('HTTP/1.1 20'), 'Uncertain'],
  ['stops within the headers', say(`${OK}x-more: `), 'Uncertain'],
  ['stops within the body', say(`${OK}content-length: 100\r\n\r\n{"data":`), 'Uncertain'],
  ['stops within a chunk', say(CHUNKED, '8\r\n{"da'), 'Uncertain'],
  [
    'resets within the body',
    (socket) => {
      socket.write(`${OK}content-length: 100\r\n\r\n{`, () => socket.resetAndDestroy());
    },
    'Uncertain',
  ],
  // It does not end.
  ['sends spaces for ever', endlessly(CHUNKED, '1\r\n \r\n', 10), 'Uncertain'],
  ['sends headers for ever', endlessly(OK, `x-${'x'.repeat(200)}: y\r\n`), 'Uncertain'],
  ['sends one header for ever', endlessly(`${OK}x: `, 'x'.repeat(1_000)), 'Uncertain'],
  ['sends digits for ever', endlessly(`${OK}\r\n{"data":`, '9'.repeat(10_000)), 'Uncertain'],
  ['sends 100 Continue for ever', endlessly('', 'HTTP/1.1 100 Continue\r\n\r\n', 5), 'Uncertain'],
  [
    'sends 103 Early Hints for ever',
    endlessly('', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n', 5),
    'Uncertain',
  ],
  ['stalls within the body', (socket) => void socket.write(`${OK}content-length: 9\r\n\r\n{`), 'Uncertain'],
  // It is too large.
  ['declares 10 GB', say(`${OK}content-length: 10000000000\r\n\r\n{`), 'Uncertain'],
  ['sends more than fits', body(`{"data":"${'x'.repeat(200_000)}"}`), 'Uncertain'],
  [
    'sends more than fits in chunks',
    say(CHUNKED, `30d40\r\n${'x'.repeat(200_000)}\r\n0\r\n\r\n`),
    'Uncertain',
  ],
  [
    'sends a body that unpacks to 50 MB',
    body(gzipSync(Buffer.alloc(50_000_000)), `${OK}content-encoding: gzip\r\n`),
    'Uncertain',
  ],
  ['sends 100 kB of headers', say(`${OK}x: ${'x'.repeat(100_000)}\r\n\r\n{}`), 'Uncertain'],
  // It does not speak HTTP.
  ['speaks SMTP', say('220 mail.example.com ESMTP\r\n'), 'Uncertain'],
  ['speaks HTTP/0.9', say(created), 'Uncertain'],
  ['speaks HTTP/2', say('HTTP/2 200\r\n\r\n'), 'Uncertain'],
  ['speaks TLS', say(Buffer.from('1503010002022a', 'hex')), 'Uncertain'],
  ['sends a status of four digits', status('2000 OK', created), 'Uncertain'],
  ['sends a status that is no number', status('OK', created), 'Uncertain'],
  ['sends the status 999', status('999 Odd', created), 'Uncertain'],
  ['sends the status 000', status('000 Odd', created), 'Uncertain'],
  [
    'switches protocols',
    status('101 Switching Protocols', '', 'upgrade: x\r\nconnection: upgrade\r\n'),
    'Uncertain',
  ],
  ['sends null bytes', say(Buffer.alloc(1_000)), 'Uncertain'],
  ['has a negative length', say(`${OK}content-length: -1\r\n\r\n${created}`), 'Uncertain'],
  ['has two lengths', say(`${OK}content-length: 3\r\ncontent-length: 49\r\n\r\n${created}`), 'Uncertain'],
  [
    'has a length and chunks',
    say(`${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    'Uncertain',
  ],
  ['has a chunk of no size', say(CHUNKED, 'xyz\r\n{}\r\n'), 'Uncertain'],
  ['has a chunk of a huge size', say(CHUNKED, `${'f'.repeat(30)}\r\n{}\r\n`), 'Uncertain'],
  ['has a header without a name', say(`${OK}: x\r\ncontent-length: 0\r\n\r\n`), 'Uncertain'],
  ['has a header with a null byte', say(`${OK}x: a\0b\r\ncontent-length: 0\r\n\r\n`), 'Uncertain'],
  // It sends us elsewhere.
  ...[301, 302, 303, 307, 308].map(
    (code) =>
      [
        `redirects with ${code}`,
        status(`${code} Moved`, '', 'location: http://169.254.169.254/\r\n'),
        'Uncertain',
      ] as const,
  ),
  ['redirects to a file', status('302 Found', '', 'location: file:///etc/passwd\r\n'), 'Uncertain'],
  ['redirects to itself', status('307 Temporary', '', 'location: /v2/merchants\r\n'), 'Uncertain'],
  ['refreshes', status('200 OK', '', 'refresh: 0; url=http://169.254.169.254/\r\n'), 'Uncertain'],
  // It refuses.
  ['wants proxy credentials', status('407 Proxy Authentication Required'), 'Rejected'],
  ['is a teapot', status('418 Teapot'), 'Rejected'],
  [
    'challenges for other credentials',
    status('401 Unauthorized', '', 'www-authenticate: NTLM\r\n'),
    'Unauthorized',
  ],
  ['rate limits us for ever', status('429 Too Many', '', 'retry-after: 1e30\r\n'), 'RateLimited'],
  ['rate limits us in words', status('429 Too Many', '', 'retry-after: soon\r\n'), 'RateLimited'],
  ['limits us twice', status('429 Too Many', '', 'retry-after: 1\r\nretry-after: 2\r\n'), 'RateLimited'],
  ['is overloaded', status('503 Unavailable', '<html>', 'retry-after: -1\r\n'), 'Uncertain'],
  // It responds with something other than JSON.
  ['responds with nothing', body(''), 'Uncertain'],
  ['responds without content', say('HTTP/1.1 204 No Content\r\n\r\n'), 'Uncertain'],
  ['responds with a page', body('<!doctype html><title>Sign in</title>'), 'Uncertain'],
  ['responds in XML', body('<merchantProfileId>7001</merchantProfileId>'), 'Uncertain'],
  ['responds with half of it', body(created.slice(0, -2)), 'Uncertain'],
  ['responds with it twice', body(created + created), 'Uncertain'],
  ['responds with a script', body(`callback(${created})`), 'Uncertain'],
  ['responds in UTF-16', body(Buffer.from(created, 'utf16le')), 'Uncertain'],
  ['responds with bytes that are no text', body(Buffer.from([0x22, 0xff, 0xfe, 0x22])), 'Uncertain'],
  ['responds with NaN', body('{"data":{"merchantProfileId":NaN}}'), 'Uncertain'],
  ['responds with a comment', body(`/* ok */ ${created}`), 'Uncertain'],
  // It responds with other JSON.
  ...[
    'null',
    'true',
    '7',
    '"7"',
    '[]',
    '[[[]]]',
    '{}',
    '{"data":null}',
    '{"data":[]}',
    '{"data":{}}',
    '{"data":""}',
  ].map((json) => [`responds with ${json}`, body(json), 'Uncertain'] as const),
  ...['null', '"x"', '1.5', '1e400', '-1e400', '99999999999999999999', '{}', '[7001]', 'true'].map(
    (id) =>
      [`responds with the id ${id}`, body(`{"data":{"merchantProfileId":${id}}}`), 'Uncertain'] as const,
  ),
  ['responds with a prototype', body('{"data":{"__proto__":{"merchantProfileId":7001}}}'), 'Uncertain'],
  ['responds with 40,000 levels', body(`{"data":${'['.repeat(40_000)}${']'.repeat(40_000)}}`), 'Uncertain'],
  [
    'responds with 40,000 levels around a long number',
    body(`{"data":${'['.repeat(40_000)}1234567890123456${']'.repeat(40_000)}}`),
    'Uncertain',
  ],
  [
    'responds with 9,000 fields and no id',
    body(`{"data":{${Array.from({ length: 9_000 }, (_, at) => `"f${at}":1`).join()}}}`),
    'Uncertain',
  ],
  // It repeats the request.
  [
    'repeats everything in words',
    status('400 Bad Request', JSON.stringify({ data: null, error: SECRETS.join(' '), requestId: 1 })),
    'Rejected',
  ],
  [
    'repeats everything as a name of a field',
    status('400 Bad Request', JSON.stringify({ errors: { [SECRETS.join(' ')]: ['is wrong'] } })),
    'Rejected',
  ],
  ['repeats everything in the status line', status(`500 ${SECRETS.join(' ')}`), 'Uncertain'],
  ['repeats everything in a header', status('500 Oops', '', `x-echo: ${SECRETS.join(' ')}\r\n`), 'Uncertain'],
  [
    'repeats everything in the names and words of a rejected field',
    status(
      '400 Bad Request',
      JSON.stringify({
        data: null,
        validationResults: [{ memberNames: ['email'], errorMessage: SECRETS.join(' ') }],
      }),
    ),
    'Rejected',
  ],
  // It responds in an odd way.
  ['sends a cookie', body(created, `${OK}set-cookie: s=1\r\n`), 'understood'],
  [
    'sends fields that nobody asked for',
    say(`${OK}content-length: ${created.length}\r\n\r\n${created}`, `${OK}content-length: 2\r\n\r\n{}`),
    'understood',
  ],
  [
    'sends further fields',
    body('{"data":{"merchantProfileId":7001,"x":{"y":[1]}},"z":null,"requestId":1}'),
    'understood',
  ],
  [
    'has the content type of a page',
    body(created, 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n'),
    'understood',
  ],
  [
    'has the id twice',
    body('{"data":{"merchantProfileId":7000,"merchantProfileId":7001},"requestId":1}'),
    'understood',
  ],
];

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

function isWhole(request: string): boolean {
  const [head = '', ...rest] = request.split('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return rest.length > 0 && Buffer.byteLength(rest.join('\r\n\r\n')) >= length;
}

async function endOf(call: Promise<unknown>): Promise<{ end: End; shown: string }> {
  try {
    return { end: 'understood', shown: JSON.stringify(await call) };
  } catch (error) {
    if (!(error instanceof PartnerError)) throw error;
    return { end: error.kind, shown: `${error.message}\n${error.stack}\n${JSON.stringify(error.details)}` };
  }
}

describe('whatever a partner does, a write ends with a known outcome, and the next call is sent', () => {
  it.each(MODES)('%s', async (_, act, expected) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const client = await partner(act);
    const { end, shown } = await endOf(client.createMerchant(WRITE));
    expect(end).toBe(expected);
    if (end === 'understood') expect(JSON.parse(shown)).toMatchObject({ merchantProfileId: 7001 });
    expect(shown.split('\n')[0]?.length).toBeLessThan(500);
    for (const secret of SECRETS) expect(shown).not.toContain(secret);
    // A 429 holds for a second.
    if (end === 'RateLimited') vi.advanceTimersByTime(1_000);
    expect(await client.listAgentProfiles({})).toEqual([]);
  });
});

it('there are at least eighty ways', () => {
  expect(MODES.length).toBeGreaterThanOrEqual(80);
});
