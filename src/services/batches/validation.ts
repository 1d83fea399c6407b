import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import type { FileWarnings } from '../../messages/batches.js';
import { atAccount, workflowId } from '../../messages/ids.js';
import type { KnownAccounts } from '../../messages/inputs.js';
import { type Leaf, leavesOf } from '../../messages/objects.js';
import { ONBOARDINGS, type OnboardingType } from '../../messages/workflow-types.js';
import { isNestedDeeper, TOO_NESTED } from '../../partners/json.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { fieldProblems } from '../../partners/schema-messages.js';
import { truncate } from '../../partners/text-limits.js';
import { redact } from '../../platform/privacy/masked.js';
import { isPrivateField } from '../../platform/privacy/private-fields.js';
import type { Kind } from '../../temporal/kinds/define-kind.js';
import { EACH_KIND } from '../../temporal/kinds/kinds.js';
import { isIn } from '../../temporal/query.js';
import { listExecutions } from '../../temporal/search.js';
import { differenceFromStart } from '../../temporal/start.js';
import { distinct } from '../texts/invalid-input.js';
import { NOT_UTF_8 } from '../texts/text.js';
import { businessIdentity, findDuplicates, isDuplicate } from './duplicates.js';
import {
  formatWarnings,
  type Named,
  namedIn,
  type References,
  referencesAt,
  referenceWarnings,
} from './warnings.js';

/** Validates the rows of a file of inputs: their kinds, problems and warnings. */

export interface Ready {
  readonly line: number;
  readonly externalId: string;
  /** The values that no two rows share, by field: the `externalId` with its account. */
  readonly unique: Readonly<Record<string, string>>;
  readonly type: OnboardingType;
  readonly workflowId: string;
  readonly input: object;
  readonly warnings?: readonly FieldProblem[];
}

export interface Invalid {
  readonly line: number;
  /** As in a valid row, if readable, because a row with other problems may also be a duplicate. */
  readonly unique?: Ready['unique'] | undefined;
  readonly problems: readonly FieldProblem[];
}

type Check = (line: number, value: unknown) => Ready | Invalid;

const BY_FIELD = new Map(EACH_KIND.flatMap((kind) => kind.fields.map((field) => [field, kind] as const)));

export function inputKind(value: unknown): { readonly kind: Kind } | { readonly problem: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'must be a JSON object' };
  if (isNestedDeeper(value)) return { problem: TOO_NESTED };
  const present = [...BY_FIELD.keys()].filter((field) => Object.hasOwn(value, field));
  const [kind, ...others] = new Set(present.map((field) => BY_FIELD.get(field)));
  if (!kind) return { problem: NO_KIND };
  return others.length > 0
    ? { problem: `has ${present.join(' and ')}: put them in separate rows` }
    : { kind };
}

export function rowCheck(accounts: KnownAccounts): (row: Row) => Ready | Invalid {
  const checks = Object.fromEntries(
    EACH_KIND.map((kind) => [kind.type, checkOf(kind, accounts)]),
  ) as Readonly<Record<OnboardingType, Check>>;
  return ({ line, value, problems }) => {
    if (problems) return { line, problems };
    const result = inputKind(value);
    if ('problem' in result) return { line, problems: [{ field: '', message: result.problem }] };
    return checks[result.kind.type](line, value);
  };
}

const FIELDS_OF_KINDS = EACH_KIND.map(({ type, fields }, index) => {
  const named = fields.map((field) => `"${field}"`).join(' and ');
  return `a ${ONBOARDINGS[type].nouns[0]} ${index === 0 ? 'has ' : ''}${named}`;
});

const NO_KIND = `is not an onboarding: ${FIELDS_OF_KINDS.join(', ')}`;

export function rowSchemas(accounts: KnownAccounts) {
  return EACH_KIND.map(({ schema }) => schema(accounts));
}

