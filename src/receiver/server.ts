import type { Client } from '@temporalio/client';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import type { Logger } from 'pino';
import { Counter, Histogram, Registry } from 'prom-client';
import { countCallers } from '../http/bearer.js';
import { NUDGES } from '../temporal/nudge.js';
import { temporalCheck } from '../temporal/server.js';
import { traceRequests } from './cloud-events.js';
import { eventRoutes } from './event-routes.js';
import { eventTypes } from './event-types.js';
import { Hints, type Pause } from './nudges.js';
import { onboardingRoutes } from './onboarding-routes.js';
import { openApiDocument } from './openapi.js';
import { answerClientError, answerProblems, PROBLEMS, Problem, sendProblem } from './problems.js';
import { type ReceiverSettings, signatureCheck } from './settings.js';
import { partnerWebhookRoutes } from './webhook-routes.js';

export interface ReceiverOptions extends Omit<ReceiverSettings, 'payloadKeys' | 'logLevel'> {
  /** Temporal, which may be away. */
  readonly client: Client;
  readonly logger: Logger;
  /** How long headers and whole requests may take to arrive, in milliseconds. */
  readonly limits?: { readonly headersMs: number; readonly requestMs: number };
  /** How ids of partner webhooks wait to be looked up once more. Default: in real time. */
  readonly pause?: Pause;
}

export interface Receiver {
  /** `http://127.0.0.1:8082`. */
  readonly url: string;
  /** Takes no new requests, and finishes those under way. */
  close(): Promise<void>;
}

/** A batch of a hundred customers takes a third of it, and Temporal takes twice as much at once. */
export const MAX_BODY_BYTES = 1024 * 1024;

const LIMITS = { headersMs: 10_000, requestMs: 30_000 };

/** Longer than any `externalId`. */
const MAX_PARAM_LENGTH = 300;

/** What the paths take, for those who try something else. */
const METHODS: readonly (readonly [path: RegExp, methods: string])[] = [
  [/^\/events$/, 'OPTIONS, POST'],
  [/^\/onboardings\/[^/]+$/, 'GET, HEAD, PUT'],
  [/^\/webhooks\/(?:banking|boarding|processor)(?:\/[^/]+)?$/, 'POST'],
  [/^\/(?:openapi\.json|metrics|healthz|readyz)$/, 'GET, HEAD'],
];

/** Asked by machines that must not be turned away. */
const HEALTH = ['/healthz', '/readyz'];

/**
 * Starts the receiver: `POST /events` takes CloudEvents, `PUT` and `GET /onboardings/{externalId}` start and show one
 * onboarding. What these answer with 202 is in Temporal by then. `POST /webhooks/{partner}` takes what partners say has
 * changed, as a hint to look. It logs that it was called, and nothing of what it was told.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { host, port, client, taskQueue, logger, secrets } = options;
  const { headersMs, requestMs } = options.limits ?? LIMITS;
  const server = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: requestMs,
    http: { headersTimeout: headersMs, connectionsCheckingInterval: Math.min(1_000, headersMs) },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    return503OnClosing: false,
    trustProxy: options.trustedProxies.length > 0 && [...options.trustedProxies],
    clientErrorHandler: answerClientError,
    frameworkErrors: (_error, _request, reply) =>
      sendProblem(reply, new Problem('unreadable', 'the path is not well formed')),
  });
  server.removeAllContentTypeParsers();
  traceRequests(server);
  const metrics = receiverMetrics();
  server.addHook('onResponse', async ({ method, routeOptions }, { statusCode: status, elapsedTime }) => {
    // A path may hold anything, so only that of the route is told.
    const route = routeOptions.url ?? 'another';
    logger.info({ method, path: route, status }, 'answered');
    metrics.requests.inc({ method, route, status });
    metrics.seconds.observe({ route }, elapsedTime / 1_000);
  });
  server.addHook('onRequest', async (_, reply) => void reply.header('cache-control', 'no-store'));
  answerProblems(server, logger, ({ kind }) => metrics.problems.inc({ problem: kind }));
  refuseUnknown(server);
  const callers = await countCallers(server, {
    bearer: { tokens: options.tokens, jwt: undefined },
    requestsPerMinute: options.requestsPerMinute,
    purposeOf: webhookOf,
    isFree: ({ routeOptions }) => HEALTH.includes(routeOptions.url ?? ''),
  });

  const types = eventTypes(options);
  const desk = { client, taskQueue, accounts: Object.keys(options.accounts) };
  const checkSignature = secrets.length > 0 ? signatureCheck(secrets) : undefined;
  await server.register(
    eventRoutes({ types, desk, checkSignature, requestsPerMinute: options.requestsPerMinute }),
  );
  await server.register(
    onboardingRoutes({ desk, known: options, isCaller: (request) => callers.has(request) }),
  );
  const { registry } = metrics;
  const hints = new Hints(desk, logger, metrics.nudges, options.pause);
  await server.register(partnerWebhookRoutes({ rules: options.hints, hints, registry, logger }));
  const document = JSON.stringify(openApiDocument(types, options));
  server.get('/openapi.json', (_, reply) => reply.type('application/json').send(document));
  server.get('/metrics', async (_, reply) => reply.type(registry.contentType).send(await registry.metrics()));
  serveHealth(server, client);
  const url = await server.listen({ host, port });
  return { url, close: () => server.close() };
}

function refuseUnknown(server: FastifyInstance): void {
  server.setNotFoundHandler(({ url }) => {
    const path = url.split('?')[0] ?? '';
    const allow = METHODS.find(([pattern]) => pattern.test(path))?.[1];
    if (allow === undefined) {
      throw new Problem(
        'unknown-path',
        'there are /events, /onboardings/{externalId}, /webhooks/{partner} and /openapi.json',
      );
    }
    throw new Problem('wrong-method', `it takes ${allow}`, { headers: { allow } });
  });
}

/** A flood of a partner's webhooks must not keep events out that come by the same proxy. */
function webhookOf({ routeOptions: { url = '' } }: FastifyRequest): string {
  return url.startsWith('/webhooks/') ? `${url} of ` : '';
}

/** Alive as long as it answers; ready only while Temporal does. */
function serveHealth(server: FastifyInstance, client: Client): void {
  const isReady = temporalCheck(client);
  server.get('/healthz', () => ({ status: 'ok' }));
  server.get('/readyz', async (_, reply) => {
    const ready = await isReady();
    return reply.code(ready ? 200 : 503).send({ temporal: ready ? 'ready' : 'away' });
  });
}

/** What the receiver counts, of itself; a path is that of its route, for it may hold anything. */
export function receiverMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const problems = new Counter({
    name: 'gangway_receiver_problems_total',
    help: 'Requests that were answered with a problem, by its kind',
    labelNames: ['problem'],
    registers,
  });
  // Prometheus sees an increase only from a value that it knows.
  for (const problem of Object.keys(PROBLEMS)) problems.inc({ problem }, 0);
  return {
    registry,
    problems,
    requests: new Counter({
      name: 'gangway_receiver_requests_total',
      help: 'Requests by route and HTTP status',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    seconds: new Histogram({
      name: 'gangway_receiver_request_duration_seconds',
      help: 'How long requests took',
      labelNames: ['route'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
      registers,
    }),
    nudges: new Counter({ ...NUDGES, labelNames: ['result'], registers }),
  };
}
