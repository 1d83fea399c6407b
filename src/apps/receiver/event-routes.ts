import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { eventActor } from '../../messages/actors.js';
import type { KnownAccounts } from '../../messages/inputs.js';
import { ONBOARDINGS } from '../../messages/workflow-types.js';
import { isNestedDeeper, MAX_NESTING, TOO_NESTED } from '../../partners/json.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { fieldProblems } from '../../partners/schema-messages.js';
import { capitalize } from '../../partners/text-limits.js';
import { EACH_KIND } from '../../temporal/kinds/kinds.js';
import {
  answerFields,
  type Backend,
  documentRefs,
  NO_EFFECT,
  programAnswer,
  Refusal,
  resolveOnce,
} from '../../temporal/program-requests.js';
import {
  BATCHED,
  BINARY,
  checkConformance,
  type GivenEvent,
  holdUntilClosed,
  inEventSpan,
  MAX_EVENTS,
  mediaTypeOf,
  parseCloudEvents,
  STRUCTURED,
  textBodies,
  textOf,
} from './cloud-events.js';
import {
  accepted,
  batchResult,
  emptyResponse,
  optionalHeaders,
  problems,
  type RequestSchemas,
  response,
} from './openapi.js';
import {
  callTemporal,
  DEADLINE_MS,
  invalidRequest,
  PROBLEMS,
  Problem,
  problemFrom,
  unavailable,
} from './problems.js';
import type { CheckSignature } from './settings.js';

const BATCH_DEADLINE_MS = 20_000;

const MEDIA_TYPES = [STRUCTURED, BATCHED, BINARY];

interface EventRoutes {
  readonly types: EventTypes;
  readonly backend: Backend;
  /** Undefined if unsigned events are accepted. */
  readonly checkSignature: CheckSignature | undefined;
  readonly requestsPerMinute: number;
}

type EventResult = { readonly status: 202; readonly workflowId: string } | Problem;

/** `POST /events`, and the handshake that senders of CloudEvents begin with. */
export function eventRoutes({ types, backend, checkSignature, requestsPerMinute }: EventRoutes) {
  const schema = postSchema(types, checkSignature !== undefined);
  return async (server: FastifyInstance): Promise<void> => {
    textBodies(server, MEDIA_TYPES);
    server.post('/events', { schema }, async (request, reply) => {
      const body = textOf(request, MEDIA_TYPES);
      checkSignature?.(request.headers, body);
      const { events, isBatch } = parseCloudEvents(request.headers, body);
      holdUntilClosed(events, reply);
      const isSignedBinary = checkSignature !== undefined && mediaTypeOf(request.headers) === BINARY;
      if (isSignedBinary) requireSignedId(request.headers, events);
      const prepared = prepareAll(types, events, isBatch, isSignedBinary ? body : undefined);
      if (isBatch) return sendResults(reply, await applyAll(backend, prepared));
      const [apply] = prepared;
      if (!apply) throw new Error('unreachable');
      return reply.code(202).send({ workflowId: await callTemporal(backend.client, () => apply(backend)) });
    });
    server.options('/events', { schema: OPTIONS_SCHEMA }, (request, reply) => {
      const granted = handshake(request.headers, requestsPerMinute);
      return reply.headers({ allow: 'OPTIONS, POST', ...granted }).send();
    });
  };
}

/** The schemas of events, by the names that the OpenAPI document gives them. */
export function eventSchemas(types: EventTypes): RequestSchemas['events'] {
  const schemas = Object.entries(types).flatMap(([type, { data, event }]) => [
    [`${type}.data`, data] as const,
    [`${type}.event`, event] as const,
  ]);
  return Object.fromEntries(schemas);
}

function postSchema(types: EventTypes, isSigned: boolean) {
  const event = z.union(Object.values(types).map((type) => type.event));
  const data = z.union(Object.values(types).map((type) => type.data));
  const attributes = ['specversion', 'type', 'source', 'id', 'time'].map((name) => `ce-${name}`);
  return {
    operationId: 'post-events',
    summary: 'Send CloudEvents 1.0: structured, batched, or binary with attributes as ce- headers',
    security: isSigned ? [{ signature: [] }] : [],
    headers: optionalHeaders(['webhook-id', 'webhook-timestamp', ...attributes]),
    body: {
      content: {
        [STRUCTURED]: { schema: event },
        [BATCHED]: { schema: z.array(event).max(MAX_EVENTS) },
        [BINARY]: { schema: data },
      },
    },
    response: {
      202: response('Temporal has the events', z.union([accepted, batchResult])),
      207: response('Some events of the batch were permanently rejected', batchResult),
      ...problems(400, 401, 404, 409, 413, 415, 422, 429, 503),
    },
  };
}

