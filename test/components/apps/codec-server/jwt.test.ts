import { createServer } from 'node:http';
import { type CryptoKey, exportJWK, type GenerateKeyPairResult, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { CLEAR, ENCRYPTED, runCodecServer, TOKEN } from '../../../rigs/codec-server/running-codec-server.js';
import { listening } from '../../../rigs/listening.js';

const BODY = `{"payloads":[${ENCRYPTED}]}`;
const ISSUER = 'https://login.example.com';
const AUDIENCE = 'gangway-codec';

let issuer: GenerateKeyPairResult;
let stranger: GenerateKeyPairResult;
beforeAll(async () => {
  issuer = await generateKeyPair('RS256');
  stranger = await generateKeyPair('RS256');
});

/** An issuer that publishes its keys, or responds with this status. */
async function publishKeys(status = 200): Promise<string> {
  const key = { ...(await exportJWK(issuer.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [key] }));
  });
  return `http://${await listening(server)}/keys.json`;
}

async function decodeWith(token: string, jwksUrl?: string) {
  const jwt = { jwksUrl: jwksUrl ?? (await publishKeys()), issuer: ISSUER, audience: AUDIENCE };
  const server = await runCodecServer({ bearer: { tokens: [TOKEN], jwt } });
  const reply = await server.call('POST /decode', BODY, { authorization: `Bearer ${token}` });
  return { ...reply, log: server.log() };
}

interface Made {
  /** In addition to the usual ones, or instead of them. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly kid?: string;
  readonly key?: CryptoKey | Uint8Array;
  readonly alg?: string;
}

function token({ claims = {}, kid = 'one', key = issuer.privateKey, alg = 'RS256' }: Made = {}) {
  const now = Math.floor(Date.now() / 1_000);
  const usual = { iss: ISSUER, aud: AUDIENCE, sub: 'olga@example.com', iat: now, exp: now + 300 };
  return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg, kid }).sign(key);
}

/** A valid token with another header and its old signature. */
async function withHeader(header: object): Promise<string> {
  return (await token()).replace(/^[^.]*/, Buffer.from(JSON.stringify(header)).toString('base64url'));
}

/** A token that a stranger has signed, with a header that names the stranger's key. */
async function signedByStranger(header: object): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  return new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: 'olga@example.com', iat: now, exp: now + 300 })
    .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
    .sign(stranger.privateKey);
}

