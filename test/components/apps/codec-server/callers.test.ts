import { describe, expect, it } from 'vitest';
import {
  CLEAR,
  ENCRYPTED,
  runCodecServer,
  TOKEN,
  UI,
} from '../../../rigs/codec-server/running-codec-server.js';

const BODY = `{"payloads":[${ENCRYPTED}]}`;
const OTHER_TOKEN = 'ffffffffffffffffffffffffffffffff';

it.each(['POST /decode', 'POST /encode', 'POST /default/decode', 'GET /decode', 'POST /elsewhere'])(
  '%s without a valid token is rejected before its body is read',
  async (line) => {
    const { call } = await runCodecServer();
    const reply = await call(line, line.startsWith('GET') ? undefined : 'no JSON', {});
    const message = 'the bearer token is missing or invalid: send one of CODEC_TOKENS or of the token issuer';
    expect([reply.status, JSON.parse(reply.text)]).toEqual([401, { message }]);
    expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="gangway codec server"');
    expect(reply.headers.get('cache-control')).toBe('no-store');
  },
);

describe('too many requests', () => {
  it('of one caller are rejected, with the time to wait, and those of another are not', async () => {
    const bearer = { tokens: [TOKEN, OTHER_TOKEN], jwt: undefined };
    const { call } = await runCodecServer({ bearer, requestsPerMinute: 3 });
    const statuses = [];
    for (let count = 0; count < 3; count++) statuses.push((await call('POST /decode', BODY)).status);
    expect(statuses).toEqual([200, 200, 200]);
    const { status, headers, text } = await call('POST /decode', BODY);
    const message = 'too many requests: wait for the seconds in Retry-After';
    expect([status, JSON.parse(text)]).toEqual([429, { message }]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(50);
    const other = await call('POST /decode', BODY, { authorization: `Bearer ${OTHER_TOKEN}` });
    expect(other.status).toBe(200);
  });

  it('with wrong tokens are rejected as well, and do not block those with a valid one', async () => {
    const { call } = await runCodecServer({ requestsPerMinute: 3 });
    const statuses = [];
    for (let guess = 0; guess < 4; guess++) {
      const authorization = `Bearer ${OTHER_TOKEN.slice(1)}${guess}`;
      statuses.push((await call('POST /decode', BODY, { authorization })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect((await call('POST /decode', BODY)).status).toBe(200);
  });
});

describe('pages in a browser', () => {
  const preflight = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,authorization-extras,content-type,x-namespace',
  };

  it('of the Web UI may call, with what the Web UI sends', async () => {
    const { call } = await runCodecServer();
    const preflighted = await call('OPTIONS /decode?preserveStorageRefs=true', undefined, {
      origin: UI,
      ...preflight,
    });
    expect([preflighted.status, preflighted.text]).toEqual([204, '']);
    expect(corsOf(preflighted.headers)).toEqual({
      'access-control-allow-origin': UI,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Authorization, Authorization-Extras, Content-Type, X-Namespace',
      'access-control-max-age': '600',
    });
    const headers = { origin: UI, authorization: `Bearer ${TOKEN}`, 'x-namespace': 'default' };
    const response = await call('POST /decode?preserveStorageRefs=true', BODY, headers);
    expect([response.status, response.text]).toEqual([200, `{"payloads":[${CLEAR}]}`]);
    expect(corsOf(response.headers)).toEqual({
      'access-control-allow-origin': UI,
      'access-control-allow-credentials': 'true',
    });
    expect(response.headers.get('vary')).toBe('Origin');
  });

  it('of the Web UI can read why they are rejected', async () => {
    const { call } = await runCodecServer();
    const { status, headers } = await call('POST /decode', BODY, { origin: UI });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([401, UI]);
  });
});

function corsOf(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}

it('health checks need no token and have no limit', async () => {
  const { call } = await runCodecServer({ requestsPerMinute: 1 });
  for (const path of ['/healthz', '/readyz', '/healthz', '/readyz']) {
    expect(await call(`GET ${path}`, undefined, {})).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  }
  expect((await call('GET /healthz/decode', undefined, {})).status).toBe(401);
});
