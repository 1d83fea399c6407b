import { createHash } from 'node:crypto';
import {
  type Client,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import type { KnownAccounts } from '../messages/inputs.js';
import { isNestedDeeper, MAX_NESTING, TOO_NESTED } from '../messages/objects.js';
import { type Resolution, resolveRequirement } from '../messages/requirements.js';
import { json } from '../partners/fields.js';
import type { FieldProblem } from '../partners/partner-error.js';
import { findOnboarding, UnknownOnboarding } from '../temporal/onboardings.js';
import { BUSINESS, CUSTOMER, type Kind, MERCHANT } from '../temporal/start.js';
import { checkConformance, type GivenEvent } from './cloud-events.js';
import { invalid, Problem, wrongFields } from './problems.js';

const text = z.string().regex(/\S/, 'must not be empty');

const documents = z
  .array(z.strictObject({ key: text, fileName: text, contentType: text }))
  .min(1, 'must name at least one');

const answer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), text }),
  z.strictObject({ kind: z.literal('documents'), documents }),
  z.strictObject({ kind: z.literal('correction'), patch: z.record(z.string(), json) }),
  z.strictObject({ kind: z.literal('adopt'), id: text }),
  z.strictObject({ kind: z.literal('retry') }),
  z.strictObject({ kind: z.literal('code'), code: text }),
  z.strictObject({ kind: z.literal('take-back') }),
  z.strictObject({ kind: z.literal('abandon') }),
]);

/** Which requirement, who answers it, and why. `id` is a workflow id, an `externalId` or `externalId@account`. */
const whoAndWhy = { id: text.max(300), requirementId: text, actor: text, reason: text };

const resolved = z.strictObject({ ...whoAndWhy, answer });

const received = z.strictObject({ ...whoAndWhy, documents });

/** The attributes of CloudEvents 1.0 around the data. Extension attributes are let through. */
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

/** What an event is carried out with. */
export interface Desk {
  readonly client: Client;
  readonly taskQueue: string;
  /** Names of the accounts at the partners in which an `externalId` is looked for, beside the one without a name. */
  readonly accounts: readonly string[];
}

/** A valid event. Carrying it out again changes nothing, and answers the same workflow id. */
export type CarryOut = (desk: Desk) => Promise<string>;

export interface EventType {
  /** One line for people. */
  readonly summary: string;
  /** The data, for the description of the interface. */
  readonly data: z.ZodType;
  /** The whole event. */
  readonly event: z.ZodType;
  readonly prepare: (event: GivenEvent) => CarryOut | FieldProblem[];
}

export type EventTypes = Readonly<Record<string, EventType>>;

/** The events that are understood, by type. */
export function eventTypes(known: KnownAccounts): EventTypes {
  return {
    'merchant.boarding.requested.v1': starting(
      'Board a merchant',
      'merchant.boarding.requested.v1',
      MERCHANT,
      known,
    ),
    'business.onboarding.requested.v1': starting(
      'Onboard a business at the bank',
      'business.onboarding.requested.v1',
      BUSINESS,
      known,
    ),
    'customer.onboarding.requested.v1': starting(
      'Take a customer aboard: merchant and business',
      'customer.onboarding.requested.v1',
      CUSTOMER,
      known,
    ),
    'requirement.resolved.v1': eventType({
      summary: 'Answer a requirement',
      type: 'requirement.resolved.v1',
      data: resolved,
      carryOut: (desk, { id, ...resolution }, updateId) =>
        // The union of answers is the same, but for members that may be undefined there.
        resolveOnce(desk, id, resolution as Resolution, { updateId, answerField: 'answer' }),
    }),
    'documents.received.v1': eventType({
      summary: 'Answer a requirement with documents of the document store',
      type: 'documents.received.v1',
      data: received,
      carryOut: (desk, { id, documents, ...who }, updateId) =>
        resolveOnce(
          desk,
          id,
          { ...who, answer: { kind: 'documents', documents } },
          { updateId, answerField: 'documents' },
        ),
    }),
  };
}

/**
 * Checks events as a whole before any of them is carried out. An event that is nested too deep cannot be checked, so it is
 * refused by itself, when its turn comes.
 *
 * @throws {Problem} naming every wrong field; of a batch with the event's position in front: `1.data.externalId`
 */
export function prepareAll(types: EventTypes, events: readonly GivenEvent[], isBatch: boolean): CarryOut[] {
  const prepared = events.map((event) => prepare(types, event));
  const wrong = prepared.flatMap((result, position) => {
    if (!Array.isArray(result)) return [];
    return result.map(({ field, message }) => ({ field: isBatch ? `${position}.${field}` : field, message }));
  });
  if (wrong.some(({ message }) => message === UNKNOWN_TYPE)) throw unknownType(types, wrong);
  if (wrong.length > 0) throw invalid(wrong);
  for (const event of events) checkConformance(event);
  return prepared.filter((result): result is CarryOut => !Array.isArray(result));
}

const UNKNOWN_TYPE = 'is not a known type';

function prepare(types: EventTypes, event: GivenEvent): CarryOut | FieldProblem[] {
  const { type } = event;
  const known = typeof type === 'string' && Object.hasOwn(types, type) ? types[type] : undefined;
  if (known) return tooDeep(event) ?? known.prepare(event);
  const { error } = z.looseObject(attributes).safeParse(event);
  const message = type === undefined ? 'is required' : UNKNOWN_TYPE;
  return [{ field: 'type', message }, ...(error ? wrongFields(error) : [])];
}

