import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { LinkApi } from '../../../../src/apps/link/api.js';
import { createLogger } from '../../../../src/platform/process/logging.js';
import { HOST, runLink, upload } from '../../../rigs/link/running-link.js';
import { API_TOKEN, ASKED, DOCUMENTS, FIELDS, LINK, NAME, TOKEN } from '../../../rigs/link/stand-in-api.js';

const BEGAN = { ...ASKED, began: true };
const OTHER = 'z'.repeat(43);
const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202etxt.exe\u0007';

it('100 openings by scanners of mail change nothing and consume nothing', async () => {
  const { api, open } = await runLink();
  for (let round = 0; round < 50; round++)
    for (const method of ['GET', 'HEAD'] as const) {
      const headers = { 'user-agent': 'SafeLinks', 'sec-fetch-site': 'cross-site' };
      expect((await open(LINK, { method, headers })).statusCode).toBe(200);
    }
  expect(api.changes()).toEqual([]);
});

it.each([
  ['another token', `/a/${NAME}/${OTHER}`, 1],
  ['another name', `/a/L-zzzzzzzzzzzzzzzz/${TOKEN}`, 1],
  ['no name', `/a/x/${TOKEN}`, 0],
  ['no token', `/a/${NAME}/x`, 0],
  ['a GET of a form to no link', '/a/x/y/begin', 0],
  ['a GET of an answer to no link', '/a/x/y/propose', 0],
  ['another path', '/', 0],
  ['a way up', `/a/${NAME}/..%2f..%2fv1%2flinks`, 0],
  ['another origin', '//evil.example.com/%2e%2e', 0],
  ['what cannot be decoded', '/%ff', 0],
])('%s gets the same page as any other address that is not a link', async (_, url, calls) => {
  const { api, open } = await runLink();
  const expected = await open('/nowhere');
  const { statusCode, body, headers } = await open(url);
  expect([statusCode, body]).toEqual([404, expected.body]);
  expect(api.calls).toHaveLength(calls);
  expect(headers.location).toBeUndefined();
  expect(body).not.toContain(TOKEN);
});

it('a page shows the texts of others as text, and nothing of its address', async () => {
  const documents = [{ id: 1, fileName: HOSTILE, at: '2026-11-30T10:00:00Z' }];
  const texts = { dba: HOSTILE, text: HOSTILE, message: HOSTILE, documents };
  const wants = [
    { kind: 'documents', names: [HOSTILE] },
    { kind: 'fields', fields: [{ name: HOSTILE, label: HOSTILE }] },
    { kind: 'text' },
  ];
  for (const want of wants)
    for (const state of ['open', 'sent-back', 'received']) {
      const answer = { text: HOSTILE, remark: HOSTILE, documents: [1], values: { [HOSTILE]: HOSTILE } };
      const { open } = await runLink({ link: { ...BEGAN, ...texts, state, wants: want, answer } });
      const { body } = await open(LINK);
      expect(body).toContain('&lt;script>');
      expect(body).not.toMatch(/<script|<img|\p{Cc}|\u202e/u);
      expect(body.replaceAll(/action="[^"]*"|href="[^"]*change"/g, '')).not.toContain(TOKEN);
    }
});

it('a page lets a browser load nothing from elsewhere, keep nothing, and say nothing about its address', async () => {
  const { open, post } = await runLink();
  for (const { headers, statusCode } of [
    await open(LINK),
    await open('/x'),
    await post('begin'),
    await open('/%ff'),
  ])
    expect([statusCode, headers]).toMatchObject([
      expect.any(Number),
      {
        'cache-control': 'no-store',
        'content-security-policy':
          "default-src 'none';style-src 'self';img-src 'self';script-src 'sha256-TJ51d4Jb7FNTXksr0qyoHAPRB82vZKhjrnOeRMw2JSE=';form-action 'self';base-uri 'none';frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex',
        'x-frame-options': 'DENY',
        'strict-transport-security': expect.any(String),
      },
    ]);
  const { headers } = await open(LINK);
  expect(headers['set-cookie']).toBeUndefined();
});

