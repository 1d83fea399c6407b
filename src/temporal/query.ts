import type { Client } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { didYouMean } from '../platform/settings/did-you-mean.js';
import { rejectedBecause, TemporalProblem } from './unavailable.js';

/**
 * Visibility queries (https://docs.temporal.io/list-filter). Every other module builds its queries from these parts, so that a
 * text is a value and never a part of the query. The exception is {@link typedQuery}.
 */

declare const MADE_HERE: unique symbol;

export type Condition = string & { readonly [MADE_HERE]: true };

/** A name of Temporal's API as its queries have it: `TimedOut` for `TIMED_OUT`. */
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

/** No value: nothing is found, because no workflow has an empty id. */
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

/** A query that a person typed as a query. It may have any structure, so it must not be what restricts that person. */
export function typedQuery(query: string): Condition {
  return condition(`(${query})`);
}

const condition = (query: string) => query as Condition;

const fieldName = (field: Field) => (typeof field === 'string' ? field : field.name);

/** Control characters, the NUL that ends a query in the visibility store, and halves of a character. */
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
 * In a quoted text Temporal reads a backslash as the start of an escape, with every visibility store: `\'` does not end the text.
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
 * Explains what is wrong with the part of a visibility query that a person typed: a position counts in that part, and an unknown
 * field gets the closest ones.
 *
 * @param error of the list
 * @param query the whole, as it was sent
 * @returns undefined when the error is not about the typed part
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
    // A known field that the server lacks is missing on the server, and not mistyped.
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

/** The server counts positions in a longer query that it makes from this one. In `)` the first character is wrong. */
async function addedByServer(client: Client): Promise<number> {
  try {
    for await (const _ of client.workflow.list({ query: ')' })) break;
    return 0;
  } catch (error) {
    return Number(POSITION.exec(rejectedBecause(error) ?? '')?.[1] ?? 1) - 1;
  }
}
