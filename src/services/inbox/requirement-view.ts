import { z } from 'zod';
import { changeableInput } from '../../activities/corrections.js';
import type { Correctable } from '../../messages/activities.js';
import { currentClaim } from '../../messages/claims.js';
import { REQUIREMENT_KINDS, type RequirementKind, TASKS } from '../../messages/codes.js';
import type { KnownAccounts } from '../../messages/inputs.js';
import { omitUndefined } from '../../messages/objects.js';
import {
  ALLOWED_ANSWERS,
  type AnswerKind,
  needsConfirmation,
  type Requirement,
} from '../../messages/requirements.js';
import { oneTimeCode } from '../../partners/banking/rules.js';
import { type Json, jsonSchemaOf, patchSchemaOf } from '../../platform/schemas/shape.js';
import { documentRefs } from '../../temporal/program-requests.js';
import { isOverdue } from './inbox.js';

/** A requirement for programs, typed by its kind, with a JSON Schema for each answer. No type is recursive. */

const anyFields = z.record(z.string(), z.unknown());

const output = {
  id: z.string(),
  title: z.string(),
  detail: z.string(),
  task: z.string(),
  workflowId: z.string().describe('The workflow that takes the answer'),
  raisedAt: z.iso.datetime(),
  dueAt: z.iso.datetime(),
  overdue: z.boolean(),
  claim: z.object({ actor: z.string(), until: z.iso.datetime(), by: z.string().optional() }).optional(),
  proposal: z
    .object({ actor: z.string(), at: z.iso.datetime(), reason: z.string(), answer: z.string() })
    .optional()
    .describe('An answer that waits for a second person, in short. `at` identifies it'),
};

const blank = anyFields.optional().describe('A correction to fill in: a merge patch with empty texts');
const fields = z.array(z.string()).optional().describe('Names of the rejected fields, as the input has them');

/** The fields of only some kinds. */
const MORE: Readonly<Partial<Record<RequirementKind, z.ZodRawShape>>> = {
  'changes-requested': { blank },
  'not-submitted': { blank },
  'rejected-input': { fields, blank },
  ticket: { blank },
  'new-status': { choices: z.array(z.string()) },
};

const VIEWS = REQUIREMENT_KINDS.map((kind) => {
  const answer = z.object({
    kind: z.enum(ALLOWED_ANSWERS[kind]),
    fourEyes: z.boolean().describe('One person proposes it, and another confirms it'),
    schema: anyFields.describe('The JSON Schema of the answer'),
  });
  return z.object({ kind: z.literal(kind), ...output, answers: z.array(answer), ...MORE[kind] });
});

type View = (typeof VIEWS)[number];

export const requirementView = z.discriminatedUnion('kind', VIEWS as [View, ...View[]]);

export type RequirementView = z.output<View>;

/** @param correctable the input that a correction changes; without it, any patch fits its schema */
export function viewOfRequirement(
  workflowId: string,
  requirement: Requirement,
  accounts: KnownAccounts,
  correctable?: Correctable,
): RequirementView {
  const { id, kind, title, detail, raisedAt, dueAt, answers, choices, fields, blank, proposal } = requirement;
  const patch = correctable && patchIn(correctable, accounts);
  return {
    id,
    workflowId,
    kind,
    task: TASKS[kind],
    title,
    detail,
    raisedAt,
    dueAt,
    overdue: isOverdue(dueAt),
    ...omitUndefined({ claim: currentClaim(requirement), proposal, choices, fields, blank }),
    answers: answers.map((answer) => ({
      kind: answer,
      fourEyes: needsConfirmation(requirement, answer),
      schema: jsonSchemaOf(answerTo(requirement, answer, patch)),
    })),
  } as RequirementView;
}

function patchIn(correctable: Correctable, accounts: KnownAccounts): Json {
  const { schema, fields, added } = changeableInput(correctable, accounts);
  return patchSchemaOf(schema, fields, added);
}

function answerTo({ idFormat, choices = [] }: Requirement, kind: AnswerKind, patch: Json = {}): z.ZodType {
  const content: Readonly<Partial<Record<AnswerKind, z.ZodRawShape>>> = {
    text: { text: z.string().regex(/\S/) },
    documents: { documents: documentRefs },
    correction: { patch: anyFields.meta(patch) },
    confirm: { id: z.string().regex(idFormat === 'text' ? /^[!-~]{1,64}$/ : /^[1-9]\d{0,9}$/) },
    code: { code: oneTimeCode },
    choice: { choice: z.enum(choices) },
  };
  return z.strictObject({ kind: z.literal(kind), ...content[kind] });
}