function checkOf({ type, schema }: Kind, accounts: KnownAccounts): Check {
  const checked = schema(accounts);
  return (line, value) => {
    const { success, data: input, error } = checked.safeParse(value);
    if (!success) return { line, problems: fieldProblems(error).map(withValue(value)), ...uniqueIn(value) };
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
      warnings: formatWarnings(input),
    };
  };
}

/** The name of the business that an input is about. */
function businessIn(leaves: readonly Leaf[]): string {
  const { value = '' } = leaves.find(({ field }) => /\b(?:dba|doingBusinessAsName)$/.test(field)) ?? {};
  return truncate(redact(String(value)), LONGEST_SHOWN);
}

/** Adds to a problem whose it is and, unless that is private, the value, for the page of whoever has the file. */
function withValue(input: unknown) {
  const leaves = leavesOf(input);
  const values = new Map(leaves.map(({ field, value }) => [field, value]));
  const business = businessIn(leaves);
  return (problem: FieldProblem) => {
    const value = values.get(problem.field);
    const isPrivate = problem.field.split('.').some(isPrivateField);
    const text = isPrivate ? '(not shown)' : truncate(redact(String(value)), LONGEST_SHOWN);
    return { ...problem, business, ...(value !== undefined && { value: text }) };
  };
}

const LONGEST_SHOWN = 60;

function uniqueIn(value: unknown): Pick<Invalid, 'unique'> {
  const { externalId, account } = value as Readonly<Record<string, unknown>>;
  if (typeof externalId !== 'string' || externalId === '') return {};
  return { unique: { externalId: atAccount(externalId, typeof account === 'string' ? account : undefined) } };
}

/** A row of a file, or why it is unreadable. */
export interface Row {
  /** The line where it begins, counted from 1. */
  readonly line: number;
  readonly value?: unknown;
  readonly problems?: readonly FieldProblem[];
}

/** The maximum size of a row, in bytes, far below Temporal's limit for a workflow's input. */
export const MAX_ROW_BYTES = 1024 * 1024;

export const TOO_LONG = 'is longer than 1 MiB';

/** Reported for a row whose end cannot be found. */
export const REST_UNREAD = 'the rest of the file was not read';

/** Stands for bytes that are not UTF-8. A name with it would reach the partner corrupted. */
const REPLACEMENT_CHARACTER = '\uFFFD';

export function unreadable(line: number, message: string): Row {
  return { line, problems: [{ field: '', message }] };
}

/** @returns undefined if the text is valid UTF-8 */
export function notUtf8(line: number, texts: readonly string[]): Row | undefined {
  return texts.some((text) => text.includes(REPLACEMENT_CHARACTER)) ? unreadable(line, NOT_UTF_8) : undefined;
}

export interface RowRules<Valid extends Ready = Ready> {
  /** They name the columns of a table. */
  readonly schemas: readonly z.ZodType[];
  readonly check: (row: Row) => Valid | Invalid;
}

export type Validation = Awaited<ReturnType<typeof validate>>;

/** The part of a valid row that stays in memory. */
export interface ValidRow {
  readonly line: number;
  readonly workflowId: string;
  /** Shared by rows that name the same references. */
  readonly named: Named | undefined;
  readonly warnings: readonly FieldProblem[];
}

export interface RowProblem extends FieldProblem {
  readonly line: number;
  readonly business?: string;
  readonly value?: string;
}

/** More problems would repeat the same mistake. */
const PROBLEMS_SHOWN = 100;

/** The number of business names in a preview: enough to see that it is the right file. */
const NAMES_SHOWN = 5;

/** The maximum number of warnings in memory. */
const MAX_WARNINGS = 10_000;

const NONE: readonly FieldProblem[] = [];