/** Refuses an event that is nested too deep; undefined for any other. */
function tooDeep(event: GivenEvent): CarryOut | undefined {
  const fields = Object.keys(event).filter((name) => isNestedDeeper(event[name], MAX_NESTING - 1));
  const errors = fields.map((field) => ({ field, message: TOO_NESTED }));
  return errors.length > 0 ? () => Promise.reject(invalid(errors)) : undefined;
}

function unknownType(types: EventTypes, errors: readonly FieldProblem[]): Problem {
  const detail = `known types: ${Object.keys(types).join(', ')}; nothing was started`;
  return new Problem('unknown-event-type', detail, { errors });
}

interface Definition<Data> {
  readonly summary: string;
  readonly type: string;
  readonly data: z.ZodType<Data>;
  /** @returns the workflow id */
  readonly carryOut: (desk: Desk, data: Data, updateId: string) => Promise<string>;
}

function eventType<Data>({ summary, type, data, carryOut }: Definition<Data>): EventType {
  const event = z.looseObject({ ...attributes, type: z.literal(type), data });
  return {
    summary,
    data,
    event,
    prepare(given) {
      const checked = event.safeParse(given);
      if (!checked.success) return wrongFields(checked.error);
      const { id, source, data: checkedData } = checked.data as { id: string; source: string; data: Data };
      return (desk) => carryOut(desk, checkedData, updateIdOf(source, id));
    },
  };
}

function starting<Input>(
  summary: string,
  type: string,
  { schema, start }: Kind<Input>,
  known: KnownAccounts,
): EventType {
  const carryOut = async ({ client, taskQueue }: Desk, input: Input) =>
    (await start(client, input, { taskQueue })).workflowId;
  return eventType({ summary, type, data: schema(known), carryOut });
}

/** An event is the same when its source and its id are (CloudEvents 1.0). Update ids are visible, hence the hash. */
function updateIdOf(source: string, id: string): string {
  const hash = createHash('sha256').update(JSON.stringify([source, id]));
  return `event-${hash.digest('hex').slice(0, 32)}`;
}

/** How many runs of one workflow are looked through for an earlier delivery. */
const MAX_RUNS = 20;

interface Delivered {
  /** The same for each delivery of one event. */
  readonly updateId: string;
  /** The member of the event's data that holds the answer. */
  readonly answerField: 'answer' | 'documents';
}

/**
 * Answers a requirement. The same `updateId` again is the same answer: it changes nothing and fails no more than it
 * did the first time.
 *
 * @param id workflow id, `externalId` or `externalId@account`
 * @returns the workflow id
 * @throws {Problem} when there is no such workflow, or when it does not take this answer
 */
export async function resolveOnce(
  desk: Desk,
  id: string,
  resolution: Resolution,
  { updateId, answerField }: Delivered,
): Promise<string> {
  const { client } = desk;
  const { workflowId, runId } = await find(desk, id);
  try {
    const handle = client.workflow.getHandle(workflowId);
    await handle.executeUpdate(resolveRequirement, { args: [resolution], updateId });
  } catch (error) {
    const refused = refusal(error, answerField);
    if (!refused) throw error;
    if (!(await wasTaken(client, { workflowId, runId }, updateId))) throw refused;
  }
  return workflowId;
}

/** @throws {Problem} when there is none, or when the `externalId` fits several */
export async function find({ client, accounts }: Desk, id: string): Promise<WorkflowExecutionDescription> {
  try {
    return await findOnboarding(client, id, accounts);
  } catch (error) {
    if (!(error instanceof UnknownOnboarding)) throw error;
    if (error.mayMean.length === 0) {
      throw new Problem('unknown-onboarding', 'check the id: none was ever started under it');
    }
    const detail =
      'give the whole workflow id, such as merchant-boarding-<externalId> or ...-<externalId>@<account>';
    throw new Problem('ambiguous-id', detail);
  }
}

/** Why an answer was not taken, undefined when that is not what happened. */
function refusal(error: unknown, answerField: string): Problem | undefined {
  if (error instanceof WorkflowNotFoundError) return new Problem('not-open', 'the onboarding has ended');
  if (!(error instanceof WorkflowUpdateFailedError)) return undefined;
  const { cause } = error;
  const [, field, rule] =
    /^([\w.]+): (.+)$/s.exec(cause instanceof ApplicationFailure ? cause.message : '') ?? [];
  if (field === undefined || rule === undefined) return undefined;
  if (field === 'requirementId') return new Problem('not-open', 'no requirement of this id is open');
  const given = answerField === 'answer' ? field : field.replace(/^answer\b.*/, answerField);
  return invalid([{ field: `data.${given}`, message: rule }], 'the requirement does not take this answer');
}

/**
 * Whether an update of this id has been taken before. Temporal itself looks only in the run that goes on now, and a
 * long onboarding has several.
 */
async function wasTaken(
  client: Client,
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
  updateId: string,
): Promise<boolean> {
  let run: string | undefined = runId;
  for (let count = 0; run && count < MAX_RUNS; count++) {
    if (await isUpdateOf(client, workflowId, run, updateId)) return true;
    run = await runBefore(client, workflowId, run);
  }
  return false;
}

async function isUpdateOf(
  client: Client,
  workflowId: string,
  runId: string,
  updateId: string,
): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId, runId).getUpdateHandle(updateId).result();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError) return false;
    throw error;
  }
}

async function runBefore(client: Client, workflowId: string, runId: string): Promise<string | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  return started?.continuedExecutionRunId || undefined;
}
