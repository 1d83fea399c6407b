import {
  type Client,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import { looksLikeProgram } from '../messages/actors.js';
import type { DbaForm } from '../messages/list-fields.js';
import {
  type FourEyes,
  type Resolution,
  type ResolutionReceipt,
  resolveRequirement,
} from '../messages/requirements.js';
import { isAsStored, MOST_FILES } from '../partners/documents/document-types.js';
import { json } from '../partners/field-schemas.js';
import { isNestedDeeper, TOO_NESTED } from '../partners/json.js';
import type { FieldProblem } from '../partners/partner-error.js';
import { fieldProblems } from '../partners/schema-messages.js';
import { findOnboarding, UnknownOnboarding } from './find-onboarding.js';
import type { Kind } from './kinds/define-kind.js';
import { differenceFromStart, type Started, type StartOptions } from './start.js';
import { sendUpdate } from './updates.js';

/** Requests of other programs, over HTTP or Nexus: to start an onboarding, answer a requirement, or read a state. */

export interface Backend {
  readonly client: Client;
  readonly taskQueue: string;
  readonly dbaForm: DbaForm;
  readonly fourEyes: FourEyes;
  /** Names of the partner accounts in which to look for an `externalId`, besides the unnamed account. */
  readonly accounts: readonly string[];
}

/** Why a request is refused. The same request will be refused again. */
export type RefusalKind = 'invalid' | 'unknown-onboarding' | 'ambiguous-id' | 'other-input' | 'not-open';

/** Thrown for a refused request. Message and fields never repeat input. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly kind: RefusalKind,
    message: string,
    readonly errors: readonly FieldProblem[] = [],
  ) {
    super(message);
  }
}

export function parseBody<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  if (isNestedDeeper(value)) throw refusedFields([{ field: '', message: TOO_NESTED }]);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw refusedFields(fieldProblems(result.error));
}

/** The message for any request with invalid fields. */
export const NO_EFFECT = 'the request had no effect';

function refusedFields(errors: readonly FieldProblem[]): Refusal {
  return new Refusal('invalid', NO_EFFECT, errors);
}

export interface StartResult extends Started {
  /** It had already been started, with the same input. */
  readonly isUnchanged: boolean;
}

/**
 * Starts an onboarding, or attaches to an earlier one with the same input.
 *
 * @throws {Refusal} `other-input` if it was started with a different input, which stays, because the partner may have it
 */
export async function startOrAttach<Input>(
  { client, taskQueue, dbaForm, fourEyes }: Backend,
  { start }: Kind<Input>,
  input: Input,
  { send, actor }: Partial<Pick<StartOptions, 'send' | 'actor'>> = {},
): Promise<StartResult> {
  const started = await start(client, input, { taskQueue, dbaForm, fourEyes, actor, ...(send && { send }) });
  if (started.started) return { ...started, isUnchanged: false };
  const differing = await differenceFromStart(client, started.workflowId, input);
  if (differing === undefined || differing.length === 0)
    return { ...started, isUnchanged: differing !== undefined };
  const detail = 'nothing was changed: correct the onboarding by its requirements, or use another externalId';
  const errors = differing.map((field) => ({ field, message: 'differs from the first input' }));
  throw new Refusal('other-input', detail, errors);
}

/** @throws {Refusal} if no onboarding or several have this `externalId` */
export async function findIn(
  { client, accounts }: Backend,
  id: string,
): Promise<WorkflowExecutionDescription> {
  try {
    return await findOnboarding(client, id, accounts);
  } catch (error) {
    if (!(error instanceof UnknownOnboarding)) throw error;
    if (error.mayMean.length === 0) {
      throw new Refusal('unknown-onboarding', 'check the id: no onboarding with it was ever started');
    }
    const detail =
      'use the whole workflow id, such as merchant-boarding-<externalId> or ...-<externalId>@<account>';
    throw new Refusal('ambiguous-id', detail);
  }
}

const text = z.string().regex(/\S/, 'must not be empty');

/** How a request names an onboarding: by workflow ID, `externalId` or `externalId@account`. */
export const onboardingNameSchema = text.max(300);

const documentRef = z
  .strictObject({ key: text, fileName: text, contentType: text })
  .refine(isAsStored, 'must be the reference that the document store returned');

export const documentRefs = z.array(documentRef).min(1, 'must name at least one').max(MOST_FILES);

/** An answer to an open requirement. */
export const answerBody = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), text }),
  z.strictObject({ kind: z.literal('documents'), documents: documentRefs }),
  z.strictObject({ kind: z.literal('correction'), patch: z.record(z.string(), json) }),
  z.strictObject({ kind: z.literal('confirm'), id: text }),
  z.strictObject({ kind: z.literal('retry') }),
  z.strictObject({ kind: z.literal('code'), code: text }),
  z.strictObject({ kind: z.literal('choice'), choice: text }),
  z.strictObject({ kind: z.literal('abandon') }),
]);

const answer = z.discriminatedUnion('kind', [
  ...answerBody.options,
  z.strictObject({ kind: z.literal('take-back') }),
]);

const person = text.refine((actor) => !looksLikeProgram(actor), 'must not look like a client of the API');

export const answerFields = { id: onboardingNameSchema, requirementId: text, actor: person, reason: text };

export const programAnswer = z.strictObject({ ...answerFields, answer });

/**
 * Answers a requirement. A repeated `updateId` changes nothing, and succeeds if the first one did.
 *
 * @throws {Refusal} if there is no such workflow, or it does not accept this answer
 */
export async function resolveOnce(
  backend: Backend,
  { id, ...resolution }: z.output<typeof programAnswer>,
  updateId: string,
): Promise<{ readonly workflowId: string; readonly receipt: ResolutionReceipt }> {
  const { client } = backend;
  const { workflowId } = await findIn(backend, id);
  try {
    // The two unions of answers differ only in fields that may be undefined.
    const input = resolution as Resolution;
    const receipt = await sendUpdate(client, workflowId, resolveRequirement, input, { id: updateId });
    return { workflowId, receipt };
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof WorkflowNotFoundError) return new Refusal('not-open', 'the onboarding has ended');
  if (!(error instanceof WorkflowUpdateFailedError)) return undefined;
  const { cause } = error;
  const [, field, rule] =
    /^([\w.]+): (.+)$/s.exec(cause instanceof ApplicationFailure ? cause.message : '') ?? [];
  if (field === undefined || rule === undefined) return undefined;
  if (field === 'requirementId') return new Refusal('not-open', 'no requirement with this ID is open');
  return new Refusal('invalid', 'the requirement does not accept this answer', [{ field, message: rule }]);
}
