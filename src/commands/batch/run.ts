import type { CommandContext } from '../context.js';
import { CommandFailed, Interrupted } from '../errors.js';
import { HOW_TO_GO_ON, persistent } from './persistence.js';
import { progressOf } from './progress.js';
import type { Ready } from './ready.js';
import { Report, rowsOf, type Told } from './report.js';
import { startAll } from './starting.js';
import { type Awaited, awaitAll } from './waiting.js';

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