const OPTIONS_SCHEMA = {
  operationId: 'may-send-events',
  summary: 'Ask for permission to send events (abuse protection of CloudEvents webhooks)',
  headers: optionalHeaders(['webhook-request-origin', 'webhook-request-rate']),
  response: {
    200: emptyResponse('Permission is granted', ['webhook-allowed-origin', 'webhook-allowed-rate']),
    ...problems(400, 429),
  },
};

/**
 * A signature covers the body and `webhook-id`. In binary mode the attributes are in other headers, which it does not cover.
 * The ID is bound because it must be `webhook-id`. The type follows from the body, which fits the data of no other type. The body
 * identifies the event in place of the source: with another source, an answer that was taken back could be sent a second time.
 * Other attributes are not used.
 */
function requireSignedId(headers: IncomingHttpHeaders, [event]: readonly GivenEvent[]): void {
  if (event?.['id'] === headers['webhook-id']) return;
  throw new Problem('bad-signature', 'in binary mode ce-id must equal webhook-id, which is signed');
}

/** Applies events one by one, because an event may be for an onboarding that the previous event started. */
async function applyAll(backend: Backend, prepared: readonly ApplyEvent[]): Promise<EventResult[]> {
  const latest = Date.now() + BATCH_DEADLINE_MS;
  const results: EventResult[] = [];
  for (const apply of prepared) {
    try {
      if (Date.now() > latest) throw unavailable();
      const left = Math.min(DEADLINE_MS, latest - Date.now());
      const workflowId = await callTemporal(backend.client, () => apply(backend), left);
      results.push({ status: 202, workflowId });
    } catch (error) {
      results.push(problemFrom(error));
    }
  }
  return results;
}

/**
 * Responds with 202 if all events were accepted, and 503 if any event must be resent, because a sender stops at any 2xx. Resending
 * accepted events is harmless. Responds with 207 if events were rejected for good.
 */
function sendResults(reply: FastifyReply, results: readonly EventResult[]) {
  const statuses = results.map(({ status }) => status);
  if (statuses.every((status) => status === 202)) return reply.code(202).send(results);
  if (statuses.every((status) => status < 500)) return reply.code(207).send(results.map(plain));
  const kind = statuses.includes(PROBLEMS['temporal-unavailable'][0])
    ? 'temporal-unavailable'
    : 'internal-error';
  const detail = 'not all events of the batch were accepted: send the same batch again';
  const cause = results.find(({ status }) => status >= 500);
  throw new Problem(kind, detail, { cause, headers: unavailable().headers, more: { events: results } });
}

function plain(result: EventResult) {
  return result instanceof Problem ? result.toJSON() : result;
}

/**
 * Returns the headers that allow every sender (HTTP webhooks for CloudEvents, 4). Unsigned events are rejected later.
 *
 * @throws {Problem} if the origin or the rate cannot be read
 */
function handshake(headers: IncomingHttpHeaders, requestsPerMinute: number): Record<string, string> {
  const { 'webhook-request-origin': origin, 'webhook-request-rate': rate } = headers;
  if (origin === undefined) return {};
  if (typeof origin !== 'string' || !/^[\w.:/-]{1,255}$/.test(origin)) {
    throw new Problem('unreadable', 'WebHook-Request-Origin must be a host name');
  }
  if (rate !== undefined && !/^(?:[1-9]\d{0,8}|\*)$/.test(String(rate))) {
    throw new Problem('unreadable', 'WebHook-Request-Rate must be a number of requests per minute, or *');
  }
  const wanted = rate === undefined || rate === '*' ? requestsPerMinute : Number(rate);
  const allowedRate = Math.min(wanted, requestsPerMinute);
  return { 'webhook-allowed-origin': origin, 'webhook-allowed-rate': `${allowedRate}` };
}

/** The attributes of CloudEvents 1.0 around the data. Extension attributes are allowed. */
const attributes = {
  specversion: z.literal('1.0', 'must be 1.0'),
  id: z.string().min(1).max(1_024),
  source: z.string().min(1).max(1_024),
  time: z.iso.datetime({ offset: true }).optional(),
  datacontenttype: z
    .string()
    .regex(/^application\/json(;|$)/i, 'must be application/json')
    .optional(),
};

/** Applies a valid event, and returns the workflow ID. Applying it again changes nothing and returns the same ID. */
export type ApplyEvent = (backend: Backend) => Promise<string>;

export type EventTypes = Readonly<Record<string, ReturnType<typeof eventType>[1]>>;

