import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  activityInfo,
  cancellationDetails,
  cancellationSignal,
  getClient,
  heartbeat,
} from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import pThrottle from 'p-throttle';
import {
  type BatchActivities,
  type BatchRow,
  type PartOfBatch,
  type RowResult,
  type StartLimits,
  summaryOf,
} from '../messages/batches.js';
import { LONGEST, truncate } from '../partners/text-limits.js';
import type { FileStore } from '../platform/documents/file-store.js';
import { KINDS } from '../temporal/kinds/kinds.js';
import { sealValue, unsealValue } from '../temporal/payload-codec.js';
import type { StartOptions } from '../temporal/start.js';
import { callPromptly, rejectionOf } from '../temporal/unavailable.js';

/** The interval between heartbeats with results, in milliseconds. After a worker dies, at most this much work is repeated. */
const HEARTBEAT_MS = 1_000;

/** Returns the activities of a batch, on the worker's connection and document store. @param openDocuments opens the store, once */
export function batchActivities(
  options: Pick<StartOptions, 'taskQueue' | 'dbaForm' | 'fourEyes'>,
  openDocuments: () => Promise<FileStore>,
): BatchActivities {
  let opened: Promise<FileStore> | undefined;
  const files = async () => {
    opened ??= openDocuments();
    return opened;
  };

  async function save(of: PartOfBatch, what: 'rows' | 'results', value: unknown): Promise<void> {
    const content = await sealValue(getClient(), value, of.batch);
    await (await files()).save(fileOf(of, what), Readable.from([content]), 'application/octet-stream');
  }

  async function read(of: PartOfBatch, what: 'rows' | 'results'): Promise<unknown> {
    const content = await (await files()).open(fileOf(of, what));
    return unsealValue(getClient(), await buffer(content), of.batch);
  }

  return {
    keepRows: ({ rows, ...of }) => save(of, 'rows', rows),

    async startRows({ rate, concurrency, actor, ...of }) {
      const results: RowResult[] = [...(activityInfo().heartbeatDetails ?? [])];
      const finishedRows = new Set(results.map(({ line }) => line));
      const rows = (await read(of, 'rows')) as readonly BatchRow[];
      const rest = rows.filter(({ line }) => !finishedRows.has(line));
      const started = { ...options, urgency: 'batch', batch: of.batch, actor } as const;
      const beat = setInterval(heartbeat, HEARTBEAT_MS, results);
      await startAll(rest, { rate, concurrency }, started, results).finally(() => clearInterval(beat));
      await save(of, 'results', results);
      return { ...summaryOf(results), isStopped: results.length < rows.length };
    },

    readResults: async (of) => (await read(of, 'results')) as readonly RowResult[],

    async forgetRows({ batch, parts }) {
      for (let part = 0; part < parts; part += 1)
        await (await files()).remove(fileOf({ batch, part }, 'rows'));
    },
  };
}

/** Returns a file name that no document has, because documents have random names. */
function fileOf({ batch, part }: PartOfBatch, what: 'rows' | 'results'): string {
  return `${batch}.${part}.${what}`;
}

/** Starts rows in order. Stops when canceled, or at an error that is not about a row; the next attempt resumes there. */
async function startAll(
  rows: readonly BatchRow[],
  { rate, concurrency }: StartLimits,
  options: StartOptions,
  results: RowResult[],
): Promise<void> {
  const signal = cancellationSignal();
  const turn =
    rate && !signal.aborted
      ? pThrottle({ limit: 1, interval: 1_000 / rate, signal })(async () => {})
      : undefined;
  const queue = rows[Symbol.iterator]();
  const failures: unknown[] = [];

  async function startNext(): Promise<void> {
    try {
      for (const row of queue) {
        if (turn) await turn();
        if (signal.aborted || failures.length > 0) return;
        results.push(await startRow(row, options));
      }
    } catch (error) {
      failures.push(error);
    }
  }

  // The previous part or attempt may have just started a row.
  if (turn) void turn().catch(() => undefined);
  await Promise.all(Array.from({ length: Math.min(concurrency, rows.length) }, startNext));
  heartbeat(results);
  if (cancellationDetails()?.cancelRequested) return;
  if (signal.aborted) throw ApplicationFailure.retryable('the worker ended', 'WorkerEnded');
  for (const failure of failures) throw failure;
}

async function startRow(
  { line, externalId, workflowId, type, input }: BatchRow,
  options: StartOptions,
): Promise<RowResult> {
  const row = { line, externalId, workflowId };
  try {
    // The input has already been checked.
    const { runId, started } = await callPromptly(getClient(), () =>
      KINDS[type].start(getClient(), input as never, options),
    );
    return { ...row, runId, result: started ? 'started' : 'attached' };
  } catch (error) {
    const rejected = rejectionOf(error);
    if (rejected === undefined) throw error;
    // A heartbeat contains the texts of all rows, and Temporal refuses a large heartbeat.
    return { ...row, result: 'failed', error: truncate(rejected, LONGEST.text) };
  }
}
