import type { IncomingMessage } from 'node:http';
import type { Payload } from '@temporalio/common';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { BearerRules } from '../http/bearer.js';
import { countCallers } from '../http/callers.js';
import { Refused } from '../http/refused.js';
import { payloadCodec } from '../temporal/payload-codec.js';
import type { PayloadKeys } from '../temporal/payload-keys.js';
import { answerErrors } from './answers.js';
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
  /** Takes the token from the path as well, `/<token>/decode`, for a Web UI that sends none. */
  readonly tokenInPath: boolean;
  /** Of one caller; all who have no valid token count as one for each address. */
  readonly requestsPerMinute: number;
  readonly logger: Logger;
}

export interface CodecServer {
  /** `http://127.0.0.1:8083`: the codec endpoint. */
  readonly url: string;
  /** Takes no new requests, and finishes those under way. */
  close(): Promise<void>;
}

/** Twice what Temporal takes in one message, as base64 makes it a third longer. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** A small request may hold payloads that are large once decompressed. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

const REQUEST_TIMEOUT_MS = 30_000;

/** Asked by machines that have no token and must not be turned away. It needs nobody else, so alive is ready. */
const HEALTH = ['/healthz', '/readyz'];

/**
 * Starts the codec server, which the Temporal Web UI and the `temporal` command ask to encode and decode payloads:
 * `POST /encode` and `POST /decode`, below any path, with payloads in proto3 JSON both ways. Each call needs a bearer
 * token; `/healthz` and `/readyz` do not. It logs that it was called, and nothing of what it was told.
 */
export async function startCodecServer(options: CodecServerOptions): Promise<CodecServer> {
  const { host, port, keys, uiOrigin, logger } = options;
  const server = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    rewriteUrl: withoutPrefix,
  });
  // What a page may send without a preflight.
  server.removeContentTypeParser('text/plain');
  const counts = new WeakMap<FastifyRequest, number>();
  server.addHook('onResponse', async (request, reply) => {
    const path = shownPath(request.originalUrl, options.tokenInPath);
    const entry = { method: request.method, path, status: reply.statusCode };
    logger.info({ ...entry, payloads: counts.get(request) }, 'answered');
  });
  server.addHook('onRequest', async (_, reply) => void reply.header('cache-control', 'no-store'));
  answerErrors(server, logger);
  if (uiOrigin !== undefined) allowOrigin(server, uiOrigin);
  await admitCallers(server, options);

  const codec = payloadCodec(keys);
  const route = (path: string, convert: (payloads: Payload[]) => Promise<Payload[]>) =>
    server.post(path, async (request) => {
      const payloads = payloadsFrom(request.body);
      counts.set(request, payloads.length);
      return payloadsToJson(await convert(payloads));
    });
  route('/encode', codec.encode);
  route('/decode', (payloads) => bounded(payloads, codec.decode));
  for (const path of HEALTH) server.get(path, () => ({ status: 'ok' }));
  const url = await server.listen({ host, port });
  return { url, close: () => server.close() };
}

/** The protocol has servers look at the end of the path only. */
function withoutPrefix({ url = '/' }: IncomingMessage): string {
  const path = pathOf(url);
  return /\/(?:en|de)code$/.test(path) ? path.slice(path.lastIndexOf('/')) : url;
}

/** What of a path may be logged. */
function shownPath(url: string, tokenInPath: boolean): string {
  const path = pathOf(url);
  return tokenInPath ? (/\/(?:en|de)code$/.exec(path)?.[0] ?? 'another') : path;
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

/** Decodes one after the other, and gives up as soon as the whole becomes too large. */
async function bounded(
  payloads: readonly Payload[],
  decode: (payloads: Payload[]) => Promise<Payload[]>,
): Promise<Payload[]> {
  const decoded: Payload[] = [];
  let bytes = 0;
  for (const payload of payloads) {
    const [one = {}] = await decode([payload]);
    bytes += sizeOf(one);
    if (bytes > MAX_ANSWER_BYTES) {
      throw new Refused(413, 'the answer would be too large: send fewer payloads');
    }
    decoded.push(one);
  }
  return decoded;
}

function sizeOf({ metadata, data }: Payload): number {
  return [data, ...Object.values(metadata ?? {})].reduce((sum, bytes) => sum + (bytes?.length ?? 0), 0);
}
