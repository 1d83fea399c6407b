import { describe, expect, it } from 'vitest';
import { loadCodecSettings } from '../../../../src/apps/codec-server/settings.js';
import { BadSetting } from '../../../../src/platform/settings/settings.js';
import { KEY, TOKEN } from '../../../rigs/codec-server/running-codec-server.js';
import { fileWith } from '../../../rigs/folders.js';

const NEEDED = { PAYLOAD_KEYS: `k1:${KEY}`, CODEC_TOKENS: TOKEN };
const JWT = {
  CODEC_JWKS_URL: 'https://login.example.com/keys',
  CODEC_JWT_ISSUER: 'https://login.example.com',
  CODEC_JWT_AUDIENCE: 'gangway-codec',
};

describe('the settings of the codec server', () => {
  it('are the keys and a token, and defaults', () => {
    const { keys, ...others } = loadCodecSettings(NEEDED);
    expect(keys.map(({ id }) => id)).toEqual(['k1']);
    expect(others).toEqual({
      host: '127.0.0.1',
      port: 8083,
      bearer: { tokens: [TOKEN], jwt: undefined },
      uiOrigin: undefined,
      tokenInPath: false,
      namespaces: ['default'],
      requestsPerMinute: 3_000,
      logLevel: 'info',
    });
  });

  it('take secrets from files', async () => {
    const { keys, bearer } = loadCodecSettings({
      PAYLOAD_KEYS_FILE: await fileWith(`k1:${KEY}\n`),
      CODEC_TOKENS_FILE: await fileWith(`${TOKEN}\n`),
    });
    expect([keys[0].id, bearer.tokens]).toEqual(['k1', [TOKEN]]);
  });

  const [ISSUER, BEHIND_TLS] = ['https://login.example.com', { CODEC_BEHIND_TLS: 'true' }];
  const jwt = { jwksUrl: `${ISSUER}/keys`, issuer: ISSUER, audience: 'gangway-codec' };
  it.each<[Record<string, string>, object]>([
    [{ CODEC_TOKENS: `${TOKEN}, ${TOKEN}-2` }, { bearer: { tokens: [TOKEN, `${TOKEN}-2`], jwt: undefined } }],
    // An issuer needs no static token.
    [{ ...JWT, CODEC_TOKENS: '' }, { bearer: { tokens: [], jwt } }],
    [{ CODEC_ADDRESS: 'localhost:9000' }, { host: 'localhost', port: 9_000 }],
    [{ CODEC_ADDRESS: '0.0.0.0:9000', ...BEHIND_TLS }, { host: '0.0.0.0' }],
    [{ CODEC_UI_ORIGIN: 'https://temporal.example.com' }, { uiOrigin: 'https://temporal.example.com' }],
    [{ CODEC_NAMESPACES: 'live, test' }, { namespaces: ['live', 'test'] }],
    [{ TEMPORAL_NAMESPACE: 'live' }, { namespaces: ['live'] }],
    [{ CODEC_TOKEN_IN_PATH: 'true' }, { tokenInPath: true }],
    [{ GANGWAY_LOG_LEVEL: 'warn' }, { logLevel: 'warn' }],
  ])('%j becomes %j', (set, settings) => {
    expect(loadCodecSettings({ ...NEEDED, ...set })).toMatchObject(settings);
  });

  it.each(['127.0.0.1:0', '127.8.0.1:8083', 'localhost:8083'])('allow %s without TLS', (address) => {
    expect(loadCodecSettings({ ...NEEDED, CODEC_ADDRESS: address }).host).toBe(address.split(':')[0]);
  });

  const NO_TOKEN = 'CODEC_TOKENS: is not set, and neither is CODEC_JWKS_URL: callers need a bearer token';
  const ANY = { ...JWT, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  it.each<[string, Record<string, string>]>([
    ['PAYLOAD_KEYS: is not set', { PAYLOAD_KEYS: '' }],
    ['PAYLOAD_KEYS: key 1 must be 32 bytes in base64', { PAYLOAD_KEYS: 'k1:c2VjcmV0' }],
    [NO_TOKEN, { CODEC_TOKENS: '' }],
    ['CODEC_TOKENS: each token must be 32 or more', { CODEC_TOKENS: `${TOKEN},c2VjcmV0` }],
    ['CODEC_TOKENS: each token must be 32 or more', { CODEC_TOKENS: `${TOKEN} c2VjcmV0` }],
    ['CODEC_TOKENS: each token must be 32 or more', { CODEC_TOKENS: `${TOKEN},` }],
    ['CODEC_JWT_AUDIENCE: is not set, but CODEC_JWKS_URL is', { ...JWT, CODEC_JWT_AUDIENCE: '' }],
    ['CODEC_JWT_ISSUER: is not set, but CODEC_JWKS_URL is', { ...JWT, CODEC_JWT_ISSUER: '' }],
    ['CODEC_JWKS_URL: is not set, but CODEC_JWT_ISSUER is', { ...JWT, CODEC_JWKS_URL: '' }],
    ['CODEC_JWKS_URL: must be a URL with https', { ...JWT, CODEC_JWKS_URL: 'http://login.example.com/keys' }],
    ['CODEC_ADDRESS: must be host:port', { CODEC_ADDRESS: '8083' }],
    ['CODEC_ADDRESS: must be a loopback address', { CODEC_ADDRESS: '0.0.0.0:8083' }],
    ['CODEC_ADDRESS: must be a loopback address', { CODEC_ADDRESS: 'codec.example.com:8083' }],
    ['CODEC_BEHIND_TLS: must be true or false', { CODEC_BEHIND_TLS: 'yes' }],
    ['CODEC_UI_ORIGIN: must be an origin', { CODEC_UI_ORIGIN: 'https://temporal.example.com/' }],
    ['CODEC_UI_ORIGIN: must be an origin', { CODEC_UI_ORIGIN: '*' }],
    ['CODEC_TOKEN_IN_PATH: is allowed on loopback only', { CODEC_TOKEN_IN_PATH: 'true', ...BEHIND_TLS }],
    [`NODE_TLS_REJECT_UNAUTHORIZED: is 0, so anyone could pose as the server of CODEC_JWKS_URL`, ANY],
    ['CODEC_NAMESPACES: must be names of namespaces', { CODEC_NAMESPACES: 'live,' }],
  ])('are rejected: %s', (message, settings) => {
    const load = () => loadCodecSettings({ ...NEEDED, ...settings });
    expect(load).toThrow(BadSetting);
    expect(load).toThrow(message);
    expect(load).not.toThrow(/c2VjcmV0|6f1d0c5e/);
  });
});