it.each<[string, Record<string, string>, number]>([
  ['of another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['of another host of this site', { 'sec-fetch-site': 'same-site' }, 403],
  ['of another origin', { origin: 'https://evil.example.com' }, 403],
  ['of our origin', { origin: `https://${HOST}`, 'sec-fetch-site': 'same-origin' }, 303],
  ['of a page without a referrer', { origin: 'null' }, 303],
  ['to another host', { host: 'evil.example.com' }, 421],
  ['in JSON', { 'content-type': 'application/json' }, 415],
  ['with another method in a header', { 'x-http-method-override': 'GET' }, 303],
])('a form %s', async (_, headers, status) => {
  const { api, post } = await runLink();
  const { statusCode, body } = await post('begin', { text: 'typed elsewhere' }, headers);
  expect(statusCode).toBe(status);
  expect(api.changes()).toEqual(status === 303 ? ['begin'] : []);
  // As markup, it would be a form with a button.
  expect(body).not.toContain('typed elsewhere');
});

it('two tabs and a double click do no harm: the last answer counts, and the page says what is true', async () => {
  const { api, open, post } = await runLink({ link: BEGAN });
  const [first, second] = await Promise.all([
    post('propose', { text: 'one' }),
    post('propose', { text: 'two' }),
  ]);
  expect([first.headers.location, second.headers.location]).toEqual([LINK, LINK]);
  await post('begin');
  expect((await open(LINK)).body).toMatch(/Received, thank you.*>(one|two)</);
  // An old tab, after the clerk has confirmed.
  api.link = { state: 'closed', language: 'en', why: 'answered' };
  expect((await post('propose', { text: 'three' })).body).toContain('This question is answered');
  expect(api.changes()).toEqual(['propose', 'propose', 'begin']);
});

it('whoever sends too much waits, by address and by link, and the API is not asked', async () => {
  const { api, open, server } = await runLink({ settings: { LINK_REQUESTS_PER_MINUTE: '5' } });
  const from = (remoteAddress: string, url = LINK) =>
    server.inject({ url, remoteAddress, headers: { host: HOST } });
  for (let count = 0; count < 5; count++) expect((await from('192.0.2.1')).statusCode).toBe(200);
  const { statusCode, headers } = await from('192.0.2.1', '/x');
  expect([statusCode, Number(headers['retry-after'])]).toEqual([
    429,
    expect.toSatisfy((s: number) => s > 0 && s <= 60),
  ]);
  expect((await from('192.0.2.2')).statusCode).toBe(429);
  expect(api.calls).toHaveLength(5);
  expect((await from('192.0.2.2', '/x')).statusCode).toBe(404);
  // A network of IPv6 has many addresses, and is one sender.
  const statuses: number[] = [];
  for (const last of [1, 2, 3, 4, 5, 6]) statuses.push((await from(`2001:db8::${last}`, '/x')).statusCode);
  expect(statuses).toEqual([404, 404, 404, 404, 404, 429]);
  expect((await open('/healthz')).statusCode).toBe(200);
});

it('no log line has a token, a session, a code, or what a merchant typed', async () => {
  const { api, open, post, log } = await runLink({ link: { ...BEGAN, wants: DOCUMENTS } });
  const cookie = `link-session=${OTHER}`;
  await open(LINK, { headers: { cookie } });
  await post('propose', { document: '1', remark: 'typed' }, { cookie });
  await post('enter', { code: '424242' }, { cookie });
  await open(`${LINK}/documents`, upload('typed.pdf', '%PDF typed'));
  for (const response of [{ status: 500 }, { status: 200 }, { status: 0, hangUp: true as const }]) {
    api.instead = () => response;
    await open(LINK);
    await post('propose', { text: 'typed' });
  }
  await open(`/b/${NAME}/${TOKEN}?text=typed`);
  expect(log()).toContain('"path":"/a/:name/:token/propose"');
  for (const secret of [TOKEN, NAME, OTHER, API_TOKEN, '424242', 'typed'])
    expect(log()).not.toContain(secret);
});

it('the name of a file cannot end its header', async () => {
  const { api, open } = await runLink({ link: { ...BEGAN, wants: DOCUMENTS } });
  await open(`${LINK}/documents`, upload('a\\"; name=\\"token.pdf', '%PDF'));
  await open(`${LINK}/documents`, upload(`${'long'.repeat(100)}.pdf`, '%PDF'));
  const client = new LinkApi({ url: api.url, token: API_TOKEN }, createLogger('silent'));
  const file = (async function* () {
    yield Buffer.from('%PDF');
  })();
  await client.upload({ name: NAME, token: TOKEN }, 'a"\r\n\r\n--link-.pdf', file, 5_000);
  const stored = api.calls.filter(({ action }) => action === 'stored');
  expect(stored.map(({ body }) => body['fileName'])).toEqual([
    'a%22; name=%22token.pdf',
    expect.stringMatching(/^(long){49}\.pdf$/),
    'a%22%0D%0A%0D%0A--link-.pdf',
  ]);
});

it('the page has at most 40 kB with its style, and works without a script', async () => {
  const documents = Array.from({ length: 20 }, (_, id) => ({
    id,
    fileName: 'photo.jpg',
    at: ASKED.expiresAt,
  }));
  for (const wants of [FIELDS, DOCUMENTS]) {
    const { open } = await runLink({ link: { ...BEGAN, text: 'x'.repeat(4_000), documents, wants } });
    const { body } = await open(LINK);
    const [, style = ''] = /href="(\/assets\/[^"]+)"/.exec(body) ?? [];
    const { body: css } = await open(style);
    expect(body.length + css.length).toBeLessThan(40_000);
    expect(body).not.toContain('<script');
  }
});

