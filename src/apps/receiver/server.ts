import type { Client } from '@temporalio/client';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Counter, Registry } from 'prom-client';
import { z } from 'zod';
import { measureRequests } from '../../platform/http/metrics.js';
import {
  type ArrivalLimits,
  countCallers,
  type Listening,
  listen,
  logRequests,
  routeOf,
  serverWithin,
} from '../../platform/http/server.js';
import { temporalCheck } from '../../temporal/server.js';
import { apiRoutes } from './api/calls.js';
import { documentRoute } from './api/documents.js';
import { isHeld, linkDocumentRoute, linkRoutes } from './api/links.js';
import { bodySchemas, onboardingRoutes } from './api/onboardings.js';
import { requirementRoutes } from './api/requirements.js';
import { followClients } from './clients.js';
import { traceRequests } from './cloud-events.js';
import { eventRoutes, eventSchemas, eventTypes } from './event-routes.js';
import { nudgeMetrics, WebhookNudges } from './nudges.js';
import { documentRoutes, response } from './openapi.js';
import { handleClientError, handleProblems, PROBLEMS, Problem, sendProblem } from './problems.js';
import { type ReceiverSettings, signatureCheck } from './settings.js';
import { partnerWebhookRoutes } from './webhook-routes.js';

export interface ReceiverOptions
  extends Omit<ReceiverSettings, 'payloadKeys' | 'logLevel' | 'metricsAddress'> {
  readonly client: Client;
  readonly logger: Logger;
  readonly limits?: ArrivalLimits;
  readonly registry?: Registry;
}

/** Three times a batch of a hundred customers, and half of what Temporal accepts in one message. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** More than the length of any `externalId`. */
const MAX_PARAM_LENGTH = 300;

// Keeps D3.
/**
 * Starts the receiver: `/v1` is the API for other programs, and `POST /events` accepts CloudEvents. After a response of 202, Temporal
 * has the event or the onboarding. `POST /webhooks/{partner}` accepts webhooks of partners, which nudge the onboardings that they are
 * about. The log names each call, and contains no bodies.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Listening> {
  return listen(await receiverOf(options), options);
}

/** Like {@link startReceiver}, but does not listen yet. */
export async function receiverOf(options: ReceiverOptions): Promise<FastifyInstance> {
  const { client, taskQueue, dbaForm, fourEyes, logger, secrets, requestsPerMinute } = options;
  const { registry = new Registry() } = options;
  const server = serverWithin(options.limits ?? { headersMs: 10_000, requestMs: 30_000, uploadMs: 300_000 }, {
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    return503OnClosing: false,
    trustProxy: options.trustedProxies.length > 0 && [...options.trustedProxies],
    clientErrorHandler: handleClientError,
    frameworkErrors: (_error, _request, reply) =>
      sendProblem(reply, new Problem('unreadable', 'the path is malformed')),
  });
  server.removeAllContentTypeParsers();
  traceRequests(server);
  const metrics = receiverMetrics(registry);
  logRequests(server, logger);
  measureRequests(server, registry, {
    total: 'gangway_receiver_requests_total',
    seconds: 'gangway_receiver_request_duration_seconds',
  });
  handleProblems(server, logger, ({ kind }) => metrics.problems.inc({ problem: kind }));
  const types = eventTypes(options);
  const bodies = bodySchemas(options);
  const routes = [...onboardingRoutes(bodies), ...requirementRoutes(), ...linkRoutes(options.linkUrl)];
  const forms = [documentRoute, linkDocumentRoute];
  rejectUnknown(server);
  const identify = followClients(options.clientsFile, Object.keys(options.accounts));
  // Events, webhooks and health checks do not depend on the list of clients.
  const authorizationOf = (request: FastifyRequest) =>
    routeOf(request).startsWith('/v1/') ? request.headers.authorization : undefined;
  const rules = { identify, requestsPerMinute, authorizationOf, purposeOf };
  const callers = await countCallers(server, rules);

  await documentRoutes(server, { events: eventSchemas(types), bodies });
  const backend = { client, taskQueue, dbaForm, fourEyes, accounts: Object.keys(options.accounts) };
  const checkSignature = secrets.length > 0 ? signatureCheck(secrets) : undefined;
  await server.register(eventRoutes({ types, backend, checkSignature, requestsPerMinute }));
  const api = {
    backend,
    logger,
    known: options,
    documentDir: options.documentDir,
    people: options.people,
    identify,
    clientOf: (request: FastifyRequest) => callers.get(request),
  };
  await server.register(apiRoutes(api, routes));
  await server.register(apiRoutes(api, forms));
  const nudges = new WebhookNudges(backend, logger, nudgeMetrics(registry, backend.accounts));
  await server.register(
    partnerWebhookRoutes({ rules: options.webhooks, nudges, count: metrics.webhooks, logger }),
  );
  monitoringRoutes(server, client);
  return server;
}

