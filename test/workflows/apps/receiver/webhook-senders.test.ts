import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { loadReceiverSettings } from '../../../../src/apps/receiver/settings.js';
import {
  event,
  OTHER_SECRET,
  problemOf,
  runReceiver,
  SECRET,
  STRUCTURED,
  signed,
} from '../../../rigs/receiver/running-receiver.js';
import { sharedRig } from '../../../rigs/shared-rig.js';
import { eventually } from '../../../rigs/waiting.js';

const rig = await sharedRig();

const PATH = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const OTHER_PATH = 'ffffffffffffffffffffffffffffffff';
/** SHA-256 of `test` in hex, as the processor makes it from the API key. */
const X_CALLER_AUTH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const BODY = '{"profileId": 3001}';
const json = { 'content-type': 'application/json' };

async function runWith(environment: Record<string, string>, more: object = {}) {
  return runReceiver(rig, { webhooks: loadReceiverSettings(environment).webhooks, ...more });
}

const signature = `signature:${SECRET}`;
const rightHeader = { 'x-caller-auth': X_CALLER_AUTH };
const header = `header:X-Caller-Auth:${X_CALLER_AUTH}`;
const basic = 'header:Authorization:Basic Z2FuZ3dheTpzM2NyM3Q=';
const path = `path:${PATH}`;
const now = () => Math.floor(Date.now() / 1_000);

/** Waits for a line of the log, which is written after the response. */
const logged = (log: () => string, line: string) =>
  eventually(
    async () => log(),
    (lines) => lines.includes(line),
    line,
  );

describe('a webhook is accepted', () => {
  it.each<[string, string, string, Record<string, string>]>([
    ['with a signature', signature, '', signed(BODY)],
    ['with a signature of the second secret', `signature:${OTHER_SECRET}, ${signature}`, '', signed(BODY)],
    ['with a static header', header, '', { 'X-CALLER-AUTH': X_CALLER_AUTH }],
    ['with the second of two static headers', `header:x-other:${PATH},${header}`, '', rightHeader],
    ['with credentials of Basic', basic, '', { authorization: 'Basic Z2FuZ3dheTpzM2NyM3Q=' }],
    ['with a secret in the path', path, `/${PATH}`, {}],
    ['with one of two secrets in the path', `path:${OTHER_PATH},${path}`, `/${PATH}`, {}],
    ['with one of several kinds', `${signature},${header},${path}`, '', rightHeader],
    ['at a path with more segments, with another kind', header, '/anything', rightHeader],
    ['from anyone, on loopback only', 'none', '', {}],
  ])('%s', async (_, auth, secret, headers) => {
    const { call, log } = await runWith({ RECEIVER_BANKING_AUTH: auth });
    const { status, text } = await call(`POST /webhooks/banking${secret}`, BODY, { ...json, ...headers });
    expect([status, text]).toEqual([202, '{"workflows":0}']);
    await logged(log, '"partner":"banking","result":"unmatched","ids":1,"workflows":0');
  });
});

