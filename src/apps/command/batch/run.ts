import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { RowResult } from '../../../messages/batches.js';
import {
  type Batch,
  handOver,
  PartFailed,
  readBatch,
  resultsOfPart,
} from '../../../services/batches/batches.js';
import { type Ready, rowsOf } from '../../../services/batches/validation.js';
import { userName } from '../../../services/texts/display-names.js';
import { rejectionOf } from '../../../temporal/unavailable.js';
import { pollersOf, whyNoWorker } from '../../../temporal/workers.js';
import type { CommandContext, CommandLine } from '../cli/command-line.js';
import { outcomeLines } from '../cli/descriptions.js';
import { CommandFailed, EXIT, Interrupted, TimedOut } from '../cli/errors.js';
import type { Flags } from '../cli/options.js';
import { bar, PROGRESS, withProgress } from '../cli/progress.js';
import { awaitAll, type End, type Persistently, RERUN, retryCalls } from './waiting.js';

export interface FollowOptions extends Flags<'wait' | 'json' | 'csv'> {
  /** How long Temporal may be unavailable, in milliseconds. */
  readonly giveUpAfter: number;
}

export interface RunOptions extends FollowOptions, Flags<'dryRun'> {
  /** Starts per second. */
  readonly rate?: number;
  readonly concurrency: number;
}

/** The result of following a row, without following it. */
export interface Preview {
  /** The label under which rows are counted: `would poll`. */
  readonly word: string;
  /** The result on one line. It begins with the word. */
  readonly text: string;
  readonly json: object;
}

export interface ImportableRow extends Ready {
  /** Returns the effect of following. @throws {RefusedRow} if it cannot be followed */
  readonly preview: (client: Client, taskQueue: string) => Promise<Preview>;
}

/** Thrown for a row that cannot be followed, for a reason that other rows do not share. The message is for people. */
export class RefusedRow extends Error {
  override readonly name = 'RefusedRow';
}

interface Run {
  readonly context: CommandContext;
  readonly options: FollowOptions;
  /** Aborted if the command ends early. */
  readonly stop: AbortController;
  readonly persistently: Persistently;
  readonly report: ReturnType<typeof reportOf>;
  /** The facts about each row, by line. CSV has a row for each, and its header has the fields of all of them. */
  readonly results: Results | undefined;
}

/** Makes the workers start the rows of a valid file, and reports each. @throws {CommandFailed} if a row failed */
export function startAndFollow(
  context: CommandContext,
  name: string,
  rows: AsyncIterable<Ready>,
  options: RunOptions,
): Promise<void> {
  return running(context, options, async (run) =>
    follow(run, await handedOver(context, name, rows, options)),
  );
}

/** Reads rows at their partners. Makes the workers start those that can be followed, except in a dry run. */
export function readAndFollow(
  context: CommandContext,
  name: string,
  rows: AsyncGenerator<ImportableRow>,
  total: number,
  options: RunOptions,
): Promise<void> {
  return running(context, options, async (run) => {
    const accepted = await readAll(run, rows, total, options);
    if (accepted.length > 0) return follow(run, await handedOver(context, name, accepted, options), total);
    run.report.summary(total, NOT_READ);
    return run.report.failures;
  });
}

export function followBatch(context: CommandContext, id: string, options: FollowOptions): Promise<void> {
  return running(context, options, (run) => follow(run, id));
}

/** @param steps returns the number of failed rows */
async function running(
  context: CommandContext,
  options: FollowOptions,
  steps: (run: Run) => Promise<number>,
): Promise<void> {
  const { cli } = context;
  const stop = new AbortController();
  const interrupt = () => stop.abort(cli.signal.reason);
  if (cli.signal.aborted) interrupt();
  else cli.signal.addEventListener('abort', interrupt, { once: true });
  const results: Results | undefined = options.csv && new Map();
  const persistently = retryCalls({ ...options, stop, note: (text) => cli.note(text) });
  const report = reportOf(cli, options.json === true, results);
  try {
    const failed = await steps({ context, options, stop, persistently, report, results });
    if (failed > 0) throw new CommandFailed(`${rowsOf(failed)} failed`);
  } catch (error) {
    // An aborted call fails, too.
    throw stop.signal.aborted && !(error instanceof TimedOut) ? ended(stop.signal.reason) : error;
  } finally {
    // Do this even after an interruption, because started rows stay started.
    const inOrder = [...(results ?? [])].sort(([one], [other]) => one - other).map(([, record]) => record);
    if (results) cli.csv(inOrder, ['line', 'externalId', 'workflowId', 'runId', 'started']);
  }
}