/** Rejects unknown paths, and other methods of the paths that are registered from now on. */
function rejectUnknown(server: FastifyInstance): void {
  const routes: (readonly [path: RegExp, method: string])[] = [];
  server.addHook('onRoute', ({ method, url }) => {
    routes.push([new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`), String(method)]);
  });
  server.setNotFoundHandler(({ url }) => {
    const path = url.split('?')[0] ?? '';
    const methods = routes.flatMap(([pattern, method]) => (pattern.test(path) ? [method] : []));
    const allow = [...new Set(methods)].sort().join(', ');
    if (allow === '') throw new Problem('unknown-path', '/openapi.json lists all paths');
    throw new Problem('wrong-method', `use ${allow}`, { headers: { allow } });
  });
}

/**
 * Groups requests that have separate limits. Each partner's webhooks have one, so a flood of them does not block events through the
 * same proxy. Each link has one, so strangers on the merchant's page do not block merchants.
 */
function purposeOf(request: FastifyRequest): string {
  const route = routeOf(request);
  if (route.startsWith('/webhooks/')) return `${route} of `;
  const { link } = (request.params ?? {}) as { readonly link?: string };
  return link !== undefined && isHeld(link) ? `${link} of ` : '';
}

/** The receiver is alive as long as it responds, and ready only while Temporal is available. */
function monitoringRoutes(server: FastifyInstance, client: Client): void {
  const isReady = temporalCheck(client);
  const schema = (operationId: string, summary: string, responses: Readonly<Record<number, object>>) => ({
    schema: { operationId, summary, response: responses },
  });
  let json: string | undefined;
  // This document does not describe its own route.
  server.get('/openapi.json', { schema: { hide: true } }, (_, reply) => {
    json ??= JSON.stringify(server.swagger());
    return reply.type('application/json').send(json);
  });
  const alive = response('The receiver is alive', z.object({ status: z.literal('ok') }));
  const health = schema('healthz', 'Check whether the receiver is alive', { 200: alive });
  server.get('/healthz', health, () => ({ status: 'ok' }));
  const states = {
    200: response('Temporal is available', z.object({ temporal: z.literal('ready') })),
    503: response('Temporal is unavailable', z.object({ temporal: z.literal('unavailable') })),
  };
  server.get('/readyz', schema('readyz', 'Check whether the receiver is ready', states), async (_, reply) => {
    const ready = await isReady();
    return reply.code(ready ? 200 : 503).send({ temporal: ready ? 'ready' : 'unavailable' });
  });
}

function receiverMetrics(registry: Registry) {
  const registers = [registry];
  const problems = new Counter({
    name: 'gangway_receiver_problems_total',
    help: 'Requests that failed, by kind of problem',
    labelNames: ['problem'],
    registers,
  });
  // Prometheus notices an increase only from a known value.
  for (const problem of Object.keys(PROBLEMS)) problems.inc({ problem }, 0);
  return {
    problems,
    webhooks: new Counter({
      name: 'gangway_receiver_webhooks_total',
      help: 'Partner webhooks by result',
      labelNames: ['partner', 'result'],
      registers,
    }),
  };
}
