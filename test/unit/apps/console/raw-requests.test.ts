import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { clientOfCalls } from '../../../rigs/console/console-of-calls.js';
import { runConsole } from '../../../rigs/console/running-console.js';
import { shared } from '../../../rigs/shared.js';

const temporal = () => ({ client: clientOfCalls({}).client, env: { DOCUMENT_DIR: '/dev/null/documents' } });
const running = shared(async (until) => {
  const console = await runConsole(temporal(), {}, until);
  return { console, ada: await console.signedIn() };
});

/** Sends bytes that no client for HTTP would send. HOST and COOKIE stand for headers of a person who has signed in. */
async function sent(bytes: string): Promise<string> {
  const { console, ada } = running();
  const { host, port } = new URL(console.url);
  const cookie = `cookie: ${[...ada.cookies].map((pair) => pair.join('=')).join('; ')}\r\n`;
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    bytes.replaceAll('HOST', `connection: close\r\nhost: ${host}\r\n`).replaceAll('COOKIE', cookie),
  );
  return text(socket);
}

const FORM = 'content-type: application/x-www-form-urlencoded\r\n';
const CHUNKED = 'transfer-encoding: chunked\r\n';

it.each<[what: string, bytes: string, status: string]>([
  ['the address of another site', 'GET http://evil.example/ HTTP/1.1\r\nHOST\r\n', '303 See Other'],
  ['all addresses', 'OPTIONS * HTTP/1.1\r\nHOST\r\n', '404 Not Found'],
  ['no host, in an old version', 'GET / HTTP/1.0\r\n\r\n', '421 Misdirected Request'],
  [
    'another host',
    'GET / HTTP/1.1\r\nconnection: close\r\nhost: evil.example\r\nCOOKIE\r\n',
    '421 Misdirected Request',
  ],
  ['a forwarded host', 'GET / HTTP/1.1\r\nHOSTx-forwarded-host: evil.example\r\n\r\n', '303 See Other'],
  [
    'a sign-in at a forwarded host',
    'GET /sign-in HTTP/1.1\r\nHOSTx-forwarded-host: evil.example\r\n\r\n',
    '200 OK',
  ],
  ['its own headers back', 'TRACE / HTTP/1.1\r\nHOSTCOOKIE\r\n', '404 Not Found'],
  ['a folder above', 'GET /onboardings/.. HTTP/1.1\r\nHOSTCOOKIE\r\n', '404 Not Found'],
  ['two slashes', 'GET //evil.example/%2f.. HTTP/1.1\r\nHOST\r\n', '404 Not Found'],
  ['a backslash', 'GET /\\evil.example HTTP/1.1\r\nHOST\r\n', '404 Not Found'],
  [
    'two lengths',
    'POST /sign-out HTTP/1.1\r\nHOSTcontent-length: 3\r\ncontent-length: 5\r\n\r\nabcde',
    '400 Unreadable',
  ],
  [
    'a request within another',
    `POST /sign-out HTTP/1.1\r\nHOSTcontent-length: 3\r\n${CHUNKED}\r\n0\r\n\r\nGET / HTTP/1.1\r\nHOST\r\n`,
    '400 Unreadable',
  ],
  ['a folded header', 'GET / HTTP/1.1\r\nHOSTx: a\r\n b\r\n\r\n', '400 Unreadable'],
  ['a control character', 'GET /\u0001 HTTP/1.1\r\nHOST\r\n', '400 Unreadable'],
  ['a cookie of 20 kB', `GET / HTTP/1.1\r\nHOSTcookie: a=${'x'.repeat(20_000)}\r\n\r\n`, '431 Unreadable'],
  [
    'cookies that are no session',
    'GET / HTTP/1.1\r\nHOSTcookie: gangway-session=x; __proto__=y\r\n\r\n',
    '303 See Other',
  ],
  [
    'another method in a header',
    `POST /inbox/claims HTTP/1.1\r\nHOSTCOOKIE${FORM}x-http-method-override: GET\r\ncontent-length: 0\r\n\r\n`,
    '403 Forbidden',
  ],
])('a request for or with %s leads nowhere', async (_, bytes, status) => {
  const reply = await sent(bytes);
  const [line, ...rest] = reply.split('\r\n');
  expect([line, reply.split('HTTP/1.1 ').length - 1]).toEqual([`HTTP/1.1 ${status}`, 1]);
  // Neither a header nor a page names a place that the sender chose.
  expect(rest.join('\n')).not.toContain('evil');
  if (status.startsWith('303')) expect(reply).toMatch(/\r\nlocation: \/sign-in\r\n/);
});
