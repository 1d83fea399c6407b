import { hash } from 'node:crypto';
import { z } from 'zod';
import type { KnownAccounts } from '../messages/inputs.js';
import { isNestedDeeper, MAX_NESTING, TOO_NESTED } from '../partners/json.js';
import type { FieldProblem } from '../partners/partner-error.js';
import {
  type Backend,
  documentRefs,
  givenAnswer,
  Refusal,
  resolveOnce,
  whoAndWhy,
  wrongFields,
} from '../temporal/requests.js';
import { BUSINESS, CUSTOMER, type Kind, MERCHANT } from '../temporal/start.js';
import { checkConformance, type GivenEvent, inEventSpan } from './cloud-events.js';
import { invalid, Problem } from './problems.js';

const received = z.strictObject({ ...whoAndWhy, documents: documentRefs });

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

/** Applies a valid event, and returns the workflow id. Applying it again changes nothing and returns the same id. */
export type ApplyEvent = (backend: Backend) => Promise<string>;

export type EventTypes = Readonly<Record<string, ReturnType<typeof eventType>[1]>>;

export function eventTypes(known: KnownAccounts): EventTypes {
  const starting = <Input>(type: string, summary: string, { schema, start }: Kind<Input>) =>
    eventType(type, summary, schema(known), async ({ client, taskQueue, dbaForm }, input) => {
      const { workflowId } = await start(client, input, { taskQueue, dbaForm });
      return workflowId;
    });
  return Object.fromEntries([
    starting('merchant.boarding.requested.v1', 'Board a merchant', MERCHANT),
    starting('business.onboarding.requested.v1', 'Onboard a business at the bank', BUSINESS),
    starting('customer.onboarding.requested.v1', 'Onboard a customer: merchant and business', CUSTOMER),
    eventType('requirement.resolved.v1', 'Answer a requirement', givenAnswer, resolve('answer')),
    eventType(
      'documents.received.v1',
      'Answer a requirement with documents of the document store',
      received,
      (backend, { documents, ...who }, updateId) =>
        resolve('documents')(backend, { ...who, answer: { kind: 'documents', documents } }, updateId),
    ),
  ]);
}

/** @param answerField the field of the event's data that has the answer, for the names of rejected fields */
function resolve(answerField: 'answer' | 'documents') {
  return async (backend: Backend, given: z.output<typeof givenAnswer>, updateId: string): Promise<string> => {
    try {
      return (await resolveOnce(backend, given, updateId)).workflowId;
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

/** @param apply returns the workflow id */
function eventType<Data>(
  type: string,
  summary: string,
  data: z.ZodType<Data>,
  apply: (backend: Backend, data: Data, updateId: string) => Promise<string>,
) {
  const event = z.looseObject({ ...attributes, type: z.literal(type), data }).describe(summary);
  /** @param identity identifies the event together with its id. Default: its source */
  const prepare = (given: GivenEvent, identity?: string): ApplyEvent | FieldProblem[] => {
    const checked = event.safeParse(given);
    if (!checked.success) return wrongFields(checked.error);
    const { id, source, data: checkedData } = checked.data as { id: string; source: string; data: Data };
    return (backend: Backend) =>
      inEventSpan(given, () => apply(backend, checkedData, updateIdOf(identity ?? source, id)));
  };
  return [type, { data: data as z.ZodType, event: event as z.ZodType, prepare }] as const;
}

/**
 * Validates all events before any of them is applied. An event that is nested too deep cannot be validated, so it is rejected
 * alone, when its turn comes.
 *
 * @param identity identifies an event together with its id. Default: its source
 * @throws {Problem} which names every wrong field, in a batch with the position of the event: `1.data.externalId`
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
  if (wrong.some(({ message }) => message === UNKNOWN_TYPE)) throw unknownType(types, wrong);
  if (wrong.length > 0) throw invalid(wrong);
  for (const event of events) checkConformance(event);
  return prepared.filter((result): result is ApplyEvent => !Array.isArray(result));
}

const UNKNOWN_TYPE = 'is not a known type';

function prepare(types: EventTypes, event: GivenEvent, identity?: string): ApplyEvent | FieldProblem[] {
  const { type } = event;
  const known = typeof type === 'string' && Object.hasOwn(types, type) ? types[type] : undefined;
  if (known) return tooDeep(event) ?? known.prepare(event, identity);
  const { error } = z.looseObject(attributes).safeParse(event);
  const message = type === undefined ? 'is required' : UNKNOWN_TYPE;
  return [{ field: 'type', message }, ...(error ? wrongFields(error) : [])];
}

function tooDeep(event: GivenEvent): ApplyEvent | undefined {
  const fields = Object.keys(event).filter((name) => isNestedDeeper(event[name], MAX_NESTING - 1));
  const errors = fields.map((field) => ({ field, message: TOO_NESTED }));
  return errors.length > 0 ? () => Promise.reject(invalid(errors)) : undefined;
}

function unknownType(types: EventTypes, errors: readonly FieldProblem[]): Problem {
  const detail = `known types: ${Object.keys(types).join(', ')}; nothing was started`;
  return new Problem('unknown-event-type', detail, { errors });
}

/** Source and id identify an event (CloudEvents 1.0). Update ids are visible in Temporal, so this one is a hash. */
function updateIdOf(source: string, id: string): string {
  return `event-${hash('sha256', JSON.stringify([source, id])).slice(0, 32)}`;
}