describe('a webhook is accepted whatever its form, because a sender that gets a 4xx switches it off', () => {
  const of = (type: string) => ({ 'content-type': type });
  const many = JSON.stringify(Array.from({ length: 101 }, (_, position) => ({ profileId: position + 1 })));
  it.each<[string, string | Uint8Array<ArrayBuffer> | undefined, Record<string, string>, ids: number]>([
    ['without a content type', Buffer.from(BODY), {}, 1],
    ['as text/plain', BODY, of('text/plain; charset=iso-8859-1'), 1],
    ['as JSON of a vendor', BODY, of('application/vnd.example.v2+json'), 1],
    ['with a byte order mark', `\uFEFF${BODY}`, json, 1],
    ['with invalid UTF-8', Buffer.concat([Buffer.from([0xff]), Buffer.from(BODY)]), json, 1],
    ['as a form', 'profile_id=3001', of('application/x-www-form-urlencoded'), 1],
    ['with too many IDs', many, json, 100],
    ['as a text', '"3001"', json, 0],
    ['that is not JSON', '<ping/>', json, 0],
    ['without a body', undefined, {}, 0],
  ])('%s', async (_, body, headers, ids) => {
    const { call, log } = await runWith({ RECEIVER_BANKING_AUTH: 'none' });
    expect((await call('POST /webhooks/banking', body, headers)).status).toBe(202);
    await logged(log, `"ids":${ids},"workflows":0`);
  });

  it.each([
    ['', 'ok'],
    ['?hub.mode=subscribe&hub.challenge=1158201444', '1158201444'],
    ['?hub.verify_token=mine&hub.challenge=1158201444', '1158201444'],
    ['?validationToken=aB-_.~', 'aB-_.~'],
    ['?challenge=<script>', 'ok'],
    ['?challenge=1&challenge=2', 'ok'],
    ['?a=undefined', 'ok'],
  ])('when it checks the address with GET %s', async (query, text) => {
    const { call } = await runWith({ RECEIVER_BANKING_AUTH: path });
    const reply = await call(`GET /webhooks/banking/${PATH}${query}`);
    expect([reply.status, reply.headers.get('content-type'), reply.text]).toEqual([
      200,
      'text/plain; charset=utf-8',
      text,
    ]);
  });
});

describe('a webhook is rejected', () => {
  it.each<[string, string, string, Record<string, string>]>([
    ['without credentials', `${signature},${header},${path}`, '', {}],
    ['with a signature of another secret', signature, '', signed(BODY, { secret: OTHER_SECRET })],
    ['with an old signature', signature, '', signed(BODY, { at: `${now() - 302}` })],
    ['with another value of the header', header, '', { 'x-caller-auth': X_CALLER_AUTH.toUpperCase() }],
    ['with the value in another header', header, '', { 'x-caller-authorization': X_CALLER_AUTH }],
    ['with an empty header', header, '', { 'x-caller-auth': '' }],
    ['with the beginning of the secret', path, `/${PATH.slice(0, -1)}`, {}],
    ['with more than the secret', path, `/${PATH}0`, {}],
    ['with the secret as a query', path, `?secret=${PATH}`, {}],
    ['with the secret of another kind', path, '', { 'x-caller-auth': PATH }],
    ['with the secret of another partner', path, `/${OTHER_PATH}`, {}],
  ])('%s', async (_, auth, secret, headers) => {
    const { call, log } = await runWith({
      RECEIVER_BANKING_AUTH: auth,
      RECEIVER_BOARDING_AUTH: `path:${OTHER_PATH}`,
    });
    expect(problemOf(await call(`POST /webhooks/banking${secret}`, BODY, { ...json, ...headers }))).toEqual({
      type: 'urn:gangway:problem:bad-sender',
      title: 'The webhook is not authenticated',
      status: 401,
      detail: 'the credential that RECEIVER_BANKING_AUTH requires is missing or wrong',
    });
    await logged(log, '"partner":"banking","result":"rejected"');
    expect(log()).not.toContain('"unmatched"');
  });

  it('while webhooks of the partner are off', async () => {
    const { call } = await runWith({ RECEIVER_BOARDING_AUTH: 'none' });
    expect(problemOf(await call('POST /webhooks/processor', BODY, json))).toEqual({
      type: 'urn:gangway:problem:partner-off',
      title: 'Webhooks of this partner are off',
      status: 404,
      detail: 'RECEIVER_PROCESSOR_AUTH is not set',
    });
  });

  const gzip = { ...json, 'content-encoding': 'gzip' };
  it.each<[string, string | undefined, Record<string, string>, number, string]>([
    ['when it is compressed', BODY, gzip, 415, 'the body must not be compressed'],
    ['when it is too large', `"${' '.repeat(256 * 1024)}"`, json, 413, 'send a smaller body'],
  ])('%s', async (_, body, headers, status, detail) => {
    const { call } = await runWith({ RECEIVER_BANKING_AUTH: 'none' });
    expect(problemOf(await call('POST /webhooks/banking', body, headers))).toMatchObject({ status, detail });
  });

  it('with another method, and at a path of no partner', async () => {
    const { call } = await runWith({ RECEIVER_BANKING_AUTH: path });
    const wrong = await call(`PUT /webhooks/banking/${PATH}`);
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    expect((await call('POST /webhooks/plants', BODY, json)).status).toBe(404);
    expect((await call(`POST /webhooks/banking/${PATH}/more`, BODY, json)).status).toBe(404);
  });
});

