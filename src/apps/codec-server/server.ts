import type { IncomingMessage } from 'node:http';
import { setImmediate as othersTurn } from 'node:timers/promises';
import cors from '@fastify/cors';
import type { Payload } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { Counter, Registry } from 'prom-client';
import { z } from 'zod';
import { measureRequests } from '../../platform/http/metrics.js';
import {
  type ArrivalLimits,
  bearerChallenge,
  bearerCheck,
  countCallers,
  errorKind,
  isHealthCheck,
  type Listening,
  listen,
  logRequests,
  Refused,
  serverWithin,
} from '../../platform/http/server.js';
import { payloadCodec, UnreadablePayload } from '../../temporal/payload-codec.js';
import type { CodecSettings } from './settings.js';

export interface CodecServerOptions extends Omit<CodecSettings, 'metricsAddress' | 'logLevel'> {
  readonly logger: Logger;
  /** `idleMs`: how long a caller may stop reading a response, in milliseconds. */
  readonly limits?: ArrivalLimits & { readonly idleMs: number };
  readonly registry?: Registry;
}

/** A small request may contain payloads that are large after decompression. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/** The number of requests that are converted concurrently. Each briefly needs some 100 MB. */
const CONVERTED_AT_ONCE = 2;

/** Short limits, because a slow caller delays others. */
const LIMITS = { headersMs: 5_000, requestMs: 10_000, idleMs: 10_000 };

interface Seen {
  readonly payloads: number;
  /** The ID of a key that this server lacks. */
  readonly missingKey?: string;
}

/**
 * Starts the codec server. The Temporal Web UI and the `temporal` command call it to encode and decode payloads:
 * `POST /encode` and `POST /decode`, below any path, with payloads in proto3 JSON both ways. Each call needs a bearer
 * token; `/healthz` and `/readyz` do not. The log names each call, and contains no payloads.
 */
export async function startCodecServer(options: CodecServerOptions): Promise<Listening> {
  return listen(await codecServer(options), options);
}

export async function codecServer(options: CodecServerOptions): Promise<FastifyInstance> {
  const { keys, uiOrigin, logger, registry = new Registry() } = options;
  const limits = options.limits ?? LIMITS;
  const server = serverWithin(limits, {
    rewriteUrl: withoutPrefix,
    // The router's own message would quote the path, which may contain a token.
    frameworkErrors: (_error, _request, reply) => sendUnknownPath(reply),
  });
  const seen = new WeakMap<FastifyRequest, Seen>();
  logRequests(server, logger, (request) => seen.get(request) ?? {});
  measureRequests(server, registry, {
    total: 'gangway_codec_requests_total',
    seconds: 'gangway_codec_request_duration_seconds',
  });
  const missingKeys = new Counter({
    name: 'gangway_codec_missing_keys_total',
    help: 'Requests with a payload whose key is not in PAYLOAD_KEYS',
    registers: [registry],
  });
  handleCodecErrors(server, logger);
  if (uiOrigin !== undefined) await allowOrigin(server, uiOrigin);
  await admitCallers(server, options);
  boundRequests(server, limits.idleMs);

  const codec = payloadCodec(keys);
  const turns = pLimit(CONVERTED_AT_ONCE);
  const route = (path: string, convert: typeof codec.encode) =>
    server.post(path, async (request) => {
      const namespace = allowedNamespace(request, options.namespaces);
      const payloads = payloadsFrom(request.body);
      seen.set(request, { payloads: payloads.length });
      try {
        return await turns(async () =>
          payloadsToJson(await inTurns(payloads, (one) => convert(one, { namespace }))),
        );
      } catch (error) {
        const missingKey = error instanceof UnreadablePayload ? error.missingKey : undefined;
        if (missingKey !== undefined) missingKeys.inc();
        seen.set(request, { payloads: payloads.length, ...(missingKey !== undefined && { missingKey }) });
        throw error;
      }
    });
  route('/encode', codec.encode);
  // Requests name no workflow, and histories of Nexus callers contain payloads of another namespace.
  route('/decode', (payloads) => codec.decode(payloads));
  // The server has no dependencies, so it is ready as soon as it is alive.
  for (const path of ['/healthz', '/readyz']) server.get(path, () => ({ status: 'ok' }));
  return server;
}

/** Removes the prefix of a path, because the protocol defines only its end. */
function withoutPrefix({ url = '/' }: IncomingMessage): string {
  const path = pathOf(url);
  return /\/(?:en|de)code$/.test(path) ? path.slice(path.lastIndexOf('/')) : url;
}

