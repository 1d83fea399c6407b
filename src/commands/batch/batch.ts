import type { z } from 'zod';
import type { FieldProblem } from '../../partners/partner-error.js';
import type { StartableType } from '../../temporal/start.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { type Confirming, confirm } from '../cli/confirm.js';
import { InvalidInput } from '../cli/errors.js';
import { whileShowing } from '../cli/progress.js';
import { type FormatOptions, openSource, rowReader } from './format.js';
import { type Invalid, type Ready, type Row, rowCheck, rowSchemas } from './ready.js';
import { type RunOptions, rowsOf, run } from './run.js';

type BatchOptions = FormatOptions & RunOptions & Confirming;

/** So many rows are started without a confirmation. */
const UNCONFIRMED_ROWS = 20;

export async function batch(
  cli: CommandLine,
  file: string,
  { dryRun, yes, ...options }: BatchOptions,
): Promise<void> {
  const known = cli.config();
  const rules = { schemas: rowSchemas(known), check: rowCheck(known) };
  await withValidRows(cli, file, options, rules, async ({ name, validation, rows }) => {
    if (dryRun) return printValid(cli, name, validation, options.json);
    if (validation.rows > UNCONFIRMED_ROWS) await confirm(cli, consequenceOf(name, validation), { yes });
    await withTemporal(cli, (context) => run(context, rows(), validation.rows, options), { finishes: true });
  });
}

/** What the rows of a file must be. */
export interface RowRules {
  /** They name the columns of a table. */
  readonly schemas: readonly z.ZodType[];
  readonly check: (row: Row) => Ready | Invalid;
}

/** A file of which every row is valid. */
export interface ValidFile {
  /** In messages. */
  readonly name: string;
  readonly validation: Validation;
  /** Reads it again. */
  readonly rows: () => AsyncGenerator<Ready>;
}

/**
 * Checks a whole file before its rows are used.
 *
 * @throws {InvalidInput} that names each wrong row by line, field and rule
 */
export async function withValidRows(
  cli: CommandLine,
  file: string,
  options: FormatOptions & Pick<RunOptions, 'json'>,
  { schemas, check }: RowRules,
  use: (file: ValidFile) => Promise<void>,
): Promise<void> {
  const readRows = await rowReader(cli, options, file, schemas);
  const source = await openSource(cli, file);
  async function* checkedRows() {
    for await (const row of readRows(source)) {
      cli.signal.throwIfAborted();
      yield check(row);
    }
  }
  try {
    const { name } = source;
    const validation = await whileShowing(cli, `checking ${name}`, () => validate(checkedRows()));
    rejectIfInvalid(cli, name, validation, options.json);
    await use({ name, validation, rows: () => readyRows(name, checkedRows()) });
  } finally {
    await source.close();
  }
}

/** The rows of a file in a second reading, after all were found valid. */
async function* readyRows(name: string, rows: AsyncIterable<Ready | Invalid>): AsyncGenerator<Ready> {
  for await (const row of rows) {
    if ('problems' in row)
      throw new InvalidInput(`${name}: changed while it was read; check the file and run the command again`);
    yield row;
  }
}

/** @throws {InvalidInput} that names the line, the field and the rule, and no value */
function rejectIfInvalid(
  cli: CommandLine,
  name: string,
  { rows, problems, problemCount }: Validation,
  json?: true,
): void {
  if (rows === 0) throw new InvalidInput(`${name}: has no rows`);
  if (problemCount === 0) return;
  const lines = problems.map(({ line, field, message }) =>
    [`${name}:${line}`, ...(field ? [field] : []), message].join(': '),
  );
  if (json) for (const each of problems) cli.json(each);
  const more = problemCount - problems.length;
  const end = `${name}: is not valid; nothing was started`;
  throw new InvalidInput([...lines, ...(more > 0 ? [`and ${more} more`] : []), end].join('\n'));
}

/** The names of each kind for people: singular and plural. */
const NAMES: Readonly<Record<StartableType, readonly [string, string]>> = {
  merchantBoarding: ['merchant', 'merchants'],
  businessOnboarding: ['business', 'businesses'],
  customerOnboarding: ['customer', 'customers'],
};

function printValid(cli: CommandLine, name: string, { rows, counts }: Validation, json?: true): void {
  if (json) {
    cli.json({ valid: true, rows, ...counts });
    return;
  }
  cli.line(`${name}: ${rowsOf(rows)}, all valid: ${kindsOf(counts)}`);
}

function kindsOf(counts: Validation['counts']): string {
  const kinds = Object.entries(counts).map(([type, count]) => {
    const [one, several] = NAMES[type as StartableType];
    return `${count} ${count === 1 ? one : several}`;
  });
  return kinds.join(', ');
}

function consequenceOf(name: string, { rows, counts }: Validation): string {
  return `This starts ${rowsOf(rows)} of ${name} (${kindsOf(counts)}), which creates applications at the partners.`;
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

/** Reads all rows. Of each, only its unique fields stay in memory. */
async function validate(rows: AsyncIterable<Ready | Invalid>): Promise<Validation> {
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
      // Two rules may report the same problem of a field, which counts once.
      const distinct = new Map(row.problems.map((each) => [`${each.field}: ${each.message}`, each]));
      for (const problem of distinct.values()) add(row.line, problem);
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
