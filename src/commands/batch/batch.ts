import { type Command, InvalidArgumentError, Option } from 'commander';
import type { FieldProblem } from '../../partners/partner-error.js';
import type { StartableType } from '../../temporal/start.js';
import { milliseconds, perSecond, positiveInteger } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { InvalidInput } from '../cli/errors.js';
import { type FormatOptions, openSource, rowReader } from './format.js';
import { type Ready, rowCheck, type Wrong } from './ready.js';
import { type RunOptions, rowsOf, run } from './run.js';

interface BatchOptions extends FormatOptions, RunOptions {
  readonly dryRun?: true;
}

export function batchCommand(program: Command, cli: CommandLine): void {
  program
    .command('batch')
    .summary('take everyone in a file aboard')
    .description(
      'Start an onboarding for each row of FILE: merchants, businesses, customers. The whole file is checked ' +
        'first, and nothing is started unless every row is right. The same externalId attaches to the first ' +
        'one, running or ended, so the same command may be run again at any time: it starts what is missing.',
    )
    .argument('<file>', 'NDJSON or CSV, or - for standard input')
    .option('--dry-run', 'only check the file')
    .addOption(
      new Option('--format <format>', 'what the file is, unless its name ends in .csv or .ndjson').choices([
        'csv',
        'ndjson',
      ]),
    )
    .option('--mapping <file>', 'CSV: what its headers stand for (see examples/mapping.json)')
    .option('--delimiter <sign>', 'CSV: what separates cells, such as ";" or tab', separator)
    .option('--rate <n>', 'start at most this many in a second', perSecond)
    .option('--concurrency <n>', 'start this many at once', positiveInteger, 8)
    .addOption(
      new Option('--give-up-after <duration>', 'stop when Temporal was away for this long')
        .argParser(milliseconds)
        .default(120_000, '2m'),
    )
    .option('--wait', 'wait until all have ended, and print their outcomes')
    .option('--json', 'print JSON lines')
    .addHelpText('after', HELP)
    .action((file: string, options: BatchOptions) => batch(cli, file, options));
}

const HELP = `
A line of NDJSON is an input as the files in examples/ have it; lines may be of
different kinds. The first row of CSV names the members of the input, such as
  externalId,merchant.dba,agentProfileId,beneficialOwners.0.firstName
and an empty cell is an absent member.

Exit codes: 0 all rows are started (with --wait: have ended, however they did),
1 a row failed or Temporal was away, 2 bad usage or input, 130 stopped by Ctrl-C.

Examples:
  gangway batch examples/merchants.csv --dry-run
  gangway batch examples/crm-export.csv --delimiter ";" --mapping examples/mapping.json
  gangway batch examples/merchants.ndjson --rate 5 --wait`;

function separator(value: string): string {
  if (value === 'tab') return '\t';
  if (!/^[^"\r\n]$/u.test(value)) throw new InvalidArgumentError('It must be one sign, or tab.');
  return value;
}

async function batch(cli: CommandLine, file: string, { dryRun, ...options }: BatchOptions): Promise<void> {
  const known = cli.config();
  const readRows = await rowReader(cli, options, file, known);
  const check = rowCheck(known);
  const source = await openSource(cli, file);
  async function* checkedRows() {
    for await (const row of readRows(source)) {
      cli.signal.throwIfAborted();
      yield check(row);
    }
  }
  try {
    const validation = await validate(checkedRows());
    refuseIfWrong(cli, source.name, validation, options.json);
    if (dryRun) return tellValid(cli, source.name, validation, options.json);
    const rows = readyRows(source.name, checkedRows());
    await withTemporal(cli, (context) => run(context, rows, validation.rows, options), { finishes: true });
  } finally {
    await source.close();
  }
}

/** The rows of a file once more, which were right when it was checked. */
async function* readyRows(name: string, rows: AsyncIterable<Ready | Wrong>): AsyncGenerator<Ready> {
  for await (const row of rows) {
    if ('problems' in row) throw new InvalidInput(`${name}: was changed meanwhile; check it again`);
    yield row;
  }
}

/** @throws {InvalidInput} that names the line, the field and the rule, and no value */
function refuseIfWrong(
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
  throw new InvalidInput([...lines, ...(more > 0 ? [`... and ${more} more`] : []), end].join('\n'));
}

/** What people call the onboardings of a kind: one, and several. */
const NAMES: Readonly<Record<StartableType, readonly [string, string]>> = {
  merchantBoarding: ['merchant', 'merchants'],
  businessOnboarding: ['business', 'businesses'],
  customerOnboarding: ['customer', 'customers'],
};

function tellValid(cli: CommandLine, name: string, { rows, counts }: Validation, json?: true): void {
  if (json) {
    cli.json({ valid: true, rows, ...counts });
    return;
  }
  const kinds = Object.entries(counts).map(([type, count]) => {
    const [one, several] = NAMES[type as StartableType];
    return `${count} ${count === 1 ? one : several}`;
  });
  cli.line(`${name}: ${rowsOf(rows)}, all valid: ${kinds.join(', ')}`);
}

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
