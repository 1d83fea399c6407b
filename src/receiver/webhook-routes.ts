import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { holdUntilAnswered, parse, textBodies, textOf } from './cloud-events.js';
import type { Hints } from './nudges.js';
import { Problem } from './problems.js';
import {
  authSetting,
  senderCheck,
  WEBHOOK_PARTNERS,
  type WebhookPartner,
  type WebhookRules,
} from './settings.js';
import { countOf, idsIn } from './webhook-ids.js';

interface HintRoutes {
  readonly rules: Readonly<Record<WebhookPartner, WebhookRules>>;
  readonly hints: Hints;
  readonly registry: Registry;
  readonly logger: Logger;
}

/** What a delivery is answered with that was taken. The processor expects 200 (apis/4), the others any 2xx. */
const TAKEN = { banking: 202, boarding: 202, processor: 200 } as const;

const MEDIA_TYPES = ['application/json', 'text/json'];

const MAX_BODY_BYTES = 256 * 1024;

/** What became of a delivery: it found workflows, it found none, it was not taken, or Temporal was away. */
type Result = 'nudged' | 'nobody' | 'refused' | 'failed';

interface Delivery {
  readonly Params: { readonly secret?: string };
}

/** `POST /webhooks/{partner}`, and `/webhooks/{partner}/{secret}` for partners that can show a secret in no other way. */
export function partnerWebhookRoutes({ rules, hints, registry, logger }: HintRoutes) {
  return async (server: FastifyInstance): Promise<void> => {
    textBodies(server, MEDIA_TYPES);
    server.addHook('onClose', async () => hints.close());
    const deliveries = new Counter({
      name: 'gangway_hints_total',
      help: 'Webhook deliveries of partners by what became of them',
      labelNames: ['partner', 'result'],
      registers: [registry],
    });
    for (const partner of WEBHOOK_PARTNERS) {
      const take = takeFrom(partner, rules[partner], hints);
      const taken = new WeakMap<FastifyRequest, Taken>();
      const handler = async (request: FastifyRequest<Delivery>, reply: FastifyReply) => {
        const found = await take(request, reply);
        taken.set(request, found);
        return reply.code(TAKEN[partner]).send({ workflows: found.workflows });
      };
      const onResponse = async (request: FastifyRequest<Delivery>, { statusCode }: FastifyReply) => {
        const found = taken.get(request);
        const result = resultOf(statusCode, found);
        deliveries.inc({ partner, result });
        logger.info({ partner, result, ...found }, 'hint');
      };
      const options = { bodyLimit: MAX_BODY_BYTES, onResponse };
      server.post<Delivery>(`/webhooks/${partner}`, options, handler);
      server.post<Delivery>(`/webhooks/${partner}/:secret`, options, handler);
    }
  };
}

/** How many ids a delivery named, and how many workflows were found by them. */
interface Taken {
  readonly ids: number;
  readonly workflows: number;
}

function takeFrom(partner: WebhookPartner, { senders, idFields }: WebhookRules, hints: Hints) {
  const setting = authSetting(partner);
  const isPartner = senderCheck(senders);
  return async (request: FastifyRequest<Delivery>, reply: FastifyReply): Promise<Taken> => {
    if (senders.length === 0) throw new Problem('partner-off', `${setting} is not set`);
    const { headers, params } = request;
    const body = textOf(request, MEDIA_TYPES);
    if (!isPartner({ headers, body, secret: params.secret })) {
      throw new Problem('bad-sender', `what ${setting} asks for is missing or wrong`);
    }
    const delivery = holdUntilAnswered(parse(body), reply);
    if (typeof delivery !== 'object' || delivery === null) {
      throw new Problem('unreadable', 'a delivery must be an object or an array');
    }
    const ids = idsIn(delivery, idFields);
    return { ids: countOf(ids), workflows: await hints.pass(ids) };
  };
}

function resultOf(statusCode: number, taken: Taken | undefined): Result {
  if (taken) return taken.workflows > 0 ? 'nudged' : 'nobody';
  return statusCode < 500 ? 'refused' : 'failed';
}
