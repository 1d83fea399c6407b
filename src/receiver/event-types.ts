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
import type { DbaForm } from '../messages/listed.js';
import { type Resolution, resolveRequirement } from '../messages/requirements.js';
import { json } from '../partners/fields.js';
import { isNestedDeeper, MAX_NESTING, TOO_NESTED } from '../partners/json.js';
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
  z.strictObject({ kind: z.literal('choice'), choice: text }),
  z.strictObject({ kind: z.literal('take-back') }),
  z.strictObject({ kind: z.literal('abandon') }),
]);

/** Which requirement, who answers it, and why. `id` is a workflow id, an `externalId` or `externalId@account`. */
const whoAndWhy = { id: text.max(300), requirementId: text, actor: text, reason: text };

const resolved = z.strictObject({ ...whoAndWhy, answer });

const received = z.strictObject({ ...whoAndWhy, documents });

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

/** The Temporal namespace and task queue that events are applied to. */
export interface Backend {
  readonly client: Client;
  readonly taskQueue: string;
  readonly dbaForm: DbaForm;
  /** Names of the partner accounts in which an `externalId` is searched for, besides the account without a name. */
  readonly accounts: readonly string[];
}

/** Applies a valid event, and returns the workflow id. Applying it again changes nothing and returns the same id. */
export type ApplyEvent = (backend: Backend) => Promise<string>;

export interface EventType {
  /** The data, for the OpenAPI document. */
  readonly data: z.ZodType;
  /** The whole event. */
  readonly event: z.ZodType;
  readonly prepare: (event: GivenEvent) => ApplyEvent | FieldProblem[];
}

export type EventTypes = Readonly<Record<string, EventType>>;

/** The events that the receiver accepts, by type. */
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
    eventType(
      'requirement.resolved.v1',
      'Answer a requirement',
      resolved,
      (backend, { id, ...resolution }, updateId) =>
        // The union of answers is the same, except for fields that may be undefined there.
        resolveOnce(backend, id, resolution as Resolution, { updateId, answerField: 'answer' }),
    ),
    eventType(
      'documents.received.v1',
      'Answer a requirement with documents of the document store',
      received,
      (backend, { id, documents, ...who }, updateId) => {
        const resolution = { ...who, answer: { kind: 'documents', documents } } as const;
        return resolveOnce(backend, id, resolution, { updateId, answerField: 'documents' });
      },
    ),
  ]);
}

/** @param apply returns the workflow id */
function eventType<Data>(
  type: string,
  summary: string,
  data: z.ZodType<Data>,
  apply: (backend: Backend, data: Data, updateId: string) => Promise<string>,
): [string, EventType] {
  const event = z.looseObject({ ...attributes, type: z.literal(type), data }).describe(summary);
  const prepare = (given: GivenEvent) => {
    const checked = event.safeParse(given);
    if (!checked.success) return wrongFields(checked.error);
    const { id, source, data: checkedData } = checked.data as { id: string; source: string; data: Data };
    return (backend: Backend) => apply(backend, checkedData, updateIdOf(source, id));
  };
  return [type, { data, event, prepare }];
}

/**
 * Validates all events before any of them is applied. An event that is nested too deep cannot be validated, so it is rejected
 * alone, when its turn comes.
 *
 * @throws {Problem} which names every wrong field, in a batch with the position of the event: `1.data.externalId`
 */
export function prepareAll(types: EventTypes, events: readonly GivenEvent[], isBatch: boolean): ApplyEvent[] {
  const prepared = events.map((event) => prepare(types, event));
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

function prepare(types: EventTypes, event: GivenEvent): ApplyEvent | FieldProblem[] {
  const { type } = event;
  const known = typeof type === 'string' && Object.hasOwn(types, type) ? types[type] : undefined;
  if (known) return tooDeep(event) ?? known.prepare(event);
  const { error } = z.looseObject(attributes).safeParse(event);
  const message = type === undefined ? 'is required' : UNKNOWN_TYPE;
  return [{ field: 'type', message }, ...(error ? wrongFields(error) : [])];
}

/** Rejects an event that is nested too deep. Undefined for any other event. */
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
  const hash = createHash('sha256').update(JSON.stringify([source, id]));
  return `event-${hash.digest('hex').slice(0, 32)}`;
}

/** How many runs of one workflow are searched for an earlier delivery. */
const MAX_RUNS = 20;

interface Delivered {
  /** The same for each delivery of one event. */
  readonly updateId: string;
  /** The field of the event's data that has the answer. */
  readonly answerField: 'answer' | 'documents';
}

/**
 * Answers a requirement. The same `updateId` again is the same answer: it changes nothing, and succeeds if the first one did.
 *
 * @param id workflow id, `externalId` or `externalId@account`
 * @returns the workflow id
 * @throws {Problem} when there is no such workflow, or when it does not accept this answer
 */
async function resolveOnce(
  backend: Backend,
  id: string,
  resolution: Resolution,
  { updateId, answerField }: Delivered,
): Promise<string> {
  const { client } = backend;
  const { workflowId, runId } = await find(backend, id);
  try {
    const handle = client.workflow.getHandle(workflowId);
    await handle.executeUpdate(resolveRequirement, { args: [resolution], updateId });
  } catch (error) {
    const rejection = rejectionOf(error, answerField);
    if (!rejection) throw error;
    if (!(await wasAccepted(client, { workflowId, runId }, updateId))) throw rejection;
  }
  return workflowId;
}

/** @throws {Problem} when there is no such onboarding, or when several have this `externalId` */
export async function find({ client, accounts }: Backend, id: string): Promise<WorkflowExecutionDescription> {
  try {
    return await findOnboarding(client, id, accounts);
  } catch (error) {
    if (!(error instanceof UnknownOnboarding)) throw error;
    if (error.mayMean.length === 0) {
      throw new Problem('unknown-onboarding', 'check the id: no onboarding with it was ever started');
    }
    const detail =
      'use the whole workflow id, such as merchant-boarding-<externalId> or ...-<externalId>@<account>';
    throw new Problem('ambiguous-id', detail);
  }
}

/** Why an onboarding rejected an answer. Undefined for another error. */
function rejectionOf(error: unknown, answerField: string): Problem | undefined {
  if (error instanceof WorkflowNotFoundError) return new Problem('not-open', 'the onboarding has ended');
  if (!(error instanceof WorkflowUpdateFailedError)) return undefined;
  const { cause } = error;
  const [, field, rule] =
    /^([\w.]+): (.+)$/s.exec(cause instanceof ApplicationFailure ? cause.message : '') ?? [];
  if (field === undefined || rule === undefined) return undefined;
  if (field === 'requirementId') return new Problem('not-open', 'no requirement with this id is open');
  const given = answerField === 'answer' ? field : field.replace(/^answer\b.*/, answerField);
  return invalid([{ field: `data.${given}`, message: rule }], 'the requirement does not accept this answer');
}

/** Whether an update with this id was accepted before. Temporal itself checks the current run only; a long onboarding has several. */
async function wasAccepted(
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