export function eventTypes(accounts: KnownAccounts): EventTypes {
  const starts = EACH_KIND.map(({ type, schema, start }) => {
    const { event, task } = ONBOARDINGS[type];
    return eventType(
      event,
      capitalize(task),
      schema(accounts),
      async ({ client, taskQueue, dbaForm, fourEyes }, input, _, source) => {
        const place = { taskQueue, dbaForm, fourEyes, actor: eventActor(source) };
        const { workflowId } = await start(client, input, place);
        return workflowId;
      },
    );
  });
  return Object.fromEntries([
    ...starts,
    eventType('requirement.resolved.v1', 'Answer a requirement', programAnswer, resolve('answer')),
    eventType(
      'documents.received.v1',
      'Answer a requirement with documents of the document store',
      z.strictObject({ ...answerFields, documents: documentRefs }),
      (backend, { documents, ...who }, updateId) =>
        resolve('documents')(backend, { ...who, answer: { kind: 'documents', documents } }, updateId),
    ),
  ]);
}

/** @param answerField the field of the event's data that has the answer, for the names of rejected fields */
function resolve(answerField: 'answer' | 'documents') {
  return async (
    backend: Backend,
    answer: z.output<typeof programAnswer>,
    updateId: string,
  ): Promise<string> => {
    try {
      return (await resolveOnce(backend, answer, updateId)).workflowId;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const errors = error.errors.map(({ field, message }) => {
        const inEvent = answerField === 'answer' ? field : field.replace(/^answer\b.*/, answerField);
        return { field: `data.${inEvent}`, message };
      });
      throw new Refusal(error.kind, error.message, errors);
    }
  };
}

/** @param apply returns the workflow ID */
function eventType<Data>(
  type: string,
  summary: string,
  data: z.ZodType<Data>,
  apply: (backend: Backend, data: Data, updateId: string, source: string) => Promise<string>,
) {
  const event = z.looseObject({ ...attributes, type: z.literal(type), data }).describe(summary);
  /** @param identity identifies the event together with its ID. Default: its source */
  const prepare = (rawEvent: GivenEvent, identity?: string): ApplyEvent | FieldProblem[] => {
    const checked = event.safeParse(rawEvent);
    if (!checked.success) return fieldProblems(checked.error);
    const { id, source, data: checkedData } = checked.data as { id: string; source: string; data: Data };
    return (backend: Backend) =>
      inEventSpan(rawEvent, () => apply(backend, checkedData, updateIdOf(identity ?? source, id), source));
  };
  return [type, { data: data as z.ZodType, event: event as z.ZodType, prepare }] as const;
}

/**
 * Validates all events before any is applied. An event that is nested too deeply cannot be validated, so it alone is rejected when
 * its turn comes.
 *
 * @param identity identifies an event together with its ID. Default: its source
 * @throws {Problem} that names every invalid field, in a batch with the event's position: `1.data.externalId`
 */
export function prepareAll(
  types: EventTypes,
  events: readonly GivenEvent[],
  isBatch: boolean,
  identity?: string,
): ApplyEvent[] {
  const prepared = events.map((event) => prepare(types, event, identity));
  const wrong = prepared.flatMap((result, position) => {
    if (!Array.isArray(result)) return [];
    return result.map(({ field, message }) => ({ field: isBatch ? `${position}.${field}` : field, message }));
  });
  const detail = `known types: ${Object.keys(types).join(', ')}; ${NO_EFFECT}`;
  if (wrong.some(({ message }) => message === UNKNOWN_TYPE))
    throw new Problem('unknown-event-type', detail, { errors: wrong });
  if (wrong.length > 0) throw invalidRequest(wrong);
  for (const event of events) checkConformance(event);
  return prepared.filter((result): result is ApplyEvent => !Array.isArray(result));
}

const UNKNOWN_TYPE = 'is not a known type';

function prepare(types: EventTypes, event: GivenEvent, identity?: string): ApplyEvent | FieldProblem[] {
  const { type } = event;
  const entry = typeof type === 'string' && Object.hasOwn(types, type) ? types[type] : undefined;
  if (entry) return tooDeep(event) ?? entry.prepare(event, identity);
  const { error } = z.looseObject(attributes).safeParse(event);
  const message = type === undefined ? 'is required' : UNKNOWN_TYPE;
  return [{ field: 'type', message }, ...(error ? fieldProblems(error) : [])];
}

function tooDeep(event: GivenEvent): ApplyEvent | undefined {
  const fields = Object.keys(event).filter((name) => isNestedDeeper(event[name], MAX_NESTING - 1));
  const errors = fields.map((field) => ({ field, message: TOO_NESTED }));
  return errors.length > 0 ? () => Promise.reject(invalidRequest(errors)) : undefined;
}

/** Source and ID identify an event (CloudEvents 1.0). Update IDs are visible in Temporal, so this one is a hash. */
function updateIdOf(source: string, id: string): string {
  return `event-${hash('sha256', JSON.stringify([source, id])).slice(0, 32)}`;
}