export async function validate(rows: AsyncIterable<Ready | Invalid>) {
  const counts: Partial<Record<OnboardingType, number>> = {};
  /** The first problems, by line. */
  const problems: RowProblem[] = [];
  const lineOf = new Map<string, number>();
  const names = new Map<string, Named>();
  const valid: ValidRow[] = [];
  const businesses: string[] = [];
  let [total, problemCount, badRows, lastBad, count, moreWarnings] = [0, 0, 0, 0, 0, 0];
  const add = (line: number, problem: FieldProblem) => {
    problemCount += 1;
    if (line !== lastBad) badRows += 1;
    lastBad = line;
    if (problems.length < PROBLEMS_SHOWN) problems.push({ line, ...problem });
  };
  for await (const row of rows) {
    total += 1;
    const { line } = row;
    const isBroken = 'problems' in row;
    if (isBroken) for (const problem of distinct(row.problems)) add(line, problem);
    for (const [field, value] of Object.entries(row.unique ?? {})) {
      const first = lineOf.get(`${field} ${value}`);
      if (first === undefined) lineOf.set(`${field} ${value}`, line);
      else add(line, { field, message: `is the same as in line ${first}` });
    }
    if (isBroken || lastBad === line) continue;
    const { type, input, workflowId, warnings: own = NONE } = row;
    if (valid.length < NAMES_SHOWN) businesses.push(businessIn(leavesOf(input)));
    const identity = businessIdentity(input);
    const twin = lineOf.get(identity);
    if (identity !== '') lineOf.set(identity, twin ?? line);
    const warnings = twin === undefined ? own : [...own, { field: '', message: isDuplicate(`line ${twin}`) }];
    const here = namedIn(input);
    const key = JSON.stringify(here);
    const named = names.get(key) ?? here;
    if (named) names.set(key, named);
    const isKept = warnings.length > 0 && count < MAX_WARNINGS;
    if (isKept) count += warnings.length;
    else moreWarnings += warnings.length;
    valid.push({ line, workflowId, named, warnings: isKept ? warnings : NONE });
    counts[type] = (counts[type] ?? 0) + 1;
  }
  return { rows: total, counts, problems, problemCount, badRows, valid, moreWarnings, businesses };
}

type Checked = Pick<Validation, 'valid' | 'moreWarnings'>;

/**
 * Returns the warnings that need more than the file. An existing onboarding takes no new input, so its row only gets a warning if
 * it differs.
 *
 * @param rows the file again, to compare its first rows with the inputs of existing onboardings
 */
export async function fileWarnings(
  client: Client,
  taskQueue: string,
  { valid, moreWarnings }: Checked,
  rows: AsyncIterable<Ready>,
  read = referencesAt,
): Promise<FileWarnings> {
  const accounts = new Set(valid.flatMap(({ named }) => (named ? [named.account] : [])));
  const reading = [...accounts].map(
    async (account) => [account, await read(client, taskQueue, account)] as const,
  );
  const ids = valid.map(({ workflowId }) => workflowId);
  const [all, existing] = await Promise.all([Promise.all(reading), existingOf(client, ids)]);
  const lists = new Map(all);
  const started = existing ? valid.filter(({ workflowId }) => !existing.has(workflowId)) : valid;
  const differing = existing ? await differingRows(client, rows, existing) : [];
  return {
    ...rowWarnings({ valid: [...differing, ...started], moreWarnings }, ({ account }) => lists.get(account)),
    isComplete: all.every(([, list]) => list !== undefined),
    attached: existing?.size,
  };
}

/** The maximum number of existing onboardings to read, because a person waits. */
const MAX_COMPARED = 20;

/** Finds rows that differ from the onboarding with their ID, and rows whose business has an onboarding with another ID. */
async function differingRows(client: Client, rows: AsyncIterable<Ready>, existing: ReadonlySet<string>) {
  const warned = ({ line, workflowId }: Ready, warnings: readonly FieldProblem[]) =>
    warnings.length === 0 ? [] : [{ line, workflowId, named: undefined, warnings }];
  const compare = async (row: Ready) => {
    const fields = await differenceFromStart(client, row.workflowId, row.input).catch(() => undefined);
    return warned(
      row,
      (fields ?? []).map((field) => ({ field, message: DIFFERS })),
    );
  };
  const compared: Promise<readonly ValidRow[]>[] = [];
  const others: Ready[] = [];
  for await (const row of rows) {
    if (!existing.has(row.workflowId)) others.push(row);
    else if (compared.length < MAX_COMPARED) compared.push(compare(row));
  }
  const twins = await findDuplicates(client, others);
  const again = others.flatMap((row) => {
    const twin = twins.get(row.workflowId);
    return warned(row, twin === undefined ? [] : [{ field: '', message: isDuplicate(twin) }]);
  });
  return [...(await Promise.all(compared)).flat(), ...again];
}

