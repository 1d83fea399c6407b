import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import Fastify from 'fastify';
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import type { Logger } from 'pino';
import { fetchThroughProxy } from './proxy.js';

/** Fails a request with this HTTP status. The message never contains the caller's input. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(
    readonly status: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Returns the part of an error that may be logged: `TypeError`, or `Problem: ECONNREFUSED`. A message may contain private data. */
export function errorKind(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = String((error as NodeJS.ErrnoException).code ?? error.name);
  return error.cause === undefined ? code : `${code}: ${errorKind(error.cause)}`;
}

export interface ArrivalLimits {
  readonly headersMs: number;
  readonly requestMs: number;
  /** For a request that {@link mayTakeLong}. Default: `requestMs`. */
  readonly uploadMs?: number;
}

/** Creates a server that disconnects slow senders, and closes as soon as the requests in flight are finished. */
export function serverWithin(
  { headersMs, requestMs, uploadMs = requestMs }: ArrivalLimits = { headersMs: 5_000, requestMs: 10_000 },
  options: FastifyServerOptions = {},
): FastifyInstance {
  const http = { headersTimeout: headersMs, connectionsCheckingInterval: Math.min(1_000, headersMs) };
  const server = Fastify({ ...options, requestTimeout: uploadMs, http });
  if (uploadMs > requestMs) endSlow(server, requestMs);
  closeWithin(server, uploadMs);
  return server;
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export type Listening = Awaited<ReturnType<typeof listen>>;

/** @returns the address: `http://127.0.0.1:8085`. `close` accepts no new requests, and finishes those in flight */
export async function listen(server: FastifyInstance, { host, port }: ListenAddress) {
  const url = await server.listen({ host, port });
  return { url, close: (): Promise<void> => server.close() };
}

const ENDS = new WeakMap<FastifyRequest, NodeJS.Timeout>();

/** Node has one limit for all requests, so set it for uploads, and end slow other requests here, as Node would. */
function endSlow(server: FastifyInstance, requestMs: number): void {
  server.addHook('onRequest', async (request, reply) => {
    const { raw } = request;
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    const end = setTimeout(() => {
      if (!raw.complete) server.server.emit('clientError', late, raw.socket);
    }, requestMs);
    ENDS.set(request, end);
    reply.raw.once('close', () => clearTimeout(end));
  });
}

/** Lets a request arrive as slowly as an upload. Call this before the body is read, if the caller may upload. */
export function mayTakeLong(request: FastifyRequest): void {
  clearTimeout(ENDS.get(request));
}

/** How much of a refused body to read, in bytes: a client that still sends when its connection ends may never see the response. */
const MAX_DISCARDED = 16 * 1024 * 1024;

/**
 * Rejects with `error` as soon as more than `most` bytes of a body have arrived, because a form's limits cover only the content of its
 * parts. Destroys the connection later, because Node would read the rest of the body without a limit.
 */
export function refusedBeyond({ raw }: FastifyRequest, reply: FastifyReply, most: number, error: Error) {
  let received = 0;
  const refused = new Promise<never>((_, reject) => {
    raw.on('data', ({ length }: Buffer) => {
      received += length;
      if (received <= most) return;
      reject(error);
      if (received > most + MAX_DISCARDED && reply.raw.writableFinished) raw.destroy();
    });
  });
  // A rejection is not unhandled: callers may await it only after a file is read.
  refused.catch(() => undefined);
  return refused;
}

/** `server.close()` waits for keep-alive connections and lifts the timeout for slow senders, so close them here. */
function closeWithin(server: FastifyInstance, requestMs: number): void {
  const connections = new Map<Socket, IncomingMessage | undefined>();
  let isClosing = false;
  const disconnect = (isOver: (request: IncomingMessage | undefined) => boolean) => {
    for (const [socket, request] of connections) if (isOver(request)) socket.destroy();
  };
  server.server.on('connection', (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
    if (isClosing) socket.destroy();
  });
  server.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    connections.set(socket, request);
    response.once('close', () => {
      // Another request may have arrived on the connection.
      if (connections.get(socket) !== request) return;
      connections.set(socket, undefined);
      if (isClosing) socket.end();
    });
  });
  // With this header, a caller does not send its next request on this connection.
  server.addHook('onSend', async (_, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });
  server.addHook('preClose', async () => {
    isClosing = true;
    disconnect((request) => request === undefined);
    setTimeout(() => disconnect((request) => !request?.complete), requestMs).unref();
  });
}

