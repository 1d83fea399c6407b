import { atAccount, workflowId } from '../messages/ids.js';
import type { KnownAccounts } from '../messages/inputs.js';
import { isNestedDeeper, TOO_NESTED } from '../partners/json.js';
import type { FieldProblem } from '../partners/partner-error.js';
import { fieldProblems } from '../partners/rules-in-words.js';
import { BUSINESS, CUSTOMER, type Kind, MERCHANT, type StartableType } from '../temporal/start.js';
import { NOT_UTF_8 } from '../texts/text.js';
import { formatDoubts } from './doubts.js';

export interface Ready {
  readonly line: number;
  readonly externalId: string;
  /** The values that no two rows share, by field: the `externalId` with its account. */
  readonly unique: Readonly<Record<string, string>>;
  readonly type: StartableType;
  readonly workflowId: string;
  readonly input: object;
  readonly doubts?: readonly FieldProblem[];
}

export interface Invalid {
  readonly line: number;
  readonly problems: readonly FieldProblem[];
}

type Check = (line: number, value: unknown) => Ready | Invalid;

type AnyKind = typeof MERCHANT | typeof BUSINESS | typeof CUSTOMER;

const KINDS: Readonly<Record<string, AnyKind>> = {
  merchant: MERCHANT,
  holder: BUSINESS,
  boarding: CUSTOMER,
  business: CUSTOMER,
};

export function kindOf(value: unknown): { readonly kind: AnyKind } | { readonly problem: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'must be a JSON object' };
  if (isNestedDeeper(value)) return { problem: TOO_NESTED };
  const present = Object.keys(KINDS).filter((field) => Object.hasOwn(value, field));
  const [kind, ...others] = new Set(present.map((field) => KINDS[field]));
  if (!kind) return { problem: NO_KIND };
  return others.length > 0
    ? { problem: `has ${present.join(' and ')}: put them in separate rows` }
    : { kind };
}

export function rowCheck(known: KnownAccounts): (row: Row) => Ready | Invalid {
  const checks: Readonly<Record<StartableType, Check>> = {
    merchantBoarding: checkOf(MERCHANT, known),
    businessOnboarding: checkOf(BUSINESS, known),
    customerOnboarding: checkOf(CUSTOMER, known),
  };
  return ({ line, value, problems }) => {
    if (problems) return { line, problems };
    const found = kindOf(value);
    if ('problem' in found) return { line, problems: [{ field: '', message: found.problem }] };
    return checks[found.kind.type](line, value);
  };
}

const NO_KIND =
  'is not an onboarding: a merchant has "merchant", a business "holder", a customer "boarding" and "business"';

export function rowSchemas(known: KnownAccounts) {
  return [MERCHANT.schema(known), BUSINESS.schema(known), CUSTOMER.schema(known)];
}

function checkOf<Input extends { readonly externalId: string; readonly account?: string | undefined }>(
  { type, schema }: Kind<Input>,
  known: KnownAccounts,
): Check {
  const checked = schema(known);
  return (line, value) => {
    const { success, data: input, error } = checked.safeParse(value);
    if (!success) return { line, problems: fieldProblems(error) };
    if (Buffer.byteLength(JSON.stringify(input)) > MAX_ROW_BYTES)
      return { line, problems: [{ field: '', message: `${TOO_LONG} as an input` }] };
    const { externalId, account } = input;
    return {
      line,
      externalId,
      unique: { externalId: atAccount(externalId, account) },
      type,
      workflowId: workflowId(type, externalId, account),
      input,
      doubts: formatDoubts(input),
    };
  };
}

/** A row of a file, or why it cannot be read. */
export interface Row {
  /** The line where it begins, counted from 1. */
  readonly line: number;
  readonly value?: unknown;
  readonly problems?: readonly FieldProblem[];
}

/** Longest row, in bytes: far below Temporal's limit for the input of a workflow. */
export const MAX_ROW_BYTES = 1024 * 1024;

export const TOO_LONG = 'is longer than 1 MiB';

/** Reported for a row whose end cannot be found. */
export const REST_UNREAD = 'the rest of the file was not read';

/** Replaces bytes that are not UTF-8. A name that contains it would reach the partner corrupted. */
const REPLACEMENT_CHARACTER = '\uFFFD';

export function unreadable(line: number, message: string): Row {
  return { line, problems: [{ field: '', message }] };
}

/** @returns undefined when the text is valid UTF-8 */
export function notUtf8(line: number, texts: readonly string[]): Row | undefined {
  return texts.some((text) => text.includes(REPLACEMENT_CHARACTER)) ? unreadable(line, NOT_UTF_8) : undefined;
}
