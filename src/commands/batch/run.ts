import type { CommandContext } from '../context.js';
import { CommandFailed } from '../errors.js';
import { printNote } from '../output.js';
import { Interrupted, interruptible } from './interruption.js';
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
  const stop = new AbortController();
  const { signal } = stop;
  // Should the reader of the output go away, the process ends, and not all is done.
  process.exitCode = 1;
  const failed = await interruptible(stop, async () => {
    const { begun, failures } = await start(context, rows, total, options, stop);
    if (!options.wait || signal.aborted) return failures;
    return failures + (await wait(context, begun, options, stop));
  });
  if (signal.reason instanceof Interrupted) {
    printNote(HOW_TO_GO_ON);
    process.exitCode = signal.reason.exitCode;
  } else if (signal.aborted) throw signal.reason;
  else if (failed > 0) throw new CommandFailed(`${rowsOf(failed)} failed`);
  else process.exitCode = 0;
}

async function start(
  { client, config }: CommandContext,
  rows: AsyncGenerator<Ready>,
  total: number,
  { rate, concurrency, giveUpAfter, wait, json }: RunOptions,
  stop: AbortController,
): Promise<{ readonly begun: readonly Begun[]; readonly failures: number }> {
  const progress = progressOf(total, 'begun');
  const report = new Report(json === true);
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
  { client }: CommandContext,
  begun: readonly Begun[],
  { giveUpAfter, json }: RunOptions,
  stop: AbortController,
): Promise<number> {
  const progress = progressOf(begun.length, 'ended');
  const report = new Report(json === true);
  await awaitAll(client, begun, {
    stop,
    persistently: persistent({ giveUpAfter, stop, note: progress.note }),
    tell: (row, end) => progress.step(() => report.end(row, end)),
  });
  progress.end();
  report.summary(begun.length, 'still under way');
  return report.failures;
}
