import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { type CodecServerOptions, codecServer } from '../../../../src/apps/codec-server/server.js';
import { createLogger } from '../../../../src/platform/process/logging.js';
import { parsePayloadKeys } from '../../../../src/temporal/payload-codec.js';
import { CLEAR, ENCRYPTED, KEY, TOKEN, UI } from '../../../rigs/codec-server/running-codec-server.js';
import { testEnds } from '../../../rigs/shared.js';

type Headers = Readonly<Record<string, string>>;

/** A codec server that does not listen. A call has the token and a namespace of it by default. */
async function opened(options: Partial<CodecServerOptions> = {}) {
  const lines: string[] = [];
  const server = await codecServer({
    host: '127.0.0.1',
    port: 0,
    keys: parsePayloadKeys(`k1:${KEY}`),
    uiOrigin: UI,
    tokenInPath: false,
    bearer: { tokens: ['other-token', TOKEN], jwt: undefined },
    namespaces: ['default', 'sales'],
    requestsPerMinute: 1_000,
    logger: createLogger('info', { write: (line) => void lines.push(line) }),
    ...options,
  });
  testEnds(() => server.close());
  const call = async (url: string, payload = `{"payloads":[${ENCRYPTED}]}`, headers: Headers = {}) => {
    const authorization = `Bearer ${TOKEN}`;
    const common = { 'content-type': 'application/json', 'x-namespace': 'default', authorization };
    const sent = Object.entries({ ...common, ...headers }).filter(([, value]) => value !== '');
    const reply = await server.inject({ method: 'POST', url, payload, headers: Object.fromEntries(sent) });
    return { status: reply.statusCode, text: reply.payload, headers: reply.headers };
  };
  const log = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { call, log };
}

