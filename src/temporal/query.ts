import type { Client } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { didYouMean } from '../platform/settings/did-you-mean.js';
import { rejectedBecause, TemporalProblem } from './unavailable.js';

/**
 * Visibility queries (https://docs.temporal.io/list-filter). Other modules build their queries from these parts, so a text is
 * always a value and never query syntax, except in {@link typedQuery}.
 */

declare const MADE_HERE: unique symbol;

export type Condition = string & { readonly [MADE_HERE]: true };

/** Returns the query spelling of a name in Temporal's API: `TimedOut` for `TIMED_OUT`. */
export function inQueries(name: string): string {
  return name.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

type Field =
  | { readonly name: string }
  | ('WorkflowId' | 'WorkflowType' | 'ExecutionStatus' | 'StartTime' | 'CloseTime' | 'TaskQueue')
  | ('ActivityId' | 'ActivityType' | 'TemporalReportedProblems')
  | ('TemporalWorkerDeploymentVersion' | 'TemporalWorkflowVersioningBehavior');

export function is(field: Field, value: string | Date | true): Condition {
  return compareField(field, '=', value);
}

export function isNot(field: Field, value: string): Condition {
  return compareField(field, '!=', value);
}

export function compareField(
  field: Field,
  by: '=' | '!=' | '<' | '<=' | '>' | '>=',
  value: string | Date | true,
): Condition {
  return condition(`${fieldName(field)} ${by} ${literal(value)}`);
}

/** Without values, matches nothing, because no workflow has an empty ID. */
export function isIn(field: Field, values: readonly string[]): Condition {
  if (values.length === 0) return is('WorkflowId', '');
  return condition(`${fieldName(field)} IN (${values.map(literal).join(', ')})`);
}

export function isNull(field: Field): Condition {
  return condition(`${fieldName(field)} IS NULL`);
}

export function startsWith(field: Field, prefix: string): Condition {
  return condition(`${fieldName(field)} STARTS_WITH ${literal(prefix)}`);
}

export function all(...conditions: readonly (Condition | '' | false | undefined)[]): Condition {
  return condition(conditions.filter(Boolean).join(' AND '));
}

export function either(...conditions: readonly Condition[]): Condition {
  return condition(`(${conditions.join(' OR ')})`);
}

/** A query that a person typed. It may have any structure, so never rely on it to restrict what that person sees. */
export function typedQuery(query: string): Condition {
  return condition(`(${query})`);
}

const condition = (query: string) => query as Condition;

const fieldName = (field: Field) => (typeof field === 'string' ? field : field.name);

/** Control characters, including the NUL that ends a query in the visibility store, and halves of surrogate pairs. */
const UNSEARCHABLE = /[\p{Cc}\p{Cs}]/u;

export class UnsearchableText extends TemporalProblem {
  override readonly name = 'UnsearchableText';
  constructor(text: string) {
    super(
      `${JSON.stringify(text)} has a character that cannot be searched: remove line breaks and control characters`,
    );
  }
}

// Keeps T3.
/**
 * Quotes a value. In quoted text, Temporal reads a backslash as the start of an escape, with every visibility store: `\'` does not
 * end the text.
 *
 * @throws {UnsearchableText}
 */
function literal(value: string | Date | true): string {
  if (value === true) return 'true';
  const text = typeof value === 'string' ? value : value.toISOString();
  if (UNSEARCHABLE.test(text)) throw new UnsearchableText(text);
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

export const IS_RUNNING = is('ExecutionStatus', 'Running');

const OWN_FIELDS = ['WorkflowId', 'WorkflowType', 'ExecutionStatus', 'StartTime', 'CloseTime', 'TaskQueue'];

/**
 * Explains the problem with the typed part of a visibility query: a position within that part, or the closest names to an unknown
 * field.
 *
 * @param error of the list
 * @param query the complete query, as sent
 * @returns undefined if the error is not about the typed part
 */
export async function problemInQuery(
  client: Client,
  error: unknown,
  { query, typed }: { readonly query: string; readonly typed: string },
): Promise<string | undefined> {
  const said = rejectedBecause(error);
  if (said === undefined) return undefined;
  if ((typed.match(/'/g) ?? []).length % 2 === 1) return "a quote is not closed; text stands between two '";
  const unknown = UNKNOWN_FIELD.exec(said)?.[1];
  const fields = [...Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name), ...OWN_FIELDS];
  if (unknown !== undefined) {
    // A known field is missing on the server, not mistyped.
    if (fields.includes(unknown) || !typed.includes(unknown)) return undefined;
    return `${unknown} is not a field${didYouMean(unknown, fields)}`;
  }
  const position = Number(POSITION.exec(said)?.[1]);
  const what = said.replace(/^invalid query: /, '').replace('malformed SQL query: ', '');
  if (Number.isNaN(position)) return what;
  const inTyped = position - (await addedByServer(client)) - query.lastIndexOf(typed);
  const where = inTyped <= typed.length ? `near position ${inTyped} of ${typed}` : `at the end of ${typed}`;
  return `syntax error ${where}`;
}

const UNKNOWN_FIELD = /invalid search attribute: (\w+)/;
const POSITION = /at position (\d+)/;

/** Returns how much text the server puts before a query, which shifts positions. In `)`, the first character is wrong. */
async function addedByServer(client: Client): Promise<number> {
  try {
    for await (const _ of client.workflow.list({ query: ')' })) break;
    return 0;
  } catch (error) {
    return Number(POSITION.exec(rejectedBecause(error) ?? '')?.[1] ?? 1) - 1;
  }
}
