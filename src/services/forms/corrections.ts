import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import { changeableInput, correctionProblems, leavesIn } from '../../activities/corrections.js';
import type { Correctable, Patch } from '../../messages/activities.js';
import { partsOfId } from '../../messages/ids.js';
import type { KnownAccounts } from '../../messages/inputs.js';
import { isFieldWithin, mergePatch } from '../../messages/objects.js';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import { EACH_ONBOARDING } from '../../messages/workflow-types.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { localeRule } from '../../partners/schema-messages.js';
import { REDACTED } from '../../platform/privacy/masked.js';
import { withoutPrivate } from '../../platform/privacy/private-fields.js';
import { didYouMean } from '../../platform/settings/did-you-mean.js';
import { inputOf } from '../../temporal/find-onboarding.js';
import { differingFields } from '../../temporal/start.js';
import { askingWorkflow } from '../inbox/waiting-state.js';
import { InvalidInput } from '../texts/invalid-input.js';
import { describes, type Field, schemaFields } from './schema-fields.js';
import { valueAt } from './set-fields.js';

/** Returns the input that a correction changes. For a customer, it is the input of the part that asks. */
export async function inputFor(
  client: Client,
  workflowId: string,
  state: OnboardingState,
  requirementId: string,
): Promise<Correctable> {
  const fields = state.requirements.find(({ id }) => id === requirementId)?.fields;
  return { ...(await inputOf(client, askingWorkflow(workflowId, state, requirementId))), fields };
}

/** Reports whether a correction can change the input of this workflow. */
export function isCorrectable(workflowId: string): boolean {
  const type = partsOfId(workflowId)?.type;
  return EACH_ONBOARDING.some(([each, { correctable }]) => each === type && correctable);
}

/** @throws {InvalidInput} with each field that the correction must not change, and each rule that it breaks */
export function checkCorrection(correctable: Correctable, patch: Patch, accounts: KnownAccounts): void {
  const problems = [
    ...correctionProblems({ ...correctable, patch }, accounts),
    ...changesOf(correctable, patch).flatMap(mistaken),
  ];
  if (problems.length > 0) throw new InvalidInput('the correction is not valid; nothing was sent', problems);
}

/** The maximum number of changes with a remark, because each new field is compared with all its neighbors. */
const MAX_COMPARED = 10;

/** A field that a correction changes. Private values are masked. */
export interface Change {
  readonly field: string;
  /** undefined if there is none. */
  readonly before: unknown;
  /** undefined if it is removed. */
  readonly after: unknown;
  /** A possible mistake, for people. */
  readonly remark: string;
}

export function changesOf({ input, fields = [] }: Correctable, patch: Patch): Change[] {
  const changed = mergePatch(input, patch);
  const [before, after] = [withoutPrivate(input), withoutPrivate(changed)];
  return differingFields(input, changed).map((field, index) => {
    const path = field.split('.');
    return {
      field,
      before: valueAt(before, path),
      after: valueAt(after, path),
      remark: index < MAX_COMPARED && valueAt(input, path) === undefined ? newField(input, path, fields) : '',
    };
  });
}

/**
 * Reports whether a correction may change where money goes, or how much: fees, the profile and settings for commission and pricing,
 * bank accounts, and fields outside the schema. Such a correction needs an approver.
 */
export function mayMoveMoney(changes: readonly Pick<Change, 'field'>[], schema: z.ZodType): boolean {
  return changes.some(
    ({ field }) =>
      /(^|\.)fees(\.|$)|^agent|^boardingSettings|bank|routing|accountnumber|deposit|settlement/i.test(
        field,
      ) || !describes(schema, field),
  );
}

/** Describes a new field of an object that accepts any name. A name that is similar to an existing one may be a typo. */
function newField(input: object, path: readonly string[], fields: readonly string[]): string {
  if (fields.includes(path.join('.'))) return 'new field that the partner asked for; sent as is';
  const beside = valueAt(input, path.slice(0, -1));
  const names = typeof beside === 'object' && beside !== null ? Object.keys(beside) : [];
  return `new field${didYouMean(path.at(-1) ?? '', names)}`;
}

/** Finds values that an open field's schema accepts although they are probably wrong. */
function mistaken({ field, before, after }: Change): FieldProblem[] {
  if (after === REDACTED && before === REDACTED) return [];
  const rule = typeof before === 'number' && typeof after === 'string' ? localeRule(after) : undefined;
  return rule === undefined ? [] : [{ field, message: rule }];
}

/** One line for each change: `application.volume: 180000 -> 240000`. */
export function changeLines(changes: readonly Change[]): string[] {
  return changes.map(
    ({ field, before, after, remark }) =>
      `  ${field}: ${formatValue(before)} -> ${formatValue(after)}${remark && `  (${remark})`}`,
  );
}

/** The shown length of a value, in characters. */
const VALUE_LENGTH = 60;

export function formatValue(value: unknown): string {
  const text = value === undefined ? 'none' : JSON.stringify(value);
  return text.length > VALUE_LENGTH ? `${text.slice(0, VALUE_LENGTH - 1)}…` : text;
}

/** A field that can change now. */
export interface ChangeableField extends Field {
  /** Its current value, masked; undefined if there is none. */
  readonly now: unknown;
}

/** Returns the fields that a correction can change now, with their rules. */
export function changeableFields(correctable: Correctable, accounts: KnownAccounts): ChangeableField[] {
  const { fields, schema, added } = changeableInput(correctable, accounts);
  const present = withoutPrivate(correctable.input);
  const named = schemaFields(schema).filter(({ name }) => isFieldWithin(name, fields));
  const names = new Set(named.map(({ name }) => name));
  // The schema does not describe the contents of an open field.
  const open = leavesIn(correctable.input, fields).filter(
    (name) => !names.has(name.replace(/\.\d+(?=\.|$)/g, '.N')),
  );
  const request = added.filter((name) => !open.includes(name));
  const unnamed = (rule: string) => (name: string) =>
    ({ name, rule, isRequired: false, type: 'any', kind: 'text' }) as const;
  const others = [...open.map(unnamed('')), ...request.map(unnamed('the partner asked for it; sent as is'))];
  return [...named, ...others].map((field) => ({ ...field, now: valueAt(present, field.name.split('.')) }));
}
