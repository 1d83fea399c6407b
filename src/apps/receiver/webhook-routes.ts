import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Counter } from 'prom-client';
import { z } from 'zod';
import { PARTNERS, type SystemName } from '../../partners/descriptors.js';
import { ANY_TYPE, holdUntilClosed, textBodies } from './cloud-events.js';
import { idsInWebhook, type WebhookNudges, webhookIn } from './nudges.js';
import { problems, response } from './openapi.js';
import { Problem } from './problems.js';
import {
  authSetting,
  type ReceiverSettings,
  senderCheck,
  WEBHOOK_PARTNERS,
  type WebhookRules,
} from './settings.js';

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
  const parameter = Object.entries(query as object).find(([name]) => /challenge|validationtoken/i.test(name));
  const challenge = /^[\w.~+/=-]{1,200}$/.exec(parameter?.[1] ?? '')?.[0] ?? 'ok';
  return reply.type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff').send(challenge);
}

const checkSchema = (operationId: string) => ({
  operationId,
  summary: 'Check the address of a webhook',
  response: { 200: response('The challenge of the query', z.string(), 'text/plain'), ...problems(400, 429) },
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
      [statusOf(partner)]: response('The webhook was accepted', z.object({ workflows })),
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
    return idsInWebhook(holdUntilClosed(webhookIn(body), reply), idFields);
  };
}
