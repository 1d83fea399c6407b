import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Counter } from 'prom-client';
import { z } from 'zod';
import { PARTNERS, type SystemName } from '../partners/systems.js';
import { holdUntilClosed, parse, textBodies, textOf } from './cloud-events.js';
import type { WebhookNudges } from './nudges.js';
import { problems, response } from './openapi.js';
import { Problem } from './problems.js';
import { authSetting, senderCheck, WEBHOOK_PARTNERS, type WebhookRules } from './settings.js';
import { countOf, idsIn } from './webhook-ids.js';

interface PartnerWebhookRoutes {
  readonly rules: Readonly<Partial<Record<SystemName, WebhookRules>>>;
  readonly nudges: WebhookNudges;
  readonly count: Counter<'partner' | 'result'>;
  readonly logger: Logger;
}

const MEDIA_TYPES = ['application/json', 'text/json'];

/** Rejects every webhook. */
const NO_SENDERS: WebhookRules = { senders: [], idFields: [] };

const MAX_BODY_BYTES = 256 * 1024;

interface Webhook {
  readonly Params: { readonly secret?: string };
}

/** How many ids a webhook names, and how many workflows have one of them. */
interface Match {
  readonly ids: number;
  readonly workflows: number;
}

/** `POST /webhooks/{partner}`, and `/webhooks/{partner}/{secret}` for a partner that can authenticate in no other way. */
export function partnerWebhookRoutes({ rules, nudges, count, logger }: PartnerWebhookRoutes) {
  return async (server: FastifyInstance): Promise<void> => {
    textBodies(server, MEDIA_TYPES);
    server.addHook('onClose', async () => nudges.close());
    for (const partner of WEBHOOK_PARTNERS) {
      const receive = receiverOf(partner, rules[partner] ?? NO_SENDERS, nudges);
      const matches = new WeakMap<FastifyRequest, Match>();
      const handler = async (request: FastifyRequest<Webhook>, reply: FastifyReply) => {
        const match = await receive(request, reply);
        matches.set(request, match);
        return reply.code(statusOf(partner)).send({ workflows: match.workflows });
      };
      const onResponse = async (request: FastifyRequest<Webhook>, { statusCode }: FastifyReply) => {
        const match = matches.get(request);
        const result = resultOf(statusCode, match);
        count.inc({ partner, result });
        logger.info({ partner, result, ...match }, 'partner webhook');
      };
      const options = { bodyLimit: MAX_BODY_BYTES, onResponse };
      const path = `/webhooks/${partner}`;
      const operationId = `post-${partner}-webhook`;
      server.post<Webhook>(path, { ...options, schema: schemaOf(partner, operationId) }, handler);
      const withSecret = schemaOf(partner, `${operationId}-with-secret`);
      server.post<Webhook>(`${path}/:secret`, { ...options, schema: withSecret }, handler);
    }
  };
}

/** The status of an accepted webhook. */
function statusOf(partner: SystemName): number {
  return PARTNERS[partner].webhooks?.status ?? 202;
}

function schemaOf(partner: SystemName, operationId: string) {
  const anything = z
    .union([z.looseObject({}), z.array(z.unknown())])
    .describe('The body as the partner sends it. It is searched for ids.');
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

function receiverOf(partner: SystemName, { senders, idFields }: WebhookRules, nudges: WebhookNudges) {
  const setting = authSetting(partner);
  const isPartner = senderCheck(senders);
  return async (request: FastifyRequest<Webhook>, reply: FastifyReply): Promise<Match> => {
    if (senders.length === 0) throw new Problem('partner-off', `${setting} is not set`);
    const { headers, params } = request;
    const body = textOf(request, MEDIA_TYPES);
    if (!isPartner({ headers, body, secret: params.secret })) {
      throw new Problem('bad-sender', `the credential that ${setting} requires is missing or wrong`);
    }
    const webhook = holdUntilClosed(parse(body), reply);
    if (typeof webhook !== 'object' || webhook === null) {
      throw new Problem('unreadable', 'a webhook must be an object or an array');
    }
    const ids = idsIn(webhook, idFields);
    return { ids: countOf(ids), workflows: await nudges.nudgeWorkflowsOf(ids) };
  };
}

/** It nudged workflows, its ids matched none, it was rejected, or Temporal was unavailable. */
type Result = 'nudged' | 'unmatched' | 'rejected' | 'failed';

function resultOf(statusCode: number, match: Match | undefined): Result {
  if (match) return match.workflows > 0 ? 'nudged' : 'unmatched';
  return statusCode < 500 ? 'rejected' : 'failed';
}
