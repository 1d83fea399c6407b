import type { IncomingMessage } from 'node:http';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { z } from 'zod';
import { type BearerRules, countCallers } from '../http/bearer.js';
import { kindOf, Refused } from '../http/refused.js';
import { type PayloadKeys, payloadCodec, UnreadablePayload } from '../temporal/payload-codec.js';

export interface CodecServerOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly keys: PayloadKeys;
  readonly bearer: BearerRules;
  /** Origin of the Temporal Web UI; undefined when no page may call. */
  readonly uiOrigin: string | undefined;
  /** The namespaces whose payloads are converted: `X-Namespace` of each request must name one of them. */
  readonly namespaces: readonly string[];
  /** Takes the token from the path as well, `/<token>/decode`, for a Web UI that sends none. */
  readonly tokenInPath: boolean;
  /** Of one caller; all who have no valid token count as one for each address. */
  readonly requestsPerMinute: number;
  readonly logger: Logger;
  /** How long headers and whole requests may take to arrive, and an answer may stand still, in milliseconds. */
  readonly limits?: { readonly headersMs: number; readonly requestMs: number; readonly idleMs: number };
}

export interface CodecServer {
  /** `http://127.0.0.1:8083`: the codec endpoint. */
  readonly url: string;
  /** Takes no new requests, and finishes those under way. */
  close(): Promise<void>;
}

/** A small request may hold payloads that are large once decompressed. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Requests that are converted at once, with some 100 MB each for a moment. */
const CONVERTED_AT_ONCE = 2;

/** Whoever is slow holds up others. */
const LIMITS = { headersMs: 5_000, requestMs: 10_000, idleMs: 10_000 };

/** What is logged of a request beside how it was answered. */
interface Seen {
  readonly payloads: number;
  /** Id of a key that an encrypted payload needs and that is not among ours. */
  readonly missingKey?: string;
}

/** Asked by machines that have no token and must not be turned away. It needs nobody else, so alive is ready. */
const HEALTH = ['/healthz', '/readyz'];

/**
 * Starts the codec server, which the Temporal Web UI and the `temporal` command ask to encode and decode payloads:
 * `POST /encode` and `POST /decode`, below any path, with payloads in proto3 JSON both ways. Each call needs a bearer
 * token; `/healthz` and `/readyz` do not. It logs that it was called, and nothing of what it was told.
 */
export async function startCodecServer(options: CodecServerOptions): Promise<CodecServer> {
  const { host, port, keys, uiOrigin, logger } = options;
  const { headersMs, requestMs, idleMs } = options.limits ?? LIMITS;
  const server = Fastify({
    requestTimeout: requestMs,
    http: { headersTimeout: headersMs, connectionsCheckingInterval: Math.min(1_000, headersMs) },
    rewriteUrl: withoutPrefix,
  });
  const seen = new WeakMap<FastifyRequest, Seen>();
  server.addHook('onResponse', async (request, { statusCode: status }) => {
    // A path may hold anything, a token as well, so only that of the route is shown.
    const path = request.routeOptions.url ?? 'another';
    logger.info({ method: request.method, path, status, ...seen.get(request) }, 'answered');
  });
  server.addHook('onRequest', async (_, reply) => void reply.header('cache-control', 'no-store'));
  answerErrors(server, logger);
  if (uiOrigin !== undefined) allowOrigin(server, uiOrigin);
  await admitCallers(server, options);
  boundRequests(server, { isFree: isHealth, idleMs });

  const codec = payloadCodec(keys);
  const turns = pLimit(CONVERTED_AT_ONCE);
  const route = (path: string, convert: PayloadCodec['decode']) =>
    server.post(path, async (request) => {
      requireNamespace(request, options.namespaces);
      const payloads = payloadsFrom(request.body);
      seen.set(request, { payloads: payloads.length });
      try {
        return await turns(async () => payloadsToJson(await inTurns(payloads, convert)));
      } catch (error) {
        const missingKey = error instanceof UnreadablePayload ? error.missingKey : undefined;
        seen.set(request, { payloads: payloads.length, ...(missingKey !== undefined && { missingKey }) });
        throw error;
      }
    });
  route('/encode', codec.encode);
  route('/decode', codec.decode);
  for (const path of HEALTH) server.get(path, () => ({ status: 'ok' }));
  const url = await server.listen({ host, port });
  return { url, close: () => server.close() };
}

/** The protocol has servers look at the end of the path only. */
function withoutPrefix({ url = '/' }: IncomingMessage): string {
  const path = pathOf(url);
  return /\/(?:en|de)code$/.test(path) ? path.slice(path.lastIndexOf('/')) : url;
}