const DIFFERS = 'differs from the onboarding that exists, which keeps its own value';

/** Returns warnings about rows, by line. @param listed the partner's lists; default: not read */
export function rowWarnings(
  { valid, moreWarnings }: Checked,
  listed: (named: Named) => References | undefined = () => undefined,
): Pick<FileWarnings, 'warnings' | 'count'> {
  const own = valid.flatMap(({ line, warnings }) => warnings.map((warning) => ({ line, ...warning })));
  const further = [...Map.groupBy(valid, ({ named }) => named)].flatMap(([named, rows]) => {
    const lists = named && listed(named);
    const problems = named && lists ? referenceWarnings(named, lists) : [];
    const others = rows.length > 1 ? `, as in ${rowsOf(rows.length - 1)} more` : '';
    return problems.map(({ field, message }) => ({
      line: rows[0]?.line ?? 0,
      field,
      message: truncate(message, MESSAGE_LENGTH) + others,
    }));
  });
  return {
    warnings: [...further, ...own].slice(0, PROBLEMS_SHOWN).sort((one, other) => one.line - other.line),
    count: own.length + further.length + moreWarnings,
  };
}

/** A partner may list thousands of agents. */
const MESSAGE_LENGTH = 300;

/** The maximum number of IDs in one query, and in all queries, because a person waits. */
const IDS_AT_ONCE = 100;
const MAX_LOOKED_UP = 10_000;

/** Finds existing workflows. @returns undefined for a large file, without asking Temporal */
async function existingOf(client: Client, ids: readonly string[]): Promise<ReadonlySet<string> | undefined> {
  if (ids.length > MAX_LOOKED_UP) return undefined;
  const match = new Set<string>();
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const query = isIn('WorkflowId', ids.slice(from, from + IDS_AT_ONCE));
    // One onboarding may have several runs.
    for await (const { execution } of listExecutions(client, query, Number.MAX_SAFE_INTEGER))
      match.add(execution?.workflowId ?? '');
  }
  return match;
}

/** Returns how many rows of a file would start nothing: `3 of 20 rows would start nothing, because the onboarding exists.` */
export function attachedSentence(attached: number | undefined, rows: number): string | undefined {
  if (attached === undefined || attached === 0) return undefined;
  return `${attached} of ${rowsOf(rows)} would start nothing, because the onboarding exists.`;
}

/** The maximum number of rows that start without a confirmation. */
export const UNCONFIRMED_ROWS = 20;

/** @param attached rows whose onboarding exists; undefined if they were not counted */
export function consequenceOf(
  name: string,
  { rows, counts }: Pick<Validation, 'rows' | 'counts'>,
  attached: number | undefined,
): string {
  if (attached !== undefined && attached >= rows) return 'Nothing new would start.';
  const which = attached ? rowsOf(rows - attached) : `${rowsOf(rows)} of ${name} (${kindsOf(counts)})`;
  return `This starts ${which}, which creates applications at the partners.`;
}

/** `3 merchants, 1 business` */
export function kindsOf(counts: Validation['counts']): string {
  const kinds = Object.entries(counts).map(([type, count]) => {
    const [one, several] = ONBOARDINGS[type as OnboardingType].nouns;
    return `${count} ${count === 1 ? one : several}`;
  });
  return kinds.join(', ');
}

/** `1 row`, `200 rows` */
export function rowsOf(count: number): string {
  return `${count} ${count === 1 ? 'row' : 'rows'}`;
}
