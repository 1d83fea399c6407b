import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Counter } from 'prom-client';
import { z } from 'zod';
import type { KnownAccounts } from '../../messages/inputs.js';
import { ONBOARDINGS } from '../../messages/kinds.js';
import { PARTNERS, type SystemName } from '../../partners/systems.js';
import { bearerChallenge } from '../../platform/http/server.js';
import type { AnyInput, Kind } from '../../temporal/kinds/kind.js';
import { EACH_KIND } from '../../temporal/kinds/kinds.js';
import { stateOf } from '../../temporal/onboardings.js';
import { type Backend, checked, find, type Requested, startOrAttach } from '../../temporal/requests.js';
import { ANY_TYPE, holdUntilClosed, parse, textBodies, textOf } from './cloud-events.js';
import { idsIn, type WebhookNudges, webhookIn } from './nudges.js';
import { accepted, problems, type RequestSchemas, response, state, unchanged } from './openapi.js';
import { callTemporal, DEADLINE_MS, Problem } from './problems.js';
import {
  authSetting,
  type ReceiverSettings,
  senderCheck,
  WEBHOOK_PARTNERS,
  type WebhookRules,
} from './settings.js';

interface OnboardingRoutes {
  readonly backend: Backend;
  readonly bodies: RequestSchemas['bodies'];
  readonly isCaller: (request: FastifyRequest) => boolean;
}

const MEDIA_TYPES = ['application/json'];

interface Path {
  readonly Params: { readonly externalId: string };
}

/** The kinds of onboarding by the `type` of a body. */
const BODY_KINDS = new Map(EACH_KIND.map((kind) => [ONBOARDINGS[kind.type].nouns[0], kind] as const));

const typed = z.looseObject({
  type: z.enum([...BODY_KINDS.keys()]).transform((type) => [type, BODY_KINDS.get(type) as Kind] as const),
  externalId: z.undefined('is in the path').optional(),
});

export function bodySchemas(known: KnownAccounts): RequestSchemas['bodies'] {
  return Object.fromEntries([...BODY_KINDS].map(([type, { schema }]) => [type, schema(known)]));
}

function schemas(bodies: OnboardingRoutes['bodies']) {
  const security = [{ bearer: [] }];
  return {
    put: {
      operationId: 'put-onboarding',
      summary: 'Start an onboarding, or attach to the one that was started before with the same input',
      security,
      body: { content: { 'application/json': { schema: z.union(Object.values(bodies)) } } },
      response: {
        200: response('The onboarding was started before, with the same input', unchanged),
        202: response('Temporal has the onboarding', accepted),
        ...problems(400, 401, 409, 413, 415, 422, 429, 503),
      },
    },
    get: {
      operationId: 'get-onboarding',
      summary: 'Read the state of an onboarding',
      security,
      response: { 200: response('The state', state), ...problems(401, 404, 409, 429, 503) },
    },
  };
}

/** `PUT` and `GET /onboardings/{externalId}`, for callers with a bearer token. */
export function onboardingRoutes(routes: OnboardingRoutes) {
  const { backend, bodies, isCaller } = routes;
  const { client } = backend;
  const { put, get } = schemas(bodies);
  return async (server: FastifyInstance): Promise<void> => {
    textBodies(server, MEDIA_TYPES);
    server.addHook('onRequest', async (request) => {
      if (isCaller(request)) return;
      const headers = bearerChallenge('gangway receiver', request);
      throw new Problem('bad-token', 'send a token of RECEIVER_TOKENS as Authorization: Bearer', { headers });
    });
    server.put<Path>('/onboardings/:externalId', { schema: put }, async (request, reply) => {
      const body = holdUntilClosed(parse(textOf(request, MEDIA_TYPES)), reply);
      const { workflowId, isUnchanged } = await callTemporal(
        client,
        startOnboarding(routes, request.params.externalId, body),
      );
      reply.code(isUnchanged ? 200 : 202).header('location', `/onboardings/${workflowId}`);
      return reply.send({ workflowId, ...(isUnchanged && { unchanged: true }) });
    });
    server.get<Path>('/onboardings/:externalId', { schema: get }, async ({ params: { externalId } }) => {
      const { workflowId } = await callTemporal(client, () => find(backend, externalId));
      return { workflowId, ...(await callTemporal(client, () => stateOf(client, workflowId, DEADLINE_MS))) };
    });
  };
}

/** Validates a body, and returns a function that starts its onboarding. */
function startOnboarding({ backend, bodies }: OnboardingRoutes, externalId: string, body: unknown) {
  const {
    type: [type, kind],
    ...fields
  } = checked(typed, body);
  const input = checked(bodies[type] ?? z.never(), { ...fields, externalId });
  // The schema of its kind has checked it.
  return (): Promise<Requested> => startOrAttach(backend, kind, input as AnyInput);
}