it('a logo is a file of its own, and a script in it does not run', async () => {
  const { open } = await runLink({ settings: { LINK_LOGO_FILE: 'test/rigs/link/logo.svg' } });
  const [, path = ''] = /<img src="([^"]+)" alt="Acme Payments"/.exec((await open(LINK)).body) ?? [];
  const { headers, body } = await open(path);
  expect(headers).toMatchObject({
    'content-type': 'image/svg+xml',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  });
  expect(body).toContain('<svg');
});

describe('a body that does not end', () => {
  const listening = async (limits = { headersMs: 1_000, requestMs: 300, uploadMs: 1_000 }) => {
    const rig = await runLink({ link: { ...BEGAN, wants: DOCUMENTS }, limits });
    await rig.server.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect((rig.server.server.address() as AddressInfo).port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', () => undefined);
    const begin = (action: string, type: string, ...lines: string[]) =>
      socket.write(
        [`POST ${LINK}/${action} HTTP/1.1`, `host: ${HOST}`, `content-type: ${type}`, ...lines, '', ''].join(
          '\r\n',
        ),
      );
    return { ...rig, socket, begin, received: () => received };
  };
  const MULTIPART = 'multipart/form-data; boundary=b';
  const HEAD = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n';

  it('of 100 MB in chunks is refused at 10 MiB, and what came is not stored', async () => {
    const { api, socket, begin, received } = await listening({
      headersMs: 5_000,
      requestMs: 5_000,
      uploadMs: 60_000,
    });
    begin('documents', MULTIPART, 'transfer-encoding: chunked');
    const chunk = (content: Buffer) =>
      Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n')]);
    socket.write(chunk(Buffer.from(HEAD)));
    const mebibyte = chunk(Buffer.alloc(1024 * 1024));
    for (let count = 0; count < 100 && !socket.destroyed && !received().includes('</html>'); count++)
      if (!socket.write(mebibyte))
        await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
    await expect.poll(received).toContain('HTTP/1.1 413');
    expect(socket.bytesWritten).toBeLessThan(60 * 1024 * 1024);
    expect(api.calls.map(({ action }) => action)).not.toContain('stored');
  });

  it('of a form is ended soon, and of a file later', async () => {
    for (const [action, type, least] of [
      ['propose', 'application/x-www-form-urlencoded', 300],
      ['documents', MULTIPART, 1_000],
    ] as const) {
      const { api, socket, begin } = await listening();
      const from = Date.now();
      begin(action, type, 'content-length: 100000');
      socket.write(HEAD);
      await once(socket, 'close');
      expect(Date.now() - from).toBeGreaterThanOrEqual(least);
      expect(api.calls.map((call) => call.action)).not.toContain('stored');
    }
  });

  it('and is cut off leaves no document', async () => {
    const { api, socket, begin } = await listening();
    begin('documents', MULTIPART, 'content-length: 100000');
    socket.write(HEAD + 'x'.repeat(50_000));
    await expect.poll(() => api.calls.map(({ action }) => action)).toContain('documents');
    socket.destroy();
    await expect.poll(() => api.calls.map(({ action }) => action)).toContain('broken off');
    expect(api.calls.map(({ action }) => action)).not.toContain('stored');
  });

  it('of somebody without a link is not read', async () => {
    const { api, socket, received } = await listening();
    socket.write(
      `POST /a/${NAME}/${OTHER}/documents HTTP/1.1\r\nhost: ${HOST}\r\ncontent-type: ${MULTIPART}\r\ncontent-length: 9000000\r\n\r\n`,
    );
    await expect.poll(received).toContain('HTTP/1.1 404');
    expect(api.calls.map(({ action }) => action)).toEqual(['read']);
  });

  it('and cookies that are huge get a sentence', async () => {
    const { socket, received } = await listening();
    socket.write(`GET ${LINK} HTTP/1.1\r\nhost: ${HOST}\r\ncookie: a=${'x'.repeat(20_000)}\r\n\r\n`);
    await expect.poll(received).toMatch(/HTTP\/1\.1 431 .*Delete the cookies of this page/s);
  });

  it('and an absolute address leads nowhere else', async () => {
    const { socket, received } = await listening();
    socket.write(`GET http://evil.example.com${LINK} HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\n\r\n`);
    await once(socket, 'close');
    expect(received()).not.toContain('evil.example.com');
  });
});