/**
 * Responds to requests that never reach Fastify: too slow, headers too large, not HTTP.
 *
 * @param respond returns the response to a status of 400, 408 or 431
 */
export function refusesUnreadable(
  respond: (status: 400 | 408 | 431) => {
    readonly title: string;
    readonly contentType: string;
    readonly body: string;
  },
) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const status =
      error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
    const { title, contentType, body } = respond(status);
    const head = [
      `HTTP/1.1 ${status} ${title}`,
      `content-type: ${contentType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      'cache-control: no-store',
      'connection: close',
    ];
    if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    socket.destroySoon();
  };
}

/** Returns a route's path for logs and metrics. The request's own path may contain a token or personal data. */
export function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? 'unknown';
}

/** Logs each request by its route, and forbids caches to keep responses. `more` returns further fields of the log entry. */
export function logRequests(
  server: FastifyInstance,
  logger: Logger,
  more: (request: FastifyRequest) => object = () => ({}),
): void {
  server.addHook('onRequest', async (_, reply) => void reply.header('cache-control', 'no-store'));
  server.addHook('onResponse', async (request, reply) => {
    const { method } = request;
    const entry = { method, path: routeOf(request), status: reply.statusCode, ...more(request) };
    logger.info(entry, 'request completed');
  });
}

/** Reports whether a request is a health check, which needs no token and is never limited. */
export function isHealthCheck(request: FastifyRequest): boolean {
  return ['/healthz', '/readyz'].includes(routeOf(request));
}

/** Callers must hold one of these tokens, or a JSON Web Token (JWT) of this issuer for this audience. */
export interface BearerRules {
  readonly tokens: readonly string[];
  readonly jwt: JwtRule | undefined;
}

export interface JwtRule {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
}

/** Only signatures by key pairs, because a public key must not be usable as a shared secret. */
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** The maximum time that a token may be dated ahead, in seconds. */
const MAX_AHEAD_S = 60;

/** Errors in fetching or reading the issuer's keys. Any other error is about the token. */
const ISSUER_UNAVAILABLE: readonly string[] = ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'];

export function isAboutToken(error: unknown): boolean {
  return error instanceof errors.JOSEError && !ISSUER_UNAVAILABLE.includes(error.code);
}

/** Returns the token in an `Authorization` header. */
export function bearerIn(authorization: string | undefined): string | undefined {
  return /^Bearer +([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1];
}

/** Returns a function that names a caller by its `Authorization` header: `subject ada`, `token 2`. Throws like {@link subjectCheck}. */
export function bearerCheck({ tokens, jwt }: BearerRules) {
  const positionOf = knownSecrets(tokens);
  const subjectOf = jwt && subjectCheck(jwt, 'CODEC_JWKS_URL');
  return async (authorization: string | undefined): Promise<Caller | undefined> => {
    const token = bearerIn(authorization);
    if (token === undefined) return undefined;
    const index = positionOf(token);
    if (index >= 0) return { name: `token ${index + 1}` };
    const subject = await subjectOf?.(token);
    return subject === undefined ? undefined : { name: `subject ${subject}` };
  };
}

/**
 * Returns a function that returns the subject of a valid JWT. It throws a {@link Refused} with 503 if the token cannot be checked
 * now.
 *
 * @param setting the name of the setting with the keys' address
 */
export function subjectCheck({ issuer, audience, jwksUrl }: JwtRule, setting: string) {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { [customFetch]: fetchThroughProxy });
  return async (token: string): Promise<string | undefined> => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: '5s',
        requiredClaims: ['exp', 'sub'],
      });
      const { iat = 0, sub } = payload;
      return iat > Date.now() / 1_000 + MAX_AHEAD_S ? undefined : sub;
    } catch (error) {
      if (isAboutToken(error)) return undefined;
      throw new Refused(503, `the keys of the token issuer cannot be fetched now (${setting}): try again`, {
        cause: error,
      });
    }
  };
}

/** The default limit. A caller with more than 50 requests per second is probably in an endless loop. */
export const REQUESTS_PER_MINUTE = 3_000;

/** A caller, identified by its name. */
export interface Caller {
  readonly name: string;
  /** Default: the limit of all callers. */
  readonly requestsPerMinute?: number;
}

export interface CallerRules<Known extends Caller> {
  /** Returns undefined for a request without a valid token. */
  readonly identify: (authorization: string | undefined) => Promise<Known | undefined>;
  /** The limit of each caller. Without a valid token, the IP address counts as the caller. */
  readonly requestsPerMinute: number;
  readonly authorizationOf?: (request: FastifyRequest) => string | undefined;
  /** Groups the requests of one caller that have a limit of their own. Default: one group. */
  readonly purposeOf?: (request: FastifyRequest) => string;
}

/**
 * Limits the requests of each caller. Counts rejected requests, too, so guessing tokens is limited.
 *
 * @returns the callers of requests with a valid token
 */
export async function countCallers<Known extends Caller>(
  server: FastifyInstance,
  {
    identify,
    requestsPerMinute,
    authorizationOf = ({ headers }) => headers.authorization,
    purposeOf = () => '',
  }: CallerRules<Known>,
): Promise<Pick<WeakMap<FastifyRequest, Known>, 'has' | 'get'>> {
  const callers = new WeakMap<FastifyRequest, Known>();
  const failures = new WeakMap<FastifyRequest, unknown>();
  server.addHook('onRequest', async (request) => {
    try {
      const caller = await identify(authorizationOf(request));
      if (caller !== undefined) callers.set(request, caller);
    } catch (error) {
      failures.set(request, error);
    }
  });
  const nameOf = (request: FastifyRequest) =>
    purposeOf(request) + (callers.get(request)?.name ?? `address ${request.ip}`);
  const limitOf = (request: FastifyRequest) => callers.get(request)?.requestsPerMinute ?? requestsPerMinute;
  await limitRequests(server, limitOf, nameOf);
  server.addHook('onRequest', async (request) => {
    if (failures.has(request)) throw failures.get(request);
  });
  return callers;
}

export async function limitRequests(
  server: FastifyInstance,
  perMinute: number | ((request: FastifyRequest) => number),
  callerOf: (request: FastifyRequest) => string,
): Promise<void> {
  await server.register(rateLimit, {
    global: false,
    max: perMinute,
    timeWindow: 60_000,
    keyGenerator: callerOf,
    allowList: isHealthCheck,
  });
  server.addHook('onRequest', server.rateLimit());
}

/** Returns the header of a 401 response. It asks for a token, and says whether the request had an invalid one. */
export function bearerChallenge(realm: string, { headers }: FastifyRequest): { 'www-authenticate': string } {
  const error = headers.authorization === undefined ? '' : ', error="invalid_token"';
  return { 'www-authenticate': `Bearer realm="${realm}"${error}` };
}

/**
 * Compares a value with known secrets, in a time that reveals nothing about them.
 *
 * @returns a function that returns the position of a secret; -1 if it is unknown
 */
export function knownSecrets(secrets: readonly string[]): (secret: string) => number {
  return knownHashes(secrets.map(hash));
}

/** Like {@link knownSecrets}, from the SHA-256 of each secret. */
export function knownHashes(hashes: readonly Buffer[]): (value: string) => number {
  return (value) => {
    const hashed = hash(value);
    // Hashes have equal lengths, as the comparison requires. Compare all, so the time is always the same.
    return hashes.map((each) => timingSafeEqual(each, hashed)).indexOf(true);
  };
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
