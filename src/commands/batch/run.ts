import { clearLine, cursorTo } from 'node:readline';
import { MultiBar } from 'cli-progress';
import type { CommandContext, CommandLine } from '../cli/command-line.js';
import { CommandFailed, Interrupted } from '../cli/errors.js';
import { toldOf } from '../onboarding/start.js';
import type { Ready } from './ready.js';
import {
  type Awaited,
  awaitAll,
  type End,
  HOW_TO_GO_ON,
  persistent,
  type Result,
  startAll,
} from './starting.js';

export interface RunOptions {
  /** Starts in a second. */
  readonly rate?: number;
  readonly concurrency: number;
  /** How long Temporal may be away, in milliseconds. */
  readonly giveUpAfter: number;
  readonly wait?: true;
  readonly json?: true;
}

/** What is kept of a row that was started, to wait for it. */
type Begun = Told & Awaited;

/**
 * Starts the rows of a file that was found right, and waits for them if asked to. Tells of each, and of all.
 *
 * @throws {CommandFailed} when a row failed, or Temporal was away for too long
 */
export async function run(
  context: CommandContext,
  rows: AsyncGenerator<Ready>,
  total: number,
  options: RunOptions,
): Promise<void> {
  const { cli } = context;
  const stop = new AbortController();
  const { signal } = stop;
  const interrupt = () => stop.abort(cli.signal.reason);
  if (cli.signal.aborted) interrupt();
  else cli.signal.addEventListener('abort', interrupt, { once: true });
  const { begun, failures } = await start(context, rows, total, options, stop);
  const failed = failures + (options.wait && !signal.aborted ? await wait(context, begun, options, stop) : 0);
  if (signal.reason instanceof Interrupted) {
    cli.note(HOW_TO_GO_ON);
    // When the reader of the output went away, that is no success: rows are left.
    throw new Interrupted(signal.reason.message, signal.reason.exitCode || 1);
  }
  if (signal.aborted) throw signal.reason;
  if (failed > 0) throw new CommandFailed(`${rowsOf(failed)} failed`);
}

async function start(
  { cli, client, config }: CommandContext,
  rows: AsyncGenerator<Ready>,
  total: number,
  { rate, concurrency, giveUpAfter, wait, json }: RunOptions,
  stop: AbortController,
): Promise<{ readonly begun: readonly Begun[]; readonly failures: number }> {
  const progress = progressOf(cli, total, 'begun');
  const report = new Report(cli, json === true);
  const begun: Begun[] = [];
  await startAll(client, rows, {
    options: { taskQueue: config.taskQueue, urgency: 'batch' },
    rate,
    concurrency: Math.min(concurrency, total),
    stop,
    persistently: persistent({ giveUpAfter, stop, note: progress.note }),
    tell({ line, externalId, workflowId, anew }, result) {
      const row = { line, externalId, workflowId, anew };
      progress.step(() => report.start(row, result));
      if (wait && !('refused' in result)) begun.push(row);
    },
  });
  progress.end();
  report.summary(total, 'not begun');
  return { begun, failures: report.failures };
}

/** @returns how many have no outcome */
async function wait(
  { cli, client }: CommandContext,
  begun: readonly Begun[],
  { giveUpAfter, json }: RunOptions,
  stop: AbortController,
): Promise<number> {
  const progress = progressOf(cli, begun.length, 'ended');
  const report = new Report(cli, json === true);
  await awaitAll(client, begun, {
    stop,
    persistently: persistent({ giveUpAfter, stop, note: progress.note }),
    tell: (row, end) => progress.step(() => report.end(row, end)),
  });
  progress.end();
  report.summary(begun.length, 'still under way');
  return report.failures;
}

/** How far something has come, for the person at the terminal. */
export interface Progress {
  /** One more is done. @param print tells of it, above the bar */
  readonly step: (print: () => void) => void;
  readonly note: (text: string) => void;
  readonly end: () => void;
}

/** A bar on standard error when that is a terminal; else none. @param done what each one is then: `ended` */
export function progressOf(cli: CommandLine, total: number, done: string): Progress {
  const { stderr: stream } = cli;
  const note = (text: string) => cli.note(text);
  if (!stream.isTTY) return { step: (print) => print(), note, end() {} };
  // One bar of several: a single one moves the cursor back to where it began when it ends.
  const bars = new MultiBar({
    stream,
    format: `[{bar}] {value} of {total} ${done}, {eta_formatted} to go`,
    barsize: 30,
    clearOnComplete: true,
    // Lines are printed in its place, so it is drawn anew; and long ones are not to be cut off.
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

/** A row, as it is told of. */
export interface Told {
  readonly line: number;
  readonly externalId: string;
  readonly workflowId: string;
}

/** Prints what became of rows, a line each, and counts it. */
export class Report {
  readonly #counts = new Map<string, number>();

  constructor(
    private readonly cli: CommandLine,
    private readonly json: boolean,
  ) {}

  start(row: Told, result: Result): void {
    if ('refused' in result) {
      this.#failed(row, result.refused);
      return;
    }
    const { runId, started } = result;
    const word = started ? 'started' : 'attached';
    this.#tell(row, word, word, { runId, started });
  }

  end(row: Told, end: End): void {
    if ('failed' in end) {
      this.#failed(row, end.failed);
      return;
    }
    const told = toldOf(end).map((part) => part.trim());
    this.#tell(row, end.outcome, told.join('; '), end);
  }

  get failures(): number {
    return this.#counts.get('failed') ?? 0;
  }

  /** Tells of so many rows what became of how many. @param rest what is said of those nothing became of */
  summary(total: number, rest: string): void {
    const told = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    const counts = [...this.#counts, ...(told < total ? [[rest, total - told] as const] : [])];
    const text = `${rowsOf(total)}: ${counts.map(([word, count]) => `${count} ${word}`).join(', ')}`;
    this.json ? this.cli.note(text) : this.cli.line(text);
  }

  #failed(row: Told, error: string): void {
    this.#tell(row, 'failed', `failed: ${error}`, { error });
  }

  #tell({ line, externalId, workflowId }: Told, word: string, text: string, json: object): void {
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    if (this.json) this.cli.json({ line, externalId, workflowId, ...json });
    else this.cli.line(`${line} ${workflowId} ${text}`);
  }
}

/** `1 row`, `200 rows` */
export function rowsOf(count: number): string {
  return `${count} ${count === 1 ? 'row' : 'rows'}`;
}
