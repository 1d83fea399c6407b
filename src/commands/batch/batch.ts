import { rowReader } from '../../batches/format.js';
import { type Invalid, type Ready, rowCheck, rowSchemas } from '../../batches/ready.js';
import {
  consequenceOf,
  kindsOf,
  type RowRules,
  rowsOf,
  UNCONFIRMED_ROWS,
  type Validation,
  validate,
} from '../../batches/validation.js';
import { InvalidInput } from '../../texts/invalid-input.js';
import { readJson, sourceName } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { type Confirming, confirm } from '../cli/confirm.js';
import { whileShowing } from '../cli/progress.js';
import { type RunOptions, startAndFollow } from './run.js';
import { openSource } from './source.js';

/** How the file is written. */
export interface FormatOptions {
  readonly format?: 'csv' | 'ndjson';
  readonly delimiter?: string;
  /** A mapping file. */
  readonly mapping?: string;
}

type BatchOptions = FormatOptions & RunOptions & Confirming;

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
    await withTemporal(cli, (context) => startAndFollow(context, name, rows(), options), { finishes: true });
  });
}

/** A file of which every row is valid. */
export interface ValidFile<Valid extends Ready> {
  /** In messages. */
  readonly name: string;
  readonly validation: Validation;
  /** Reads it again. */
  readonly rows: () => AsyncGenerator<Valid>;
}

/**
 * Checks a whole file before its rows are used.
 *
 * @throws {InvalidInput} that names each wrong row by line, field and rule
 */
export async function withValidRows<Valid extends Ready>(
  cli: CommandLine,
  file: string,
  options: FormatOptions & Pick<RunOptions, 'json'>,
  { schemas, check }: RowRules<Valid>,
  use: (file: ValidFile<Valid>) => Promise<void>,
): Promise<void> {
  const { format, delimiter, mapping } = options;
  const given =
    mapping === undefined ? undefined : { name: sourceName(mapping), value: await readJson(cli, mapping) };
  const readRows = rowReader({ format, delimiter, mapping: given }, file, schemas);
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
async function* readyRows<Valid extends Ready>(
  name: string,
  rows: AsyncIterable<Valid | Invalid>,
): AsyncGenerator<Valid> {
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

function printValid(cli: CommandLine, name: string, { rows, counts }: Validation, json?: true): void {
  if (json) {
    cli.json({ valid: true, rows, ...counts });
    return;
  }
  cli.line(`${name}: ${rowsOf(rows)}, all valid: ${kindsOf(counts)}`);
}