it('webhooks are counted by partner and result, and nothing else of them is shown', async () => {
  const registry = new Registry();
  const { call, log } = await runWith(
    { RECEIVER_BANKING_AUTH: path, RECEIVER_BOARDING_AUTH: header },
    { registry },
  );
  await call(`POST /webhooks/banking/${PATH}`, '{"profileId": 123456789, "email": "ada@example.com"}', json);
  await call(`POST /webhooks/banking/${PATH}`, '{', json);
  await call(`POST /webhooks/banking/${OTHER_PATH}`, BODY, json);
  await call('POST /webhooks/boarding', '{"MID": "123456789"}', { ...json, 'x-caller-auth': X_CALLER_AUTH });
  const counted = async () => {
    const text = await registry.metrics();
    for (const secret of [PATH, OTHER_PATH, X_CALLER_AUTH, '123456789', 'ada@'])
      expect(text).not.toContain(secret);
    return text
      .split('\n')
      .filter((line) => line.includes('gangway_receiver_webhooks_total'))
      .toSorted();
  };
  await expect
    .poll(counted)
    .toEqual([
      '# HELP gangway_receiver_webhooks_total Partner webhooks by result',
      '# TYPE gangway_receiver_webhooks_total counter',
      'gangway_receiver_webhooks_total{partner="banking",result="rejected"} 1',
      'gangway_receiver_webhooks_total{partner="banking",result="unmatched"} 2',
      'gangway_receiver_webhooks_total{partner="boarding",result="unmatched"} 1',
    ]);
  const paths = [...log().matchAll(/"path":"([^"]+)"/g)].map(([, result]) => result);
  expect(new Set(paths)).toEqual(new Set(['/webhooks/banking/:secret', '/webhooks/boarding']));
  for (const secret of [PATH, OTHER_PATH, X_CALLER_AUTH, '123456789', 'ada@'])
    expect(log()).not.toContain(secret);
  expect((await call('GET /metrics')).status).toBe(404);
});

describe('a flood', () => {
  it('from one partner blocks neither another partner nor events', async () => {
    const { call, post } = await runWith(
      { RECEIVER_BANKING_AUTH: 'none', RECEIVER_BOARDING_AUTH: 'none' },
      { requestsPerMinute: 2 },
    );
    const send = (partner: string) => call(`POST /webhooks/${partner}`, '{}', json);
    const statuses = [];
    for (let count = 0; count < 3; count++) statuses.push((await send('banking')).status);
    expect(statuses).toEqual([202, 202, 429]);
    expect((await send('boarding')).status).toBe(202);
    const unknown = JSON.stringify(event('unknown', {}));
    expect((await post(unknown, { 'content-type': STRUCTURED })).status).toBe(422);
  });

  it('from one sender behind a trusted proxy blocks no other sender behind it', async () => {
    const from = (address: string) => ({ ...json, 'x-forwarded-for': address });
    const flood = async (trustedProxies: string[]) => {
      const { call } = await runWith(
        { RECEIVER_BANKING_AUTH: 'none' },
        { requestsPerMinute: 1, trustedProxies },
      );
      const send = async (address: string) =>
        (await call('POST /webhooks/banking', '{}', from(address))).status;
      // A sender behind the proxy may put a false address in front of the one that the proxy adds.
      return [
        await send('192.0.2.1'),
        await send('192.0.2.1'),
        await send('192.0.2.2'),
        await send('192.0.2.3, 192.0.2.1'),
      ];
    };
    expect(await flood(['127.0.0.0/8'])).toEqual([202, 429, 202, 429]);
    expect(await flood([])).toEqual([202, 429, 429, 429]);
    expect(await flood(['192.0.2.0/24'])).toEqual([202, 429, 429, 429]);
  });
});
