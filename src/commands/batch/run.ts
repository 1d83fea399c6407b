import { clearLine, cursorTo } from 'node:readline';
import { MultiBar } from 'cli-progress';
import type { CommandContext, CommandLine } from '../cli/command-line.js';
import { CommandFailed, Interrupted } from '../cli/errors.js';
import { outcomeLines } from '../cli/outcomes.js';
import type { Ready } from './ready.js';
import { type Awaited, awaitAll, type End, persistent, RERUN, type Result, startAll } from './starting.js';

export interface RunOptions {
  /** Starts per second. */
  readonly rate?: number;
  readonly concurrency: number;
  /** How long Temporal may be unavailable, in milliseconds. */
  readonly giveUpAfter: number;
  readonly wait?: true;
  /** The rows are only previewed. */
  readonly dryRun?: true;
  readonly json?: true;
  readonly csv?: true;
}

/** A row that was started, with what is needed to wait for it. */
type StartedRow = RowId & Awaited;

/**
 * Starts the rows of a valid file, and waits for them with `--wait`. Reports each row, and a summary.
 *
 * @throws {CommandFailed} when a row failed, or Temporal was unavailable for too long
 */
export async function run(
  context: CommandContext,
  rows: AsyncGenerator<Ready>,
  total: number,
  options: RunOptions,
): Promise<void> {
  if (!options.csv) return runAll(context, rows, total, options);
  const results: Results = new Map();
  // Also when it is interrupted: what is started stays started.
  return runAll(context, rows, total, options, results).finally(() => {
    const inOrder = [...results].sort(([one], [other]) => one - other).map(([, record]) => record);
    context.cli.csv(inOrder, ['line', 'externalId', 'workflowId', 'runId', 'started']);
  });
}

/** What is known of each row, by its line. CSV has a row for each, and its header has the fields of all of them. */
type Results = Map<number, object>;

async function runAll(
  context: CommandContext,
  rows: AsyncGenerator<Ready>,
  total: number,
  options: RunOptions,
  results?: Results,
): Promise<void> {
  const { cli } = context;
  const stop = new AbortController();
  const { signal } = stop;
  const interrupt = () => stop.abort(cli.signal.reason);
  if (cli.signal.aborted) interrupt();
  else cli.signal.addEventListener('abort', interrupt, { once: true });
  const { startedRows, failures } = await start(context, rows, total, options, stop, results);
  const failed =
    failures +
    (options.wait && !signal.aborted ? await wait(context, startedRows, options, stop, results) : 0);
  if (signal.reason instanceof Interrupted) {
    if (!options.dryRun) cli.note(RERUN);
    // A closed pipe is no success here, because rows are left.
    throw new Interrupted(signal.reason.message, signal.reason.exitCode || 1);
  }
  if (signal.aborted) throw signal.reason;
  if (failed > 0) throw new CommandFailed(`${rowsOf(failed)} failed`);
}

async function start(
  { cli, client, config }: CommandContext,
  rows: AsyncGenerator<Ready>,
  total: number,
  { rate, concurrency, giveUpAfter, wait, dryRun, json }: RunOptions,
  stop: AbortController,
  results?: Results,
): Promise<{ readonly startedRows: readonly StartedRow[]; readonly failures: number }> {
  const { taskQueue, dbaForm } = config;
  const done = dryRun ? 'read' : 'started';
  const progress = progressOf(cli, total, done);
  const report = new Report(cli, json === true, results);
  const startedRows: StartedRow[] = [];
  await startAll(client, rows, {
    options: { taskQueue, dbaForm, urgency: 'batch' },
    rate,
    concurrency: Math.min(concurrency, total),
    stop,
    persistently: persistent({ giveUpAfter, stop, note: progress.note }),
    onResult({ line, externalId, workflowId, restart }, result) {
      const row = { line, externalId, workflowId, restart };
      progress.step(() => report.start(row, result));
      if (wait && 'started' in result) startedRows.push(row);
    },
  });
  progress.end();
  report.summary(total, `not ${done}`);
  return { startedRows, failures: report.failures };
}