function pathOf(url: string): string {
  return url.split('?')[0] ?? '';
}

/** Returns the first segment of a path with several segments, in the form of an `Authorization` header. */
function tokenOf(url: string): string | undefined {
  const [, token, ...rest] = pathOf(url).split('/');
  return rest.length > 0 ? `Bearer ${token}` : undefined;
}

async function admitCallers(
  server: FastifyInstance,
  { bearer, requestsPerMinute, tokenInPath }: CodecServerOptions,
): Promise<void> {
  const callers = await countCallers(server, {
    identify: bearerCheck(bearer),
    requestsPerMinute,
    authorizationOf: ({ headers, originalUrl }) =>
      headers.authorization ?? (tokenInPath ? tokenOf(originalUrl) : undefined),
  });
  server.addHook('onRequest', async (request, reply) => {
    if (callers.has(request) || isHealthCheck(request)) return;
    reply.headers(bearerChallenge('gangway codec server', request));
    throw new Refused(
      401,
      'the bearer token is missing or invalid: send one of CODEC_TOKENS or of the token issuer',
    );
  });
}

/**
 * Returns the namespace of a request. Payloads of another namespace belong to other people, even if a key fits them.
 *
 * @throws {Refused}
 */
function allowedNamespace({ headers }: FastifyRequest, namespaces: readonly string[]): string {
  const { 'x-namespace': named } = headers;
  if (typeof named === 'string' && namespaces.includes(named)) return named;
  throw new Refused(403, 'X-Namespace must name a namespace of this server (CODEC_NAMESPACES)');
}

/** Converts payloads one by one, lets other requests run in between, and stops as soon as the response becomes too large. */
async function inTurns(payloads: readonly Payload[], convert: (payloads: Payload[]) => Promise<Payload[]>) {
  const converted: Payload[] = [];
  let bytes = 0;
  for (const payload of payloads) {
    const [one = {}] = await convert([payload]);
    for (const part of [one.data, ...Object.values(one.metadata ?? {})]) bytes += part?.length ?? 0;
    if (bytes > MAX_RESPONSE_BYTES) {
      throw new Refused(413, 'the response would be too large: send fewer payloads');
    }
    converted.push(one);
    await othersTurn();
  }
  return converted;
}

function sendUnknownPath(reply: FastifyReply): FastifyReply {
  return reply.code(404).send({ message: 'unknown path: use /encode or /decode' });
}

/** Messages for Fastify's errors, by HTTP status. Fastify's own may quote the request. */
const FASTIFY_ERRORS: Readonly<Record<number, string>> = {
  400: 'the body must be JSON',
  413: 'the body is too large: send fewer payloads',
  415: 'the content type must be application/json',
  429: 'too many requests: wait for the seconds in Retry-After',
};

/** Responds to every error with `{"message": "..."}`. Logs only internal errors, by kind. */
export function handleCodecErrors(server: FastifyInstance, logger: Logger): void {
  server.setErrorHandler((error, _, reply) => {
    const { status, message } = responseTo(error);
    if (status >= 500) logger.error({ kind: errorKind(error) }, message);
    return reply.code(status).send({ message });
  });
  server.setNotFoundHandler((request, reply) => {
    if (!/^\/(?:en|de)code(?:\?|$)/.test(request.url)) {
      return sendUnknownPath(reply);
    }
    return reply.code(405).header('allow', 'POST').send({ message: 'wrong method: use POST' });
  });
}

function responseTo(error: unknown): { status: number; message: string } {
  if (error instanceof Refused) return error;
  if (error instanceof UnreadablePayload) return { status: 400, message: error.message };
  const { statusCode: status = 500 } = error as { statusCode?: number };
  const message = FASTIFY_ERRORS[status];
  return message === undefined
    ? { status: 500, message: 'internal error: see the log of the codec server' }
    : { status, message };
}

/** Twice what Temporal accepts in one message, because base64 makes it a third longer. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Characters that begin an object or a list, or separate its items. Base64 has none of them. */
const STRUCTURE = new Set(Buffer.from('{[,'));

/** More than a thousand payloads need. Limits the memory for parsing a body. */
const MAX_STRUCTURE = 32_000;

/** The number of requests that are read and processed concurrently. Each needs 20 MB for its body and response. */
const AT_ONCE = 8;

/** The maximum number of waiting requests. Their bodies are not read while they wait. */
const MAX_WAITING = 1_000;

/**
 * Limits the cost of requests: the size of a body, its number of values, and the number of concurrent requests. Rejects with 503 if
 * too many requests wait, and with 413 if a body is too large. Disconnects a caller that does not read its response.
 */
