import type { FieldProblem } from '../../partners/partner-error.js';
import type { StartableType } from '../../temporal/onboarding-kinds.js';
import type { Ready, Wrong } from './ready.js';

/** What there is in a file, and what is wrong with it. */
export interface Validation {
  readonly rows: number;
  /** Rows that are right, by kind. */
  readonly counts: Readonly<Partial<Record<StartableType, number>>>;
  /** The first of them, in the order of their lines. */
  readonly problems: readonly (FieldProblem & { readonly line: number })[];
  readonly problemCount: number;
}

/** A file that is wrong throughout is wrong in one way. */
const PROBLEMS_SHOWN = 100;

/** Reads all rows. Keeps no more of each than its `externalId` and account. */
export async function validate(rows: AsyncIterable<Ready | Wrong>): Promise<Validation> {
  const counts: Partial<Record<StartableType, number>> = {};
  const problems: (FieldProblem & { line: number })[] = [];
  const lineOf = new Map<string, number>();
  let problemCount = 0;
  let total = 0;
  const tell = (line: number, { field, message }: FieldProblem) => {
    problemCount += 1;
    if (problems.length < PROBLEMS_SHOWN) problems.push({ line, field, message });
  };
  for await (const row of rows) {
    total += 1;
    if ('problems' in row) {
      // Two rules may say the same of a field; that is told once.
      const told = new Map(row.problems.map((problem) => [`${problem.field}: ${problem.message}`, problem]));
      for (const problem of told.values()) tell(row.line, problem);
      continue;
    }
    const { line, key, type } = row;
    const first = lineOf.get(key);
    if (first === undefined) lineOf.set(key, line);
    else tell(line, { field: 'externalId', message: `is that of line ${first} already` });
    counts[type] = (counts[type] ?? 0) + 1;
  }
  return { rows: total, counts, problems, problemCount };
}
