import type { Ready } from '../../operators/batch/ready.js';
import { persistent, type Result, startAll } from '../../operators/batch/starting.js';
import { rowsOf } from '../../operators/batch/validation.js';
import type { CommandContext, CommandLine } from '../cli/command-line.js';
import { CommandFailed, Interrupted, TimedOut } from '../cli/errors.js';
import { EXIT } from '../cli/exit-codes.js';
import { outcomeLines } from '../cli/outcomes.js';
import { bar, PROGRESS } from '../cli/progress.js';
import { type Awaited, awaitAll, type End, RERUN } from './waiting.js';

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
  const waited =
    startedRows.length > 0 && !signal.aborted
      ? await wait(context, startedRows, options, stop, results)
      : NOT_WAITED;
  const failed = failures + waited.failures;
  if (signal.reason instanceof Interrupted) {
    if (!options.dryRun) cli.note(`what was started continues; ${RERUN}`);
    if (signal.reason instanceof TimedOut) throw new TimedOut(waited.asked > 0 ? EXIT.person : EXIT.failed);
    // A closed pipe is no success here, because rows are left.
    throw new Interrupted(signal.reason.message, signal.reason.exitCode || 1);
  }
  if (signal.aborted) throw signal.reason;
  if (failed > 0) throw new CommandFailed(`${rowsOf(failed)} failed`);
}

function gaveUp(): CommandFailed {
  const message = `gave up, because Temporal does not respond (--give-up-after)\n${RERUN}`;
  return new CommandFailed(message, { exitCode: EXIT.unavailable });
}

const NOT_WAITED = { failures: 0, asked: 0 };

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
    persistently: persistent({ giveUpAfter, stop, gaveUp, note: (text) => cli.note(text) }),
    onResult({ line, externalId, workflowId, restart }, result) {
      const row = { line, externalId, workflowId, restart };
      report.start(row, result);
      progress.step();
      if (wait && 'started' in result) startedRows.push(row);
    },
  });
  progress.end();
  report.summary(total, `not ${done}`);
  return { startedRows, failures: report.failures };
}

/** @returns how many ended without an outcome, and how many of the rest wait for a person */
async function wait(
  { cli, client }: CommandContext,
  startedRows: readonly StartedRow[],
  { giveUpAfter, json }: RunOptions,
  stop: AbortController,
  results?: Results,
): Promise<typeof NOT_WAITED> {
  const progress = progressOf(cli, startedRows.length, 'ended');
  const report = new Report(cli, json === true, results);
  const asked = new Set<string>();
  cli.note(`${PROGRESS}Ctrl-C ends the wait, not the onboardings; ${RERUN}`);
  await awaitAll(client, startedRows, {
    stop,
    persistently: persistent({ giveUpAfter, stop, gaveUp, note: (text) => cli.note(text) }),
    onEnd(row, end) {
      asked.delete(row.workflowId);
      report.end(row, end);
      progress.step();
    },
    onRunning({ line, workflowId }, isAsked) {
      const isNew = isAsked && !asked.has(workflowId);
      if (isAsked) asked.add(workflowId);
      else asked.delete(workflowId);
      progress.asked(asked.size);
      if (isNew && !cli.status.isThere)
        cli.note(`${PROGRESS}${line} ${workflowId} waits for a person: gangway status ${workflowId}`);
    },
  });
  progress.end();
  report.summary(startedRows.length, 'still running');
  return { failures: report.failures, asked: asked.size };
}

/** A progress display for the person at the terminal. */
interface Progress {
  /** One more is done. */
  readonly step: () => void;
  /** How many of the rest wait for a person. */
  readonly asked: (count: number) => void;
  readonly end: () => void;
}

/** A bar. @param done the label of what is done: `ended` */
function progressOf({ status }: CommandLine, total: number, done: string): Progress {
  const beganAt = Date.now();
  let count = 0;
  let waiting = 0;
  const draw = () =>
    bar(count, total, done, beganAt) + (waiting > 0 ? `, ${waiting} waiting for a person` : '');
  status.show(draw);
  return {
    step() {
      count += 1;
      status.show(draw);
    },
    asked(number) {
      waiting = number;
    },
    end: () => status.end(),
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