/** @returns how many ended without an outcome */
async function wait(
  { cli, client }: CommandContext,
  startedRows: readonly StartedRow[],
  { giveUpAfter, json }: RunOptions,
  stop: AbortController,
  results?: Results,
): Promise<number> {
  const progress = progressOf(cli, startedRows.length, 'ended');
  const report = new Report(cli, json === true, results);
  await awaitAll(client, startedRows, {
    stop,
    persistently: persistent({ giveUpAfter, stop, note: progress.note }),
    onEnd: (row, end) => progress.step(() => report.end(row, end)),
  });
  progress.end();
  report.summary(startedRows.length, 'still running');
  return report.failures;
}

/** A progress display for the person at the terminal. */
interface Progress {
  /** One more is done. @param print prints above the bar */
  readonly step: (print: () => void) => void;
  readonly note: (text: string) => void;
  readonly end: () => void;
}

/** A bar on standard error if that is a terminal. @param done the label of what is done: `ended` */
function progressOf(cli: CommandLine, total: number, done: string): Progress {
  const { stderr: stream } = cli;
  const note = (text: string) => cli.note(text);
  if (!stream.isTTY) return { step: (print) => print(), note, end() {} };
  // A MultiBar, because a SingleBar moves the cursor back to its first line when it ends.
  const bars = new MultiBar({
    stream,
    format: `[{bar}] {value} of {total} ${done}, {eta_formatted} to go`,
    barsize: 30,
    clearOnComplete: true,
    // Lines are printed in its place, so it is drawn again; long lines must not be cut off.
    forceRedraw: true,
    linewrap: true,
  });
  const bar = bars.create(total, 0);
  const above = (print: () => void) => {
    cursorTo(stream, 0);
    clearLine(stream, 0);
    print();
  };
  return {
    step(print) {
      above(print);
      bar.increment();
    },
    note: (text) => above(() => note(text)),
    end: () => bars.stop(),
  };
}

/** What identifies a row in the output. */
interface RowId {
  readonly line: number;
  readonly externalId: string;
  readonly workflowId: string;
}

/** Prints the result of each row on a line, and counts the results. */
class Report {
  readonly #counts = new Map<string, number>();

  constructor(
    private readonly cli: CommandLine,
    private readonly json: boolean,
    private readonly results: Results | undefined,
  ) {}

  start(row: RowId, result: Result): void {
    if ('rejected' in result) {
      this.#failed(row, result.rejected);
      return;
    }
    if ('word' in result) {
      this.#print(row, result.word, result.text, result.json);
      return;
    }
    const { runId, started } = result;
    const word = started ? 'started' : 'attached';
    this.#print(row, word, word, { runId, started });
  }

  end(row: RowId, end: End): void {
    if ('failed' in end) {
      this.#failed(row, end.failed);
      return;
    }
    const lines = outcomeLines(end).map((part) => part.trim());
    this.#print(row, end.outcome, lines.join('; '), end);
  }

  get failures(): number {
    return this.#counts.get('failed') ?? 0;
  }

  /** Prints how many rows had each result. @param rest the word for rows without a result */
  summary(total: number, rest: string): void {
    const done = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    const counts = [...this.#counts, ...(done < total ? [[rest, total - done] as const] : [])];
    const text = `${rowsOf(total)}: ${counts.map(([word, count]) => `${count} ${word}`).join(', ')}`;
    this.json || this.results ? this.cli.note(text) : this.cli.line(text);
  }

  #failed(row: RowId, error: string): void {
    this.#print(row, 'failed', `failed: ${error}`, { error });
  }

  #print({ line, externalId, workflowId }: RowId, word: string, text: string, json: object): void {
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    const record = { line, externalId, workflowId, ...json };
    if (this.results) this.results.set(line, { ...this.results.get(line), ...record });
    else if (this.json) this.cli.json(record);
    else this.cli.line(`${line} ${workflowId} ${text}`);
  }
}

/** `1 row`, `200 rows` */
export function rowsOf(count: number): string {
  return `${count} ${count === 1 ? 'row' : 'rows'}`;
}
