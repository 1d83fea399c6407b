import type { IncomingMessage } from 'node:http';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Payload, PayloadCodec } from '@temporalio/common';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { BearerRules } from '../http/bearer.js';
import { countCallers } from '../http/callers.js';
import { Refused } from '../http/refused.js';
import { payloadCodec, UnreadablePayload } from '../temporal/payload-codec.js';
import type { PayloadKeys } from '../temporal/payload-keys.js';
import { answerErrors } from './answers.js';
import { boundRequests } from './bounds.js';
import { allowOrigin } from './cors.js';
import { payloadsFrom, payloadsToJson } from './payload-json.js';

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