interface PartnerWebhookRoutes {
  readonly rules: ReceiverSettings['webhooks'];
  readonly nudges: WebhookNudges;
  readonly count: Counter<'partner' | 'result'>;
  readonly logger: Logger;
}

interface Webhook {
  readonly Params: { readonly secret?: string };
}

/** `POST /webhooks/{partner}`, and `/webhooks/{partner}/{secret}` for a partner that has no other way to authenticate. */
export function partnerWebhookRoutes({ rules, nudges, count, logger }: PartnerWebhookRoutes) {
  return async (server: FastifyInstance): Promise<void> => {
    textBodies(server, ANY_TYPE);
    server.addHook('onClose', async () => nudges.close());
    for (const partner of WEBHOOK_PARTNERS) {
      const idsOf = receiverOf(partner, rules[partner]);
      const matches = new WeakMap<FastifyRequest, { readonly ids: number; readonly workflows: number }>();
      const handler = async (request: FastifyRequest<Webhook>, reply: FastifyReply) => {
        const ids = idsOf(request, reply);
        const workflows = await nudges.nudgeWorkflowsOf(ids);
        matches.set(request, { ids: ids.size, workflows });
        return reply.code(statusOf(partner)).send({ workflows });
      };
      const onResponse = async (request: FastifyRequest<Webhook>, { statusCode }: FastifyReply) => {
        const match = matches.get(request);
        const otherwise = statusCode < 500 ? 'rejected' : 'failed';
        const result = !match ? otherwise : match.workflows > 0 ? 'nudged' : 'unmatched';
        count.inc({ partner, result });
        logger.info({ partner, result, ...match }, 'partner webhook');
      };
      const paths = { '': '', '/:secret': '-with-secret' };
      for (const [path, suffix] of Object.entries(paths)) {
        const schema = schemaOf(partner, `post-${partner}-webhook${suffix}`);
        const options = { bodyLimit: 256 * 1024, onResponse, schema };
        server.post<Webhook>(`/webhooks/${partner}${path}`, options, handler);
        server.get(
          `/webhooks/${partner}${path}`,
          { schema: checkSchema(`get-${partner}-webhook${suffix}`) },
          answerCheck,
        );
      }
    }
  };
}

/** Some senders first check the address: they expect a text back that is in the query, such as `hub.challenge`. */
async function answerCheck({ query }: FastifyRequest, reply: FastifyReply) {
  const found = Object.entries(query as object).find(([name]) => /challenge|validationtoken/i.test(name));
  const challenge = /^[\w.~+/=-]{1,200}$/.exec(found?.[1] ?? '')?.[0] ?? 'ok';
  return reply.type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff').send(challenge);
}

const checkSchema = (operationId: string) => ({
  operationId,
  summary: 'Check the address of a webhook',
  response: { 200: response('The challenge of the query', z.string(), 'text/plain'), ...problems(429) },
});

function statusOf(partner: SystemName): number {
  return PARTNERS[partner].webhooks?.status ?? 202;
}

function schemaOf(partner: SystemName, operationId: string) {
  const anything = z
    .union([z.looseObject({}), z.array(z.unknown())])
    .describe('The body as the partner sends it. It is searched for IDs.');
  const workflows = z.int().describe('The number of onboardings that read their status at the partner now');
  return {
    operationId,
    summary: `Send a webhook of the ${partner} partner, which nudges the onboardings that it is about`,
    description: `The setting ${authSetting(partner)} determines how it authenticates: by a signature, a header, or a secret in the path.`,
    body: anything,
    response: {
      [statusOf(partner)]: response('The webhook was accepted', z.looseObject({ workflows })),
      ...problems(400, 401, 404, 413, 415, 429, 503),
    },
  };
}

/** Authenticates a webhook, and returns the IDs that it names. */
function receiverOf(
  partner: SystemName,
  { senders, idFields }: WebhookRules = { senders: [], idFields: [] },
) {
  const setting = authSetting(partner);
  const isPartner = senderCheck(senders);
  return (request: FastifyRequest<Webhook>, reply: FastifyReply) => {
    if (senders.length === 0) throw new Problem('partner-off', `${setting} is not set`);
    const { headers, params } = request;
    const body = typeof request.body === 'string' ? request.body : '';
    if (!isPartner(headers, body, params.secret)) {
      throw new Problem('bad-sender', `the credential that ${setting} requires is missing or wrong`);
    }
    return idsIn(holdUntilClosed(webhookIn(body), reply), idFields);
  };
}
