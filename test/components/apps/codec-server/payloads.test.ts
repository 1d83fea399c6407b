import { describe, expect, it } from 'vitest';
import { parsePayloadKeys } from '../../../../src/temporal/payload-codec.js';
import { CLEAR, ENCRYPTED, KEY, runCodecServer } from '../../../rigs/codec-server/running-codec-server.js';

describe('POST /decode', () => {
  const NULL = '{"metadata":{"encoding":"YmluYXJ5L251bGw="}}';
  const URL_SAFE = [
    '{"metadata":{"a":"-_8"},"data":"_w"}',
    '{"metadata":{"a":"+/8="},"data":"/w=="}',
  ] as const;
  const ELSEWHERE = '{"data":"AA==","externalPayloads":[{"sizeBytes":"12"}]}';
  it.each([
    ['an encrypted payload', ENCRYPTED, CLEAR],
    ['several, in their order', `${CLEAR},${ENCRYPTED},${CLEAR}`, `${CLEAR},${CLEAR},${CLEAR}`],
    ['what is not encrypted', CLEAR, CLEAR],
    ['the null of the SDKs', NULL, NULL],
    ['null for a missing field', '{"metadata":{"encoding":"YmluYXJ5L251bGw="},"data":null}', NULL],
    ['base64 of the other alphabet, without padding', ...URL_SAFE],
    ['a reference to a payload that is kept elsewhere', ELSEWHERE, ELSEWHERE],
  ])('accepts %s', async (_, sent, expected) => {
    const { call } = await runCodecServer();
    const { status, headers, text } = await call('POST /decode', `{"payloads":[${sent}]}`);
    expect([status, text]).toEqual([200, `{"payloads":[${expected}]}`]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('decrypts with each of the keys', async () => {
    const other = `k2:${'A'.repeat(43)}=`;
    const { call } = await runCodecServer({ keys: parsePayloadKeys(`${other},k1:${KEY}`) });
    const { text } = await call('POST /decode', `{"payloads":[${ENCRYPTED}]}`);
    expect(text).toBe(`{"payloads":[${CLEAR}]}`);
  });
});

describe('POST /encode', () => {
  it('encrypts for the namespace, and /decode returns the same', async () => {
    const { call } = await runCodecServer();
    const encoded = await call('POST /default/encode', `{"payloads":[${CLEAR}]}`);
    expect(encoded.status).toBe(200);
    expect(encoded.text).toMatch(
      /^\{"payloads":\[\{"metadata":\{"encoding":"YmluYXJ5L2VuY3J5cHRlZA==","encryption-key-id":"azE=","place":"WyJkZWZhdWx0IiwiIiwiIl0="\},"data":"[\w+/=]{80}"\}\]\}$/,
    );
    expect((await call('POST /decode', encoded.text)).text).toBe(`{"payloads":[${CLEAR}]}`);
  });
});

describe('a request that fails', () => {
  const data = (text: string) => ENCRYPTED.replace(/"data":".*"/, `"data":"${text}"`);

  const DAMAGED = 'it is damaged, or was encrypted with another key of this id';
  const no = (what: string) => `{"payloads":[${what}]}`;
  it.each([
    ['no body', '', 400, 'the body must be JSON'],
    ['a body that is no JSON', '{"payloads":[Ada', 400, 'the body must be JSON'],
    [
      'metadata that is not base64',
      no('{"metadata":{"a":"json plain"}}'),
      400,
      'payloads[0].metadata.a: must be base64',
    ],
    [
      'an unknown key',
      no(ENCRYPTED.replace('azE=', 'azk=')),
      400,
      'an encrypted payload needs key k9, which is not among the keys',
    ],
    [
      'a damaged payload',
      no(data('AAECAwQF')),
      400,
      `an encrypted payload cannot be read with key k1: ${DAMAGED}`,
    ],
    [
      'a body that is too large',
      no(`{"data":"${'A'.repeat(8 * 1024 * 1024)}"}`),
      413,
      'the body is too large: send fewer payloads',
    ],
  ])('%s', async (_, body, status, message) => {
    const { call } = await runCodecServer();
    const reply = await call('POST /decode', body);
    expect([reply.status, JSON.parse(reply.text)]).toEqual([status, { message }]);
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['GET /decode', 405, 'wrong method: use POST'],
    ['PUT /default/encode', 405, 'wrong method: use POST'],
    ['POST /', 404, 'unknown path: use /encode or /decode'],
    ['POST /decode/default', 404, 'unknown path: use /encode or /decode'],
  ])('%s', async (line, status, message) => {
    const { call } = await runCodecServer();
    const reply = await call(line);
    expect([reply.status, JSON.parse(reply.text)]).toEqual([status, { message }]);
    expect(reply.headers.get('allow')).toBe(status === 405 ? 'POST' : null);
  });

  it.each([
    ['data', `{"data":"${'A'.repeat(8_000_000)}"}`],
    ['metadata', `{"metadata":{"a":"${'A'.repeat(8_000_000)}"}}`],
  ])('a few small payloads with %s that is very large once decoded', async (_, large) => {
    const { call } = await runCodecServer();
    const payload = /\[(.*)\]/.exec((await call('POST /encode', `{"payloads":[${large}]}`)).text)?.[1];
    const body = `{"payloads":[${Array.from({ length: 12 }, () => payload).join()}]}`;
    expect(body.length).toBeLessThan(200_000);
    const { status, text } = await call('POST /decode', body);
    expect([status, text]).toEqual([
      413,
      '{"message":"the response would be too large: send fewer payloads"}',
    ]);
  });
});