function boundRequests(server: FastifyInstance, idleMs: number): void {
  const turns = pLimit(AT_ONCE);
  server.addHook('onRequest', (request, { raw }, done) => {
    if (isHealthCheck(request)) return done();
    if (turns.pendingCount >= MAX_WAITING) return done(new Refused(503, 'too many requests wait: try again'));
    void turns(() => {
      // The caller may have disconnected while it waited. Then no further `close` event follows.
      if (raw.closed) return undefined;
      done();
      return new Promise((resolve) => raw.once('close', resolve));
    });
  });
  server.addHook('onSend', async (_, { raw }) => void raw.setTimeout(idleMs, () => raw.destroy()));
  // JSON only: a page cannot send it without a preflight.
  server.removeAllContentTypeParsers();
  const readJson = server.getDefaultJsonParser('error', 'error');
  const options = { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES } as const;
  server.addContentTypeParser('application/json', options, (request, body: Buffer, done) => {
    if (holdsTooMuch(body))
      return done(new Refused(413, 'the body has too many values: send fewer payloads'));
    void readJson(request, body.toString(), done);
  });
}

function holdsTooMuch(body: Buffer): boolean {
  let structure = 0;
  for (const byte of body) if (STRUCTURE.has(byte)) structure += 1;
  return structure > MAX_STRUCTURE;
}

const { Payloads } = proto.temporal.api.common.v1;

/** The maximum number of payloads in a request, several times what a page of the Web UI shows. */
const MAX_PAYLOADS = 1_000;

/** Bytes in proto3 JSON: base64 of either alphabet, with padding or without. */
const bytes = z
  .string('must be text')
  .refine(
    (text) => /^[\w+/-]*={0,2}$/.test(text) && text.replace(/={1,2}$/, '').length % 4 !== 1,
    'must be base64',
  )
  .transform((text) => Buffer.from(text, 'base64'));

/** A copy, because the codec server does not import the other folders' messages for invalid values. */
const OBJECT = 'must be an object';

const SIZE = 'must be a whole number';
const sizeBytes = z.union([z.string().regex(/^\d+$/, SIZE), z.int()], SIZE).nullish();

const payload = z.strictObject(
  {
    metadata: z.record(z.string(), bytes, OBJECT).nullish(),
    data: bytes.nullish(),
    externalPayloads: z.array(z.strictObject({ sizeBytes }, OBJECT), 'must be a list').nullish(),
  },
  OBJECT,
);

/** `temporal.api.common.v1.Payloads` in proto3 JSON. Unknown fields are rejected, as by parsers of proto3 JSON. */
const body = z.strictObject({ payloads: z.array(payload, 'must be a list').nullish() }, OBJECT);

/** @throws {Refused} with the invalid field but not its value, or with 413 for too many payloads */
function payloadsFrom(json: unknown): Payload[] {
  const checked = body.safeParse(json);
  if (checked.success) {
    if ((checked.data.payloads?.length ?? 0) <= MAX_PAYLOADS)
      return Payloads.fromObject(checked.data).payloads;
    throw new Refused(413, `a request may have ${MAX_PAYLOADS} payloads at most: send fewer`);
  }
  const [issue] = checked.error.issues;
  const [unknown] = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  const path = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])];
  throw new Refused(
    400,
    `${fieldName(path)}: ${unknown === undefined ? issue?.message : 'is not a known field'}`,
  );
}

/** Returns the body of a response: `{"payloads":[{"metadata":{"encoding":"..."},"data":"..."}]}` with bytes in base64. */
function payloadsToJson(payloads: readonly Payload[]): object {
  return Payloads.toObject(Payloads.fromObject({ payloads }), {
    bytes: String,
    longs: String,
    arrays: false,
  });
}

/** Returns a field's name: `payloads[0].metadata.encoding`. */
function fieldName(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return steps.join('').replace(/^\./, '') || 'the body';
}

/** The headers that the Temporal Web UI sends. `Authorization-Extras` is the ID token of its user. */
const UI_HEADERS = ['Authorization', 'Authorization-Extras', 'Content-Type', 'X-Namespace'];

/** Lets pages of this origin call, with credentials. If the option were a text, other origins would get CORS headers, too. */
async function allowOrigin(server: FastifyInstance, uiOrigin: string): Promise<void> {
  await server.register(cors, {
    origin: async (origin?: string) => origin === uiOrigin,
    credentials: true,
    methods: ['POST'],
    allowedHeaders: UI_HEADERS,
    maxAge: 600,
  });
}