/** A closed pipe is not a success here, because rows are left. */
function ended(reason: unknown): unknown {
  if (!(reason instanceof Interrupted) || reason instanceof TimedOut) return reason;
  return new Interrupted(reason.message, reason.exitCode || 1);
}

const NOT_READ = 'not read';

/** @returns the rows that can be followed; none in a dry run */
async function readAll(
  { context, persistently, stop, report }: Run,
  rows: AsyncGenerator<ImportableRow>,
  total: number,
  { dryRun, concurrency }: RunOptions,
): Promise<readonly ImportableRow[]> {
  const { cli, client, config } = context;
  const accepted: ImportableRow[] = [];
  const progress = showBar(cli, total, 'read');

  async function readNext(): Promise<void> {
    for await (const row of rows) {
      stop.signal.throwIfAborted();
      try {
        const preview = await persistently(() => row.preview(client, config.taskQueue));
        stop.signal.throwIfAborted();
        if (dryRun) report.preview(row, preview);
        else accepted.push(row);
      } catch (error) {
        const refused = error instanceof RefusedRow ? error.message : rejectionOf(error);
        // After an abort, the caller prints the summary.
        if (refused === undefined || stop.signal.aborted) throw error;
        report.failed(row, refused);
      }
      progress.step();
    }
  }

  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, total) }, readNext));
    return accepted.sort((one, other) => one.line - other.line);
  } catch (error) {
    stop.abort(error);
    report.summary(total, dryRun ? NOT_READ : NOT_STARTED);
    throw error;
  } finally {
    cli.status.end();
  }
}

async function handedOver(
  { cli, client, config }: CommandContext,
  name: string,
  rows: AsyncIterable<Ready> | Iterable<Ready>,
  { rate, concurrency }: RunOptions,
): Promise<string> {
  const about = { name, actor: userName(), limits: { rate, concurrency } };
  const id = await withProgress(cli, `handing ${name} over to a worker`, () =>
    handOver(client, config.taskQueue, rows, about),
  );
  cli.note(`${PROGRESS}${howToFollow(id)}`);
  return id;
}

function howToFollow(id: string): string {
  return `the workers start the rows: "gangway batches ${id}" follows them again; --stop stops them`;
}

const NOT_STARTED = 'not started';

/** The interval between reads, and how long without a result to wait before looking for a worker, in milliseconds. */
const READ_EVERY_MS = 300;
const QUIET_MS = 10_000;

/** Reports each row, and waits for it with `--wait`. @returns how many rows failed */
async function follow(run: Run, id: string, total?: number): Promise<number> {
  const { context, options, stop, report } = run;
  const { cli } = context;
  const results: RowResult[] = [];
  let batch: Batch | undefined;
  let progress: ReturnType<typeof showBar> | undefined;
  try {
    for await (const { now, more } of readings(run, id)) {
      batch = now;
      progress ??= showBar(cli, now.state.rows, 'started');
      for (const result of more) {
        report.start(result);
        progress.step();
      }
      results.push(...more);
    }
  } finally {
    cli.status.end();
    if (batch) report.summary(total ?? batch.state.rows, batch.hasEnded ? NOT_STARTED : 'to come');
    if (batch && stop.signal.reason instanceof Interrupted) cli.note(howToFollow(id));
  }
  if (batch?.state.stage !== 'done')
    throw new CommandFailed(`${WHY_EARLY[batch?.state.stage ?? '']}; ${RERUN}`);
  const started = results.filter(({ result }) => result !== 'failed');
  const failures = report.failures;
  return options.wait && started.length > 0 ? failures + (await wait(run, started)) : failures;
}

const WHY_EARLY: Readonly<Record<string, string>> = {
  running: 'the batch was terminated',
  stopped: 'the batch was stopped; what was started continues',
  checked: 'the batch was terminated, and nothing was started',
  discarded: 'nobody confirmed the batch, and nothing was started',
};

