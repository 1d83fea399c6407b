import type { z } from 'zod';
import type { FieldProblem } from '../partners/partner-error.js';
import type { StartableType } from '../temporal/start.js';
import { distinct } from '../texts/invalid-input.js';
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
  readonly problems: readonly (FieldProblem & { readonly line: number })[];
  readonly problemCount: number;
}

/** More would repeat the same mistake. */
const PROBLEMS_SHOWN = 100;

/** Reads all rows. Only the unique fields of each stay in memory. */
export async function validate(rows: AsyncIterable<Ready | Invalid>): Promise<Validation> {
  const counts: Partial<Record<StartableType, number>> = {};
  const problems: (FieldProblem & { line: number })[] = [];
  const lineOf = new Map<string, number>();
  let problemCount = 0;
  let total = 0;
  const add = (line: number, { field, message }: FieldProblem) => {
    problemCount += 1;
    if (problems.length < PROBLEMS_SHOWN) problems.push({ line, field, message });
  };
  for await (const row of rows) {
    total += 1;
    if ('problems' in row) {
      for (const problem of distinct(row.problems)) add(row.line, problem);
      continue;
    }
    const { line, unique, type } = row;
    for (const [field, value] of Object.entries(unique)) {
      const first = lineOf.get(`${field} ${value}`);
      if (first === undefined) lineOf.set(`${field} ${value}`, line);
      else add(line, { field, message: `is the same as in line ${first}` });
    }
    counts[type] = (counts[type] ?? 0) + 1;
  }
  return { rows: total, counts, problems, problemCount };
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
