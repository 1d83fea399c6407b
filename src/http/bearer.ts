import { createHash, timingSafeEqual } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
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

export interface CallerRules {
  readonly bearer: BearerRules;
  /** Of one caller; those who have no valid token are told apart by their addresses. */
  readonly requestsPerMinute: number;
  /** What stands for the header `Authorization`: the header itself unless given. */
  readonly authorizationOf?: (request: FastifyRequest) => string | undefined;
  /** What an address asks for that is counted by itself; one and the same unless given. */
  readonly purposeOf?: (request: FastifyRequest) => string;
  /** Whether a request is never turned away; none is unless given. */
  readonly isFree?: (request: FastifyRequest) => boolean;
}

/**
 * Counts the requests of each caller before any is turned away, so that guessing is slowed too.
 *
 * @returns the requests that came with a valid token
 */
export async function countCallers(
  server: FastifyInstance,
  {
    bearer,
    requestsPerMinute,
    authorizationOf = ({ headers }) => headers.authorization,
    purposeOf = () => '',
    isFree = () => false,
  }: CallerRules,
): Promise<{ has(request: FastifyRequest): boolean }> {
  const authenticate = bearerCheck(bearer);
  const callers = new WeakMap<FastifyRequest, string>();
  server.addHook('onRequest', async (request) => {
    const caller = await authenticate(authorizationOf(request));
    if (caller !== undefined) callers.set(request, caller);
  });
  await server.register(rateLimit, {
    global: false,
    max: requestsPerMinute,
    timeWindow: 60_000,
    keyGenerator: (request) => callers.get(request) ?? `${purposeOf(request)}address ${request.ip}`,
    allowList: isFree,
  });
  server.addHook('onRequest', server.rateLimit());
  return callers;
}

/**
 * Compares what a caller gave with secrets of ours, in a time that tells nothing of them.
 *
 * @returns a function that answers the position of the secret that was given, -1 when it is none of them
 */
export function knownSecrets(secrets: readonly string[]): (given: string) => number {
  const hashes = secrets.map(hash);
  return (given) => {
    const hashed = hash(given);
    // Hashes are of one length, as the comparison needs; and each is compared, so that time tells nothing.
    return hashes.map((known) => timingSafeEqual(known, hashed)).indexOf(true);
  };
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
