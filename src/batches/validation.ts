import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import type { FileDoubts } from '../messages/batches.js';
import { shortened } from '../partners/bounds.js';
import type { FieldProblem } from '../partners/partner-error.js';
import { isIn } from '../temporal/query.js';
import { rawListed } from '../temporal/search.js';
import type { StartableType } from '../temporal/start.js';
import { distinct } from '../texts/invalid-input.js';
import { type Named, namedIn, referenceDoubts, referencesAt } from './doubts.js';
import type { Invalid, Ready, Row } from './ready.js';

/** What the rows of a file must be. */
export interface RowRules<Valid extends Ready = Ready> {
  /** They name the columns of a table. */
  readonly schemas: readonly z.ZodType[];
  readonly check: (row: Row) => Valid | Invalid;
}

/** The content of a file, and its problems. */
export interface Validation {
  readonly rows: number;
  /** Valid rows, by kind. */
  readonly counts: Readonly<Partial<Record<StartableType, number>>>;
  /** The first problems, in the order of their lines. */
  readonly problems: readonly RowProblem[];
  readonly problemCount: number;
  /** Rows with a problem. */
  readonly badRows: number;
  /** The first doubts about valid rows. */
  readonly doubts: readonly RowProblem[];
  readonly doubtCount: number;
  /** What the rows name at the boarding partner, each once. */
  readonly named: readonly NamedRows[];
  /** Workflow ids of valid rows. */
  readonly workflowIds: readonly string[];
}

export interface RowProblem extends FieldProblem {
  readonly line: number;
}

/** Rows that name the same agent and boarding settings. */
interface NamedRows {
  readonly named: Named;
  /** The first of them. */
  readonly line: number;
  rows: number;
}

/** More would repeat the same mistake. */
const PROBLEMS_SHOWN = 100;

/** Reads all rows. Of each, only the unique fields and the id stay in memory. */
export async function validate(rows: AsyncIterable<Ready | Invalid>): Promise<Validation> {
  const counts: Partial<Record<StartableType, number>> = {};
  const [problems, doubts] = [new RowProblems(), new RowProblems()];
  const lineOf = new Map<string, number>();
  const named = new Map<string, NamedRows>();
  const workflowIds: string[] = [];
  let total = 0;
  for await (const row of rows) {
    total += 1;
    if ('problems' in row) {
      for (const problem of distinct(row.problems)) problems.add(row.line, problem);
      continue;
    }
    const { line, unique, type, input, workflowId } = row;
    for (const [field, value] of Object.entries(unique)) {
      const first = lineOf.get(`${field} ${value}`);
      if (first === undefined) lineOf.set(`${field} ${value}`, line);
      else problems.add(line, { field, message: `is the same as in line ${first}` });
    }
    for (const doubt of row.doubts ?? []) doubts.add(line, doubt);
    const here = namedIn(input);
    const key = JSON.stringify(here);
    const same = named.get(key);
    if (same) same.rows += 1;
    else if (here) named.set(key, { named: here, line, rows: 1 });
    workflowIds.push(workflowId);
    counts[type] = (counts[type] ?? 0) + 1;
  }
  return {
    ...{ rows: total, counts, problems: problems.first, problemCount: problems.count },
    ...{ badRows: problems.rows, doubts: doubts.first, doubtCount: doubts.count },
    ...{ named: [...named.values()], workflowIds },
  };
}

/** Counts problems, and keeps the first. */
class RowProblems {
  readonly first: RowProblem[] = [];
  count = 0;
  rows = 0;
  #last = 0;

  add(line: number, { field, message }: FieldProblem): void {
    this.count += 1;
    if (line !== this.#last) this.rows += 1;
    this.#last = line;
    if (this.first.length < PROBLEMS_SHOWN) this.first.push({ line, field, message });
  }
}

/**
 * Reads what the file itself does not tell: the lists of the partner, and which onboardings exist.
 *
 * @param read reads the lists of an account; undefined when they cannot be read now
 */
export async function fileDoubts(
  client: Client,
  taskQueue: string,
  {
    doubts,
    doubtCount,
    named,
    workflowIds,
  }: Pick<Validation, 'doubts' | 'doubtCount' | 'named' | 'workflowIds'>,
  read = referencesAt,
): Promise<FileDoubts> {
  const accounts = [...new Set(named.map((each) => each.named.account))];
  const reading = accounts.map(async (account) => [account, await read(client, taskQueue, account)] as const);
  const [all, attached] = await Promise.all([Promise.all(reading), countExisting(client, workflowIds)]);
  const lists = new Map(all);
  const further = named.flatMap(({ named, line, rows }) => {
    const known = lists.get(named.account);
    const found = known ? referenceDoubts(named, known) : [];
    const others = rows > 1 ? `, as in ${rowsOf(rows - 1)} more` : '';
    return found.map(({ field, message }) => ({
      line,
      field,
      message: shortened(message, MESSAGE_LENGTH) + others,
    }));
  });
  return {
    doubts: [...further, ...doubts].slice(0, PROBLEMS_SHOWN).sort((one, other) => one.line - other.line),
    count: doubtCount + further.length,
    isComplete: all.every(([, list]) => list !== undefined),
    attached,
  };
}

/** A partner may list thousands of agents. */
const MESSAGE_LENGTH = 300;

/** Ids in one query, and how many are looked up: a person waits. */
const IDS_AT_ONCE = 100;
const MOST_LOOKED_UP = 10_000;

async function countExisting(client: Client, ids: readonly string[]): Promise<number | undefined> {
  if (ids.length > MOST_LOOKED_UP) return undefined;
  const found = new Set<string | null | undefined>();
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const query = isIn('WorkflowId', ids.slice(from, from + IDS_AT_ONCE));
    // One onboarding may have several runs.
    for await (const { execution } of rawListed(client, query, Number.MAX_SAFE_INTEGER))
      found.add(execution?.workflowId);
  }
  return found.size;
}

/** What the start of a file does, besides starting rows: `3 of the rows only attach to onboardings that exist.` */
export function attachedSentence(attached: number | undefined, rows: number): string | undefined {
  if (attached === undefined || attached === 0) return undefined;
  return `${attached} of ${rowsOf(rows)} would only attach, because the onboarding exists.`;
}

/** So many rows are started without a confirmation. */
export const UNCONFIRMED_ROWS = 20;

/** What the start of a file does, in one sentence. */
export function consequenceOf(name: string, { rows, counts }: Pick<Validation, 'rows' | 'counts'>): string {
  return `This starts ${rowsOf(rows)} of ${name} (${kindsOf(counts)}), which creates applications at the partners.`;
}

/** The names of each kind for people: singular and plural. */
export const NAMES: Readonly<Record<StartableType, readonly [string, string]>> = {
  merchantBoarding: ['merchant', 'merchants'],
  businessOnboarding: ['business', 'businesses'],
  customerOnboarding: ['customer', 'customers'],
};

/** `3 merchants, 1 business` */
export function kindsOf(counts: Validation['counts']): string {
  const kinds = Object.entries(counts).map(([type, count]) => {
    const [one, several] = NAMES[type as StartableType];
    return `${count} ${count === 1 ? one : several}`;
  });
  return kinds.join(', ');
}

/** `1 row`, `200 rows` */
export function rowsOf(count: number): string {
  return `${count} ${count === 1 ? 'row' : 'rows'}`;
}
