import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { generate } from 'selfsigned';
import type { buildConnector } from 'undici';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { proxyVerdict } from '../../../../src/apps/command/system/doctor/doctor.js';
import { PartnerHttp, TransportError } from '../../../../src/partners/http.js';
import { describeReason } from '../../../../src/partners/text-limits.js';
import { connectorFor, fetchThroughProxy, proxyFor } from '../../../../src/platform/http/proxy.js';
import { lazyClient } from '../../../../src/temporal/connection.js';
import { whyUnavailable } from '../../../../src/temporal/unavailable.js';
import { listening } from '../../../rigs/listening.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { testEnds } from '../../../rigs/shared.js';

beforeEach(() => {
  for (const name of ['https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY', 'grpc_proxy'])
    vi.stubEnv(name, '');
  testEnds(() => void vi.unstubAllEnvs());
});

const PROXY = 'http://gateway.example.com:3128';

it.each<[env: Record<string, string>, host: string, port: string, proxy: string | undefined]>([
  [{}, 'boarding.example.com', '', undefined],
  [{ HTTPS_PROXY: PROXY }, 'boarding.example.com', '', 'http://gateway.example.com:3128/'],
  [{ https_proxy: PROXY }, 'boarding.example.com', '', 'http://gateway.example.com:3128/'],
  [
    { HTTPS_PROXY: 'gateway.example.com:3128' },
    'boarding.example.com',
    '',
    'http://gateway.example.com:3128/',
  ],
  // It is for http alone.
  [{ HTTP_PROXY: PROXY }, 'boarding.example.com', '', undefined],
  // Loopback never uses a proxy.
  ...['localhost', '127.0.0.1', '127.8.9.1', '[::1]'].map(
    (host): [Record<string, string>, string, string, undefined] => [
      { HTTPS_PROXY: PROXY },
      host,
      '',
      undefined,
    ],
  ),
  [{ HTTPS_PROXY: PROXY, NO_PROXY: '*' }, 'boarding.example.com', '', undefined],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: 'a.b, example.com' }, 'boarding.example.com', '', undefined],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: 'example.com' }, 'example.com', '', undefined],
  [{ HTTPS_PROXY: PROXY, no_proxy: '.EXAMPLE.com' }, 'boarding.example.com', '', undefined],
  [{ HTTPS_PROXY: PROXY, no_proxy: '*.example.com' }, 'boarding.example.com', '', undefined],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: 'boarding.example.com:443' }, 'boarding.example.com', '443', undefined],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: 'ample.com' }, 'example.com', '', `${PROXY}/`],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: 'boarding.example.com:8443' }, 'boarding.example.com', '', `${PROXY}/`],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: ',' }, 'example.com', '', `${PROXY}/`],
])('with %j, %s:%s is reached through %s', (env, host, port, proxy) => {
  expect(proxyFor(host, port, env)?.href).toBe(proxy);
});

describe('a call to a partner', () => {
  /** A proxy that leads every tunnel to a server which calls itself boarding.example.com. */
  const office = async (status = 200) => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'boarding.example.com' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'boarding.example.com' }] }],
    });
    const received: string[] = [];
    const partner = createServer({ key, cert }, (request, response) => {
      received.push(`${request.method} ${request.url}`);
      response.end('{"id":1}');
    });
    const address = await listening(partner);
    const questions: unknown[] = [];
    const proxy = createProxy().on('connect', ({ url, headers }, socket) => {
      questions.push([url, headers['proxy-authorization']]);
      if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      const to = connect(Number(address.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(to).pipe(socket);
      });
      to.on('error', () => socket.destroy());
      socket.on('error', () => to.destroy());
      return undefined;
    });
    vi.stubEnv('HTTPS_PROXY', `http://ada:s%40crit%@${await listening(proxy)}`);
    const trusting = (options: buildConnector.BuildOptions) => connectorFor({ ...options, ca: cert });
    const http = new PartnerHttp('https://boarding.example.com', {}, trusting as typeof connectorFor);
    testEnds(() => http.close());
    return { http, questions, received };
  };
  const AS_ADA = ['boarding.example.com:443', `Basic ${btoa('ada:s@crit%')}`];
  const CALL = { method: 'POST', path: '/a', headers: {}, body: '{}' } as const;

  it.each([false, true])(
    'goes through a tunnel of the proxy, a write on its own: %s',
    async (ownConnection) => {
      const { http, questions, received } = await office();
      const { status, body } = await http.send({ ...CALL, ownConnection });
      expect([status, body.toString(), questions, received]).toEqual([
        200,
        '{"id":1}',
        [AS_ADA],
        ['POST /a'],
      ]);
    },
  );

  it('that the proxy refuses was certainly not sent', async () => {
    const { http, received } = await office(407);
    const beforeSending = vi.fn(async () => undefined);
    const sending = http.send({ ...CALL, ownConnection: true, beforeSending });
    const { code, sent } = await failureOf(sending, TransportError);
    expect([code, sent, received, beforeSending.mock.calls]).toEqual(['HTTPS_PROXY_407', false, [], []]);
  });

  it.each(['http://', 'proxy:port'])('with the proxy %s is not sent', async (proxy) => {
    const { http } = await office();
    vi.stubEnv('HTTPS_PROXY', proxy);
    const failed = await failureOf(http.send({ ...CALL, ownConnection: true }), TransportError);
    expect([failed.code, failed.sent]).toEqual(['ERR_INVALID_URL', false]);
  });

  it('as does a request to the identity provider', async () => {
    const { questions } = await office();
    await expect(fetchThroughProxy('https://login.example.com:8443/', {})).rejects.toThrow('fetch failed');
    expect(questions).toEqual([['login.example.com:8443', AS_ADA[1]]]);
  });
});