function pathOf(url: string): string {
  return url.split('?')[0] ?? '';
}

/** The first segment of a path with several, as a header has it. */
function tokenOf(url: string): string | undefined {
  const [, token, ...rest] = pathOf(url).split('/');
  return rest.length > 0 ? `Bearer ${token}` : undefined;
}

/** Turns away who has no token. */
async function admitCallers(
  server: FastifyInstance,
  { bearer, requestsPerMinute, tokenInPath }: CodecServerOptions,
): Promise<void> {
  const callers = await countCallers(server, {
    bearer,
    requestsPerMinute,
    isFree: isHealth,
    authorizationOf: ({ headers, originalUrl }) =>
      headers.authorization ?? (tokenInPath ? tokenOf(originalUrl) : undefined),
  });
  server.addHook('onRequest', async (request, reply) => {
    if (callers.has(request) || isHealth(request)) return;
    const error = request.headers.authorization === undefined ? '' : ', error="invalid_token"';
    reply.header('www-authenticate', `Bearer realm="gangway codec server"${error}`);
    throw new Refused(401, 'a bearer token is needed, and this is none that is valid here');
  });
}

function isHealth({ routeOptions }: FastifyRequest): boolean {
  return HEALTH.includes(routeOptions.url ?? '');
}

/**
 * Payloads of another namespace are of other people, although a key may fit them.
 *
 * @throws {Refused}
 */
function requireNamespace({ headers }: FastifyRequest, namespaces: readonly string[]): void {
  const { 'x-namespace': named } = headers;
  if (typeof named === 'string' && namespaces.includes(named)) return;
  throw new Refused(403, 'X-Namespace must name a namespace of this server (CODEC_NAMESPACES)');
}

/** Converts one after the other, lets others have their turn in between, and gives up as soon as the whole becomes too large. */
async function inTurns(payloads: readonly Payload[], convert: PayloadCodec['decode']): Promise<Payload[]> {
  const converted: Payload[] = [];
  let bytes = 0;
  for (const payload of payloads) {
    const [one = {}] = await convert([payload]);
    bytes += sizeOf(one);
    if (bytes > MAX_ANSWER_BYTES) {
      throw new Refused(413, 'the answer would be too large: send fewer payloads');
    }
    converted.push(one);
    await othersTurn();
  }
  return converted;
}

function sizeOf({ metadata, data }: Payload): number {
  return [data, ...Object.values(metadata ?? {})].reduce((sum, bytes) => sum + (bytes?.length ?? 0), 0);
}

/** What the framework refuses. Its own messages are not shown: some quote what they are about. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'the body must be JSON',
  413: 'the body is too large: send fewer payloads',
  415: 'the content type must be application/json',
  429: 'too many requests: wait as long as Retry-After says, in seconds',
};

/** Answers whatever goes wrong with `{"message": "..."}`, and logs only what is our own fault: its kind. */
export function answerErrors(server: FastifyInstance, logger: Logger): void {
  server.setErrorHandler((error, _, reply) => {
    const { status, message } = answerTo(error);
    if (status >= 500) logger.error({ kind: kindOf(error) }, message);
    return reply.code(status).send({ message });
  });
  server.setNotFoundHandler((request, reply) => {
    if (!/^\/(?:en|de)code(?:\?|$)/.test(request.url)) {
      return reply.code(404).send({ message: 'there are only /encode and /decode' });
    }
    return reply.code(405).header('allow', 'POST').send({ message: 'must be called with POST' });
  });
}

function answerTo(error: unknown): { status: number; message: string } {
  if (error instanceof Refused) return error;
  if (error instanceof UnreadablePayload) return { status: 400, message: error.message };
  const { statusCode: status = 500 } = error as { statusCode?: number };
  const message = REFUSALS[status];
  return message === undefined
    ? { status: 500, message: 'something is wrong with the server' }
    : { status, message };
}

/** Twice what Temporal takes in one message, as base64 makes it a third longer. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Signs that begin an object or a list, or divide what is in one. Base64 has none of them. */
const STRUCTURE = new Set(Buffer.from('{[,'));

/** More than a thousand payloads have, so that what is read costs no more than its bytes. */
const MAX_STRUCTURE = 32_000;

/** Requests that are read and answered at once, with 20 MB each for a body and its answer. */
const AT_ONCE = 8;

/** Requests that may wait for their turn; their bodies are not read meanwhile. */
const MAX_WAITING = 1_000;