describe('a call', () => {
  it.each<[what: string, Headers, status: number]>([
    ['of one namespace', {}, 200],
    ['of another one of this server', { 'x-namespace': 'sales' }, 200],
    ['of one whose name begins like one of them', { 'x-namespace': 'sales2' }, 403],
    ['of the beginning of one', { 'x-namespace': 'sale' }, 403],
    ['of several', { 'x-namespace': 'default,sales' }, 403],
    ['of none', { 'x-namespace': '' }, 403],
    ['with another token of this server', { authorization: 'bearer  other-token' }, 200],
    ['with the beginning of a token', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }, 401],
    ['with more than a token', { authorization: `Bearer ${TOKEN} x` }, 401],
    ['with something before it', { authorization: `x Bearer ${TOKEN}` }, 401],
    ['with another scheme', { authorization: `Basic ${TOKEN}` }, 401],
    ['with two tokens at once', { authorization: `Bearer ${TOKEN},other-token` }, 401],
    ['with a token without a scheme', { authorization: TOKEN }, 401],
    ['with a scheme without a token', { authorization: 'Bearer ' }, 401],
    ['with neither token nor namespace', { authorization: '', 'x-namespace': '' }, 401],
    ['that is no JSON', { 'content-type': 'text/plain' }, 415],
  ])('%s gets its status', async (_, headers, status) => {
    const { call } = await opened();
    const reply = await call('/decode', undefined, headers);
    expect(reply.status).toBe(status);
    if (status === 200) expect(reply.text).toBe(`{"payloads":[${CLEAR}]}`);
    const challenge = headers['authorization'] === '' ? '' : ', error="invalid_token"';
    if (status === 401)
      expect(reply.headers['www-authenticate']).toBe(`Bearer realm="gangway codec server"${challenge}`);
  });

  it.each([
    [true, `/${TOKEN}/decode`, '', 200],
    [true, `/${TOKEN}/ns/decode?a=b`, '', 200],
    [true, '/decode', '', 401],
    [true, '/wrong/decode', '', 401],
    // The header counts where there is one.
    [true, `/${TOKEN}/decode`, 'Bearer wrong', 401],
    [false, `/${TOKEN}/decode`, '', 401],
    [false, '/any/path/decode', `Bearer ${TOKEN}`, 200],
  ])(
    'with the token in the path (allowed: %s) %s %j: %i',
    async (tokenInPath, url, authorization, status) => {
      const { call } = await opened({ tokenInPath });
      expect((await call(url, undefined, { authorization })).status).toBe(status);
    },
  );

  it.each([
    [UI, UI],
    [`${UI}.evil.example`, undefined],
    ['https://evil.example.com', undefined],
    ['https://evil.temporal.example.com', undefined],
    ['http://temporal.example.com', undefined],
  ])('of a page of %s is allowed to read the response: %s', async (origin, allowed) => {
    const { call } = await opened();
    const { headers } = await call('/decode', undefined, { origin });
    expect(headers['access-control-allow-origin']).toBe(allowed);
  });

  const many = (count: number, each = '{}') => `{"payloads":[${Array(count).fill(each).join()}]}`;
  it.each<[what: string, body: string, status: number, message: string]>([
    ['1,000 payloads', many(1_000), 200, ''],
    ['1,001 payloads', many(1_001), 413, 'a request may have 1000 payloads at most: send fewer'],
    // `{`, `[` and `,` begin or separate values.
    ['32,000 values', `{"payloads":[${',{}'.repeat(15_999)}]}`, 400, 'the body must be JSON'],
    ['32,001 values', `{"payloads":[{${',{}'.repeat(15_999)}]}`, 413, 'the body has too many values'],
    ['no payloads', '{}', 200, ''],
    ['an unknown field', '{"payloads":[{"x":1}]}', 400, 'payloads[0].x: is not a known field'],
    ['no base64', '{"payloads":[{"data":"a"}]}', 400, 'payloads[0].data: must be base64'],
    ['half a byte', '{"payloads":[{"data":"AAAAA"}]}', 400, 'payloads[0].data: must be base64'],
    ['a list', '[]', 400, 'the body: must be an object'],
    ['payloads that are no list', '{"payloads":{}}', 400, 'payloads: must be a list'],
    ['a payload that is no object', '{"payloads":["Ada"]}', 400, 'payloads[0]: must be an object'],
    ['data that is no text', '{"payloads":[{"data":7}]}', 400, 'payloads[0].data: must be text'],
    ['metadata that is a list', '{"payloads":[{"metadata":[]}]}', 400, 'metadata: must be an object'],
    ['one reference', '{"payloads":[{"externalPayloads":{}}]}', 400, 'externalPayloads: must be a list'],
    [
      'a size in words',
      '{"payloads":[{"externalPayloads":[{"sizeBytes":"x"}]}]}',
      400,
      'payloads[0].externalPayloads[0].sizeBytes: must be a whole number',
    ],
  ])('with %s: %i', async (_, body, status, message) => {
    const { call } = await opened();
    const reply = await call('/encode', body);
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(message)]);
  });

  it('that needs a key that the server lacks is logged with its id and no payload', async () => {
    const { call, log } = await opened({ keys: parsePayloadKeys(`k2:${KEY}`) });
    expect((await call('/decode')).status).toBe(400);
    expect(log()).toMatchObject([{ path: '/decode', status: 400, payloads: 1, missingKey: 'k1' }]);
  });

  it('of another path gets the paths that exist', async () => {
    const { call } = await opened();
    const message = 'unknown path: use /encode or /decode';
    expect(await call('/elsewhere')).toMatchObject({ status: 404, text: JSON.stringify({ message }) });
    expect((await call('/decoded')).status).toBe(404);
    // Not even one that cannot be decoded is repeated, because a path may have a token.
    for (const path of ['/%zz', `/${TOKEN}/%`, '/%C3/decoded'])
      expect(await call(path)).toMatchObject({ status: 404, text: JSON.stringify({ message }) });
  });
});

it('a payload whose key is missing counts each time, and no other call that fails', async () => {
  const registry = new Registry();
  const { call } = await opened({ registry, keys: parsePayloadKeys(`k2:${KEY}`) });
  const missing = async () =>
    (await registry.getSingleMetric('gangway_codec_missing_keys_total')?.get())?.values[0]?.value;
  for (const [payload, count] of [
    [undefined, 1],
    [`{"payloads":[${CLEAR}]}`, 1],
    ['{"payloads":[7]}', 1],
    ['no JSON', 1],
    [undefined, 2],
    [`{"payloads":[${CLEAR},${ENCRYPTED},${ENCRYPTED}]}`, 3],
  ] as const) {
    await call('/decode', payload);
    expect(await missing()).toBe(count);
  }
  // Another key with the same id reads nothing, and is not missing.
  const other = Buffer.alloc(32, 1).toString('base64');
  const others = new Registry();
  const { call: callOther } = await opened({ registry: others, keys: parsePayloadKeys(`k1:${other}`) });
  expect((await callOther('/decode')).status).toBe(400);
  expect((await others.getSingleMetric('gangway_codec_missing_keys_total')?.get())?.values[0]?.value).toBe(0);
});