describe('a certificate that is refused has a reason in words, of a partner and of Temporal', () => {
  const DAY_MS = 86_400_000;
  const named = (value: string) => ({
    extensions: [{ name: 'subjectAltName' as const, altNames: [{ type: 2 as const, value }] }],
  });
  const past = (days: number) => new Date(Date.now() - days * DAY_MS);
  const expired = { notBeforeDate: past(9), notAfterDate: past(1) };
  it.each<
    [string, own: Parameters<typeof generate>[1], isTrusted: boolean, words: string, ofTemporal: string]
  >([
    [
      'expired',
      { ...named('localhost'), ...expired },
      true,
      'its certificate has expired: ask the partner to renew it (CERT_HAS_EXPIRED)',
      'its certificate has expired (CERT_HAS_EXPIRED)',
    ],
    [
      'for another name',
      named('other.example.com'),
      true,
      'its certificate is for another name: correct the URL, or ask the partner (ERR_TLS_CERT_ALTNAME_INVALID)',
      'its certificate is for another name: ERR_TLS_CERT_ALTNAME_INVALID (TEMPORAL_TLS_SERVER_NAME)',
    ],
    [
      'without its intermediate',
      named('localhost'),
      false,
      'an intermediate certificate is missing: ask the partner to send the whole chain; until then, name the certificate in NODE_EXTRA_CA_CERTS (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
      'its certificate is not trusted: UNABLE_TO_VERIFY_LEAF_SIGNATURE (TEMPORAL_TLS_SERVER_CA_CERT_PATH)',
    ],
  ])('%s', async (_, own, isTrusted, words, ofTemporal) => {
    const issuer = await generate([{ name: 'commonName', value: 'Intermediate' }], {
      keySize: 2048,
      extensions: [{ name: 'basicConstraints', cA: true }],
    });
    const subject = [{ name: 'commonName', value: 'leaf' }];
    const leaf = await generate(subject, { ...own, ca: { key: issuer.private, cert: issuer.cert } });
    const address = await listening(
      createServer({ key: leaf.private, cert: leaf.cert, ALPNProtocols: ['h2', 'http/1.1'] }, (_, response) =>
        response.end('{}'),
      ),
    );
    const trusting = (options: buildConnector.BuildOptions) =>
      connectorFor({ ...options, ...(isTrusted && { ca: issuer.cert }) });
    const url = `https://localhost:${address.split(':')[1]}`;
    const http = new PartnerHttp(url, {}, trusting as typeof connectorFor);
    testEnds(() => http.close());
    const sending = http.send({ method: 'GET', path: '/', headers: {}, ownConnection: true });
    const { code, sent } = await failureOf(sending, TransportError);
    expect([sent, describeReason(code)]).toEqual([false, words]);
    const tls = isTrusted ? { serverRootCACertificate: Buffer.from(issuer.cert) } : true;
    expect(await whyUnavailable({ address: new URL(url).host, tls }, new Error())).toBe(ofTemporal);
  });
});

it('Temporal is reached directly on this machine, and elsewhere through grpc_proxy alone', async () => {
  const questions: unknown[] = [];
  const refuse = createProxy().on('connect', ({ url }, socket) => {
    questions.push(url);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  const proxy = `http://${await listening(refuse)}`;
  const call = async (address: string) => {
    const { connection } = lazyClient({ TEMPORAL_ADDRESS: address }, undefined);
    const called = connection.withDeadline(Date.now() + 300, () =>
      connection.workflowService.getSystemInfo({}),
    );
    await expect(called).rejects.toThrow();
    await connection.close();
  };
  const temporals = ['127.0.0.1:1', 'temporal.invalid:7233'];
  for (const name of ['https_proxy', 'http_proxy']) vi.stubEnv(name, proxy);
  await Promise.all(temporals.map(call));
  expect(questions).toEqual([]);
  vi.stubEnv('grpc_proxy', proxy);
  await Promise.all(temporals.map(call));
  expect(new Set(questions)).toEqual(new Set(['temporal.invalid:7233']));
});

it.each([
  [{}, 'none: HTTPS_PROXY is not set'],
  [
    { HTTPS_PROXY: 'http://ada:secret@gateway.example.com:3128' },
    'gateway.example.com:3128 (HTTPS_PROXY); not for Temporal',
  ],
  [
    { HTTPS_PROXY: PROXY, NO_PROXY: '*' },
    'gateway.example.com:3128, but not for * (HTTPS_PROXY); not for Temporal',
  ],
])('doctor shows the proxy of %j', (env, detail) => {
  expect(proxyVerdict(env)).toEqual({ state: 'ok', detail });
});

it.each(['http://', 'socks5://gateway.example.com:1080'])(
  'doctor names a proxy that cannot be used: %s',
  (proxy) => {
    expect(proxyVerdict({ HTTPS_PROXY: proxy })).toEqual({
      state: 'wrong',
      detail: 'HTTPS_PROXY is no URL of an HTTP proxy',
      fix: 'set HTTPS_PROXY to an address such as http://gateway.example.com:3128',
    });
  },
);
