import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { CLEAR, ENCRYPTED, runCodecServer, TOKEN } from '../../rigs/codec-server/running-codec-server.js';

const BODY = `{"payloads":[${ENCRYPTED}]}`;

/** A body of some 8 MiB that holds `value` as often as fits. */
function full(before: string, value: string, after: string): string {
  const count = Math.floor((8 * 1024 * 1024 - before.length - after.length) / (value.length + 1));
  return before + Array.from({ length: count }, () => value).join() + after;
}

describe('a body that holds too much is refused before it costs anything', () => {
  it.each([
    ['payloads', full('{"payloads":[', '{}', ']}')],
    ['metadata', full('{"payloads":[{"metadata":{', '"a":""', '}}]}')],
    ['references', full('{"payloads":[{"externalPayloads":[', '{}', ']}]}')],
    ['unknown fields', full('{"payloads":[{', '"a":1', '}]}')],
    ['lists within lists', '['.repeat(8_000_000)],
  ])('%s', async (_, body) => {
    const { call } = await runCodecServer();
    const begun = performance.now();
    const { status, text } = await call('POST /decode', body);
    expect([status, text]).toEqual([413, '{"message":"the body holds too much: send fewer payloads"}']);
    // It took a hundred seconds once.
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it.each(['decode', 'encode'])(
    'a thousand payloads are converted by /%s, and one more is not',
    async (path) => {
      const { call } = await runCodecServer();
      const body = (count: number) => `{"payloads":[${Array.from({ length: count }, () => CLEAR).join()}]}`;
      const taken = await call(`POST /${path}`, body(1_000));
      expect([taken.status, JSON.parse(taken.text).payloads.length]).toEqual([200, 1_000]);
      const { status, text } = await call(`POST /${path}`, body(1_001));
      expect([status, text]).toEqual([413, '{"message":"a request takes 1000 payloads at most"}']);
    },
  );

  it('a name that objects have by themselves is refused', async () => {
    const { call } = await runCodecServer();
    const { status, text } = await call('POST /decode', '{"payloads":[{"metadata":{"__proto__":""}}]}');
    expect([status, text]).toEqual([400, '{"message":"the body must be JSON"}']);
  });
});

describe('many requests at once', () => {
  it('have their turn one after the other, and health is shown meanwhile', async () => {
    const { call, url } = await runCodecServer();
    const stuck = Array.from({ length: 2 }, () => halfSent(url));
    await Promise.all(stuck.map(({ connected }) => connected));
    let isAnswered = false;
    const waiting = call('POST /decode', BODY).then((reply) => {
      isAnswered = true;
      return reply;
    });
    expect((await call('GET /healthz', undefined, {})).status).toBe(200);
    expect((await call('POST /decode', BODY, {})).status).toBe(401);
    expect(isAnswered).toBe(false);
    stuck[0]?.end();
    expect((await waiting).text).toBe(`{"payloads":[${CLEAR}]}`);
    for (const { end } of stuck) end();
  });

  it('do not wait for those that have gone', async () => {
    const { call, url } = await runCodecServer();
    const stuck = Array.from({ length: 6 }, () => halfSent(url));
    await Promise.all(stuck.map(({ connected }) => connected));
    for (const { end } of stuck) end();
    expect((await call('POST /decode', BODY)).status).toBe(200);
  });
});

/** A request with a valid token whose body does not come to its end. */
function halfSent(url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  const head = ['POST /decode HTTP/1.1', 'host: x', `authorization: Bearer ${TOKEN}`, 'x-namespace: default'];
  const body = ['content-type: application/json', 'content-length: 9', 'expect: 100-continue', '', '{'];
  const connected = new Promise<void>((resolve) => socket.once('data', () => resolve()));
  socket.write([...head, ...body].join('\r\n'));
  return { connected, end: () => socket.destroy() };
}

describe('the namespace of a request', () => {
  it.each([
    ['none', ''],
    ['another', 'live'],
    ['several', 'default, live'],
    ['part of the name', 'defaul'],
  ])('is refused: %s', async (_, namespace) => {
    const { call } = await runCodecServer();
    const headers = { authorization: `Bearer ${TOKEN}`, 'x-namespace': namespace };
    for (const line of ['POST /decode', 'POST /encode', 'POST /default/decode']) {
      const { status, text } = await call(line, BODY, headers);
      const message = 'X-Namespace must name a namespace of this server (CODEC_NAMESPACES)';
      expect([status, JSON.parse(text)]).toEqual([403, { message }]);
    }
  });

  it('may be each of those that are set', async () => {
    const { call } = await runCodecServer({ namespaces: ['live', 'test'] });
    for (const namespace of ['live', 'test']) {
      const headers = { authorization: `Bearer ${TOKEN}`, 'x-namespace': namespace };
      expect((await call('POST /decode', BODY, headers)).status).toBe(200);
    }
  });
});