/**
 * Bounds what requests may cost: the size of a body, how many values it holds, and how many requests are under way.
 * Those who come too late are refused with 503, those who send too much with 413, and those who do not read their answer are
 * cut off.
 *
 * @param idleMs how long a connection may stand still while an answer is sent, in milliseconds
 */
export function boundRequests(
  server: FastifyInstance,
  { isFree, idleMs }: { readonly isFree: (request: FastifyRequest) => boolean; readonly idleMs: number },
): void {
  const turns = pLimit(AT_ONCE);
  server.addHook('onRequest', (request, { raw }, done) => {
    if (isFree(request)) return done();
    if (turns.pendingCount >= MAX_WAITING) return done(new Refused(503, 'too many requests wait: try again'));
    void turns(() => {
      // The caller may have gone meanwhile, and then nothing tells again that it has.
      if (raw.closed) return undefined;
      done();
      return new Promise((resolve) => raw.once('close', resolve));
    });
  });
  server.addHook('onSend', async (_, { raw }) => void raw.setTimeout(idleMs, () => raw.destroy()));
  // What a page may send without a preflight is not among them.
  server.removeAllContentTypeParsers();
  const readJson = server.getDefaultJsonParser('error', 'error');
  const options = { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES } as const;
  server.addContentTypeParser('application/json', options, (request, body: Buffer, done) => {
    if (holdsTooMuch(body)) return done(new Refused(413, 'the body holds too much: send fewer payloads'));
    void readJson(request, body.toString(), done);
  });
}

function holdsTooMuch(body: Buffer): boolean {
  let structure = 0;
  for (const byte of body) if (STRUCTURE.has(byte)) structure += 1;
  return structure > MAX_STRUCTURE;
}

const { Payloads } = proto.temporal.api.common.v1;

/** How many may come at once: what a page of the Web UI shows, several times over. */
const MAX_PAYLOADS = 1_000;

/** Bytes in proto3 JSON: base64 of either alphabet, with padding or without. */
const bytes = z
  .string()
  .refine(
    (text) => /^[\w+/-]*={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1,
    'must be base64',
  )
  .transform((text) => Buffer.from(text, 'base64'));

const externalPayload = z.strictObject({
  sizeBytes: z.union([z.string().regex(/^\d+$/), z.int()]).nullish(),
});

/** `temporal.api.common.v1.Payloads` in proto3 JSON. As its parsers do, it refuses members that it does not know. */
const body = z.strictObject({
  payloads: z
    .array(
      z.strictObject({
        metadata: z.record(z.string(), bytes).nullish(),
        data: bytes.nullish(),
        externalPayloads: z.array(externalPayload).nullish(),
      }),
    )
    .nullish(),
});

/** @throws {Refused} naming the member that is wrong, and not what it holds; with 413 when there are too many */
export function payloadsFrom(json: unknown): Payload[] {
  const checked = body.safeParse(json);
  if (checked.success) {
    if ((checked.data.payloads?.length ?? 0) <= MAX_PAYLOADS)
      return Payloads.fromObject(checked.data).payloads;
    throw new Refused(413, `a request takes ${MAX_PAYLOADS} payloads at most`);
  }
  const [issue] = checked.error.issues;
  throw new Refused(400, `${memberName(issue?.path ?? [])}: ${issue?.message}`);
}

/** The answer's body: `{"payloads":[{"metadata":{"encoding":"..."},"data":"..."}]}` with bytes in base64. */
export function payloadsToJson(payloads: readonly Payload[]): object {
  return Payloads.toObject(Payloads.fromObject({ payloads }), {
    bytes: String,
    longs: String,
    arrays: false,
  });
}

/** `payloads[0].metadata.encoding`. */
function memberName(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return steps.join('').replace(/^\./, '') || 'the body';
}

/** What the Temporal Web UI sends; the extras are the ID token of its user. */
const HEADERS = 'Authorization, Authorization-Extras, Content-Type, X-Namespace';

/** How long a browser may remember the answer to a preflight, in seconds. */
const MAX_AGE = '600';

/** Lets pages of this origin call, with credentials. To pages of any other the browser shows nothing. */
export function allowOrigin(server: FastifyInstance, origin: string): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.header('vary', 'Origin');
    if (request.headers.origin !== origin) return;
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-allow-credentials', 'true');
    if (!isPreflight(request.method, request.headers)) return;
    reply.header('access-control-allow-methods', 'POST');
    reply.header('access-control-allow-headers', HEADERS);
    reply.header('access-control-max-age', MAX_AGE);
    return reply.code(204).send();
  });
}

function isPreflight(method: string, headers: Readonly<Record<string, unknown>>): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
