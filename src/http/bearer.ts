import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { knownSecrets } from './known-secrets.js';
import { Refused } from './refused.js';

/** Who may call: one of these tokens, or a JSON Web Token (JWT) of this issuer for this audience. */
export interface BearerRules {
  readonly tokens: readonly string[];
  readonly jwt: JwtRule | undefined;
}

export interface JwtRule {
  /** Where the issuer publishes its keys. */
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
}

/** Signatures by key pairs only: what the issuer publishes must not be enough to make tokens. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** Key sets have some kilobytes. */
const MAX_KEY_SET_BYTES = 256 * 1024;

/** How far the issuer's clock may be off. */
const CLOCK_TOLERANCE = '5s';

/** The issuer's keys could not be had or read. All other errors are the token's. */
const ISSUER_AWAY: readonly string[] = ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'];

/**
 * Tells who calls by the header `Authorization`: a name that is the same for each call of one caller, undefined for
 * one without a valid token.
 *
 * @throws {Refused} with 503 when the token cannot be checked now
 */
export type Authenticate = (authorization: string | undefined) => Promise<string | undefined>;

export function bearerCheck({ tokens, jwt }: BearerRules): Authenticate {
  const positionOf = knownSecrets(tokens);
  const keys = jwt && createRemoteJWKSet(new URL(jwt.jwksUrl), { [customFetch]: fetchKeySet });
  return async (authorization) => {
    const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return undefined;
    const known = positionOf(token);
    if (known >= 0) return `token ${known + 1}`;
    return jwt && keys && subjectOf(token, jwt, keys);
  };
}

async function subjectOf(token: string, rule: JwtRule, keys: JWTVerifyGetKey): Promise<string | undefined> {
  const { issuer, audience } = rule;
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE,
      requiredClaims: ['exp', 'sub'],
    });
    return `subject ${payload.sub}`;
  } catch (error) {
    if (error instanceof errors.JOSEError && !ISSUER_AWAY.includes(error.code)) return undefined;
    throw new Refused(503, 'the keys of the token issuer cannot be had now (CODEC_JWKS_URL)', {
      cause: error,
    });
  }
}

/** Gives up as soon as the answer is larger than a key set can be. */
async function fetchKeySet(url: string, request: RequestInit): Promise<Response> {
  const response = await fetch(url, request);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_KEY_SET_BYTES) throw new RangeError('the key set is too large');
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status: response.status });
}
