import type { Client } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { didYouMean } from '../settings/nearest.js';
import { rejectedBecause } from './unavailable.js';

/** Temporal's own fields of a visibility query that people use. */
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
