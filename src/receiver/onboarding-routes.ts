import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { KnownAccounts } from '../messages/inputs.js';
import { isNestedDeeper, TOO_NESTED } from '../messages/objects.js';
import { stateOf } from '../temporal/onboardings.js';
import {
  BUSINESS,
  CUSTOMER,
  differenceFromStart,
  type Kind,
  MERCHANT,
  type Started,
} from '../temporal/start.js';
import { holdUntilAnswered, parse, textBodies, textOf } from './cloud-events.js';
import type { Desk } from './event-types.js';
import { find } from './event-types.js';
import { ask, DEADLINE_MS, invalid, Problem, wrongFields } from './problems.js';

interface OnboardingRoutes {
  readonly desk: Desk;
  readonly known: KnownAccounts;
  /** Whether a request came with a valid token. */
  readonly isCaller: (request: FastifyRequest) => boolean;
}

const MEDIA_TYPES = ['application/json'];

interface Path {
  readonly Params: { readonly externalId: string };
}

/** The kinds of onboarding by the `type` of a body. */
export const BODY_KINDS = { merchant: MERCHANT, business: BUSINESS, customer: CUSTOMER } as const;

const typed = z.looseObject({
  type: z.enum(Object.keys(BODY_KINDS) as (keyof typeof BODY_KINDS)[]),
  externalId: z.undefined('is in the path').optional(),
});

/** `PUT` and `GET /onboardings/{externalId}`, for who has a bearer token. */
export function onboardingRoutes({ desk, known, isCaller }: OnboardingRoutes) {
  const start = startFrom(desk, known);
  return async (server: FastifyInstance): Promise<void> => {
    textBodies(server, MEDIA_TYPES);
    server.addHook('onRequest', async (request) => {
      if (!isCaller(request)) throw refused(request);
    });
    server.put<Path>('/onboardings/:externalId', async (request, reply) => {
      const body = holdUntilAnswered(parse(textOf(request, MEDIA_TYPES)), reply);
      const { workflowId, isUnchanged } = await ask(desk.client, start(request.params.externalId, body));
      reply.code(isUnchanged ? 200 : 202).header('location', `/onboardings/${workflowId}`);
      return reply.send({ workflowId, ...(isUnchanged && { unchanged: true }) });
    });
    server.get<Path>('/onboardings/:externalId', async ({ params: { externalId } }) => {
      const { workflowId } = await ask(desk.client, () => find(desk, externalId));
      return { workflowId, ...(await ask(desk.client, () => stateOf(desk.client, workflowId, DEADLINE_MS))) };
    });
  };
}

/** What became of a PUT. */
interface Put extends Pick<Started, 'workflowId'> {
  /** The onboarding was there, and had been started with the same input. */
  readonly isUnchanged: boolean;
}

/** Checks a body, and answers what would start its onboarding. */
function startFrom(desk: Desk, known: KnownAccounts) {
  const starters = {
    merchant: starter(BODY_KINDS.merchant, desk, known),
    business: starter(BODY_KINDS.business, desk, known),
    customer: starter(BODY_KINDS.customer, desk, known),
  };
  return (externalId: string, body: unknown): (() => Promise<Put>) => {
    if (isNestedDeeper(body)) throw invalid([{ field: '', message: TOO_NESTED }]);
    const { type, ...members } = checked(typed, body);
    return starters[type]({ ...members, externalId });
  };
}

function starter<Input>({ schema, start }: Kind<Input>, desk: Desk, known: KnownAccounts) {
  const { client, taskQueue } = desk;
  const rules = schema(known);
  return (given: unknown) => {
    const input = checked(rules, given);
    return async (): Promise<Put> => {
      const { workflowId, started } = await start(client, input, { taskQueue });
      const differing = started ? undefined : await differenceFromStart(client, workflowId, input);
      if (differing !== undefined && differing.length > 0) throw otherInput(differing);
      return { workflowId, isUnchanged: differing !== undefined };
    };
  };
}

/** The first input stays: it may be on its way at the partner already. */
function otherInput(fields: readonly string[]): Problem {
  const detail = 'nothing was changed: correct the onboarding by its requirements, or use another externalId';
  const errors = fields.map((field) => ({ field, message: 'differs from what was started' }));
  return new Problem('other-input', detail, { errors });
}

/** @throws {Problem} naming every wrong field */
function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(wrongFields(result.error));
}

function refused({ headers }: FastifyRequest): Problem {
  const error = headers.authorization === undefined ? '' : ', error="invalid_token"';
  const challenge = `Bearer realm="gangway receiver"${error}`;
  return new Problem('bad-token', 'send a token of RECEIVER_TOKENS as Authorization: Bearer', {
    headers: { 'www-authenticate': challenge },
  });
}