describe('a JSON Web Token of the issuer', () => {
  const ahead = () => token({ claims: { iat: Math.floor(Date.now() / 1_000) + 30 } });
  it('is accepted, besides the tokens of the settings', async () => {
    const several = token({ claims: { aud: ['other', AUDIENCE] } });
    for (const valid of [await token(), await several, await ahead(), TOKEN]) {
      const { status, text } = await decodeWith(valid);
      expect([status, text]).toEqual([200, `{"payloads":[${CLEAR}]}`]);
    }
  });

  const ENCRYPTED_TOKEN =
    'eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..AAAAAAAAAAAAAAAA.AA.AAAAAAAAAAAAAAAAAAAAAA';
  const otherSignature = async () => (await token({ claims: { sub: 'x' } })).split('.')[2] ?? '';
  const algorithm = (alg: string): [string, () => Promise<string>] => [
    `names the algorithm "${alg}"`,
    () => withHeader({ alg, kid: 'one' }),
  ];
  const past = Math.floor(Date.now() / 1_000) - 60;
  it.each<[string, () => Promise<string>]>([
    ['has expired', () => token({ claims: { exp: past } })],
    ['is not valid yet', () => token({ claims: { nbf: past + 300 } })],
    ['is dated ten minutes ahead', () => token({ claims: { iat: past + 660, exp: past + 900 } })],
    ['never expires', () => token({ claims: { exp: undefined } })],
    ['is for another audience', () => token({ claims: { aud: 'temporal-ui' } })],
    ['is for no audience', () => token({ claims: { aud: undefined } })],
    ['is of another issuer', () => token({ claims: { iss: 'https://login.example.org' } })],
    ['names nobody', () => token({ claims: { sub: undefined } })],
    ['is signed with another key', () => token({ key: stranger.privateKey })],
    ['names a key that the issuer has not', () => token({ kid: 'two', key: stranger.privateKey })],
    ['is signed with the public key', () => token({ alg: 'HS256', key: new TextEncoder().encode(ISSUER) })],
    ['is not signed', async () => (await withHeader({ alg: 'none' })).replace(/[^.]*$/, '')],
    [
      'has been changed',
      async () => (await token()).replace(/\.[^.]{10}/, (part) => `${part.slice(0, -1)}_`),
    ],
    ['is no token at all', async () => 'a.b.c'],
    ['is encrypted', async () => ENCRYPTED_TOKEN],
    ...['None', 'NONE', 'nOnE', '', 'HS256', 'RS1', 'ES256K', 'RSA-OAEP'].map(algorithm),
    ['brings its own key', async () => signedByStranger({ jwk: await exportJWK(stranger.publicKey) })],
    ['links to its own key', () => signedByStranger({ jku: 'https://keys.example.org/jwks.json' })],
    ['links to its own certificate', () => signedByStranger({ x5u: 'https://keys.example.org/x.pem' })],
    ['brings its own certificate', () => signedByStranger({ x5c: ['AA=='] })],
    ['names a file as its key', () => signedByStranger({ kid: '../../../../dev/null' })],
    ['names a query as its key', () => signedByStranger({ kid: "' OR 1=1 --" })],
    ['names a prototype as its key', () => signedByStranger({ kid: '__proto__' })],
    ['requires an unknown extension', () => withHeader({ alg: 'RS256', kid: 'one', crit: ['x'], x: 1 })],
    ['is not encoded', () => withHeader({ alg: 'RS256', kid: 'one', crit: ['b64'], b64: false })],
    ['has no signature', async () => (await token()).replace(/[^.]*$/, '')],
    [
      'has the signature of another token',
      async () => (await token()).replace(/[^.]*$/, await otherSignature()),
    ],
    ['has four parts', async () => `${await token()}.AA`],
    ['expires in words', () => token({ claims: { exp: 'tomorrow' } })],
    ['expires in a list', () => token({ claims: { exp: [4_102_444_800] } })],
    ['is for an object', () => token({ claims: { aud: { [AUDIENCE]: true } } })],
    ['is for an audience that begins alike', () => token({ claims: { aud: `${AUDIENCE}-2` } })],
    ['is of an issuer that begins alike', () => token({ claims: { iss: `${ISSUER}.example.org` } })],
    ['is of an issuer with a slash', () => token({ claims: { iss: `${ISSUER}/` } })],
    ['is of several issuers', () => token({ claims: { iss: [ISSUER, 'https://login.example.org'] } })],
  ])('that %s is rejected', async (_, make) => {
    const { status, headers } = await decodeWith(await make());
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it.each([
    ['responds with an error', () => publishKeys(500)],
    ['cannot be reached', async () => 'http://127.0.0.1:1/keys.json'],
  ])('cannot be checked while the issuer %s', async (_, publish) => {
    const { status, text, log } = await decodeWith(await token(), await publish());
    const message = 'the keys of the token issuer cannot be fetched now (CODEC_JWKS_URL): try again';
    expect([status, JSON.parse(text)]).toEqual([503, { message }]);
    expect(log).toContain(`"msg":"${message}"`);
  });

  it.each([
    ['at once', (body: string) => [body]],
    ['without an end', (body: string) => Array.from({ length: 300 }, () => body)],
  ])('cannot be checked with a key set that is too large: %s', async (_, chunksOf) => {
    let sent = 0;
    let isCutOff: () => void = () => undefined;
    const cutOff = new Promise<void>((resolve) => {
      isCutOff = resolve;
    });
    const server = createServer(async (_request, response) => {
      response.on('close', isCutOff);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"keys":[],"padding":"');
      for (const chunk of chunksOf('A'.repeat(1024 * 1024))) {
        if (response.destroyed) break;
        sent += chunk.length;
        await new Promise((resolve) => response.write(chunk, resolve));
      }
      response.end('"}');
    });
    const { status, log } = await decodeWith(await token(), `http://${await listening(server)}/keys.json`);
    expect(status).toBe(503);
    expect(log).toContain('"kind":"Refused: ERR_JOSE_GENERIC: TypeError: UND_ERR_RES_EXCEEDED_MAX_SIZE"');
    await cutOff;
    expect(sent).toBeLessThan(20 * 1024 * 1024);
  });

  it('counts for its subject, whose name is not logged', async () => {
    const jwt = { jwksUrl: await publishKeys(), issuer: ISSUER, audience: AUDIENCE };
    const { call, log } = await runCodecServer({ bearer: { tokens: [], jwt }, requestsPerMinute: 1 });
    const statuses = [];
    for (const claims of [{}, { jti: 'renewed' }, { sub: 'igor@example.com' }]) {
      const authorization = `Bearer ${await token({ claims })}`;
      statuses.push((await call('POST /decode', BODY, { authorization })).status);
    }
    expect(statuses).toEqual([200, 429, 200]);
    expect(log()).not.toContain('example.com');
  });
});