/** Yields readings of a batch until it has ended, with the results since the previous reading. */
async function* readings({ context, persistently, stop }: Run, id: string) {
  const { cli, client, config } = context;
  const { taskQueue } = config;
  const seen = new Set<number>();
  let parts = 0;
  let lastAt = Date.now();
  let told: string | undefined;
  for (;;) {
    const now = await persistently(() => readBatch(client, id));
    if (!now) throw new CommandFailed(`there is no batch ${JSON.stringify(id)}; "gangway batches" lists all`);
    const results: RowResult[] = [];
    let { problem } = now;
    const readPart = () => resultsOfPart(client, taskQueue, { batch: id, part: parts });
    try {
      for (; parts < now.state.parts; parts += 1) results.push(...(await persistently(readPart)));
    } catch (error) {
      if (!(error instanceof PartFailed) || now.hasEnded) throw error;
      problem = error.message;
    }
    // If a part ends between the two calls of a reading, its rows are still among the recent ones.
    const more = [...results, ...now.recent].filter(({ line }) => !seen.has(line) && seen.add(line));
    if (more.length > 0) lastAt = Date.now();
    yield { now, more };
    if (now.hasEnded) return;
    if (now.state.stage === 'checked') problem = 'it waits for its confirmation in the console';
    else if (Date.now() - lastAt > QUIET_MS) problem ??= await noWorker();
    if (problem !== told && problem !== undefined) cli.note(`${PROGRESS}the batch waits: ${problem}`);
    told = problem;
    await sleep(READ_EVERY_MS, undefined, { signal: stop.signal });
  }

  async function noWorker(): Promise<string | undefined> {
    lastAt = Date.now();
    const pollers = await persistently(() => pollersOf(client, taskQueue, 'workflow'));
    return pollers.taking === 0 ? whyNoWorker(taskQueue, pollers) : undefined;
  }
}

/** @returns how many ended without an outcome */
async function wait(
  { context: { cli, client }, options: { json }, stop, persistently, results }: Run,
  started: readonly RowResult[],
): Promise<number> {
  const progress = showBar(cli, started.length, 'ended');
  const report = reportOf(cli, json === true, results);
  const ids = new Set<string>();
  cli.note(`${PROGRESS}Ctrl-C ends the wait, not the onboardings; ${RERUN}`);
  await awaitAll(client, started, {
    stop,
    persistently,
    onEnd(row, end) {
      ids.delete(row.workflowId);
      report.end(row, end);
      progress.step();
    },
    onRunning({ line, workflowId }, isAsked) {
      const isNew = isAsked && !ids.has(workflowId);
      if (isAsked) ids.add(workflowId);
      else ids.delete(workflowId);
      progress.setRequirements(ids.size);
      if (isNew)
        cli.note(`${PROGRESS}${line} ${workflowId} waits for a person: gangway status ${workflowId}`);
    },
  });
  cli.status.end();
  report.summary(started.length, 'still running');
  const { reason } = stop.signal;
  if (reason instanceof Interrupted) cli.note(`what was started continues; ${RERUN}`);
  if (reason instanceof TimedOut && ids.size > 0) throw new TimedOut(EXIT.person);
  stop.signal.throwIfAborted();
  return report.failures;
}

type Results = Map<number, object>;

/** Shows a bar until `status.end()`. @param done the label of the finished rows: `ended` */
function showBar({ status }: CommandLine, total: number, done: string) {
  const beganAt = Date.now();
  const now = { count: 0, asked: 0 };
  const draw = () => bar({ ...now, total }, done, beganAt);
  status.show(draw);
  return {
    step() {
      now.count += 1;
      status.show(draw);
    },
    setRequirements(number: number) {
      now.asked = number;
      status.show(draw);
    },
  };
}

type RowId = Pick<RowResult, 'line' | 'externalId' | 'workflowId'>;

/** Prints the result of each row on a line, and counts the results. */
function reportOf(cli: CommandLine, isJson: boolean, results: Results | undefined) {
  const counts = new Map<string, number>();
  const print = ({ line, externalId, workflowId }: RowId, word: string, text: string, json: object) => {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    const record = { line, externalId, workflowId, ...json };
    if (results) results.set(line, { ...results.get(line), ...record });
    else if (isJson) cli.json(record);
    else cli.line(`${line} ${workflowId} ${text}`);
  };
  const failed = (row: RowId, error: string) => print(row, 'failed', `failed: ${error}`, { error });
  return {
    failed,
    preview: (row: RowId, { word, text, json }: Preview) => print(row, word, text, json),
    start({ result, runId, error = '', ...row }: RowResult) {
      if (result === 'failed') failed(row, error);
      else print(row, result, result, { runId, started: result === 'started' });
    },
    end(row: RowId, end: End) {
      if ('failed' in end) return failed(row, end.failed);
      const lines = outcomeLines(end).map((part) => part.trim());
      print(row, end.outcome, lines.join('; '), end);
    },
    get failures(): number {
      return counts.get('failed') ?? 0;
    },
    /** Prints how many rows had each result. @param rest the word for rows without a result */
    summary(total: number, rest: string) {
      const left = total - [...counts.values()].reduce((sum, count) => sum + count, 0);
      const words = [...counts, ...(left > 0 ? [[rest, left] as const] : [])];
      const text = `${rowsOf(total)}: ${words.map(([word, count]) => `${count} ${word}`).join(', ')}`;
      isJson || results ? cli.note(text) : cli.line(text);
    },
  };
}
