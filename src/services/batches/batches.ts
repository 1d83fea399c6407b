import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { TemporalFailure } from '@temporalio/common';
import { optionalTsToDate, requiredTsToDate } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import {
  BATCH_MEMO,
  type BatchActivities,
  type BatchInput,
  type BatchRow,
  type BatchState,
  type FileWarnings,
  NO_RESULTS,
  type PartOfBatch,
  type RowResult,
  type StartLimits,
  summaryOf,
  WARNINGS_MEMO,
  withResults,
} from '../../messages/batches.js';
import { partsOfId, workflowId } from '../../messages/ids.js';
import { BATCHES } from '../../messages/workflow-types.js';
import { describe } from '../../temporal/find-onboarding.js';
import { decodeFailure, decodePayloads } from '../../temporal/payload-codec.js';
import { all, is, isIn } from '../../temporal/query.js';
import { inMemo, listExecutions, type Raw, typesOf } from '../../temporal/search.js';
import { startSingle } from '../../temporal/single-activities.js';
import { callPromptly, isNotFound, TransientError } from '../../temporal/unavailable.js';
import { NoWorker, pollersOf, whyNoWorker } from '../../temporal/workers.js';
import { kindsOf, type Ready, rowsOf } from './validation.js';

const { WORKFLOW_EXECUTION_STATUS_RUNNING } = proto.temporal.api.enums.v1.WorkflowExecutionStatus;

/**
 * Functions of batches: upload one, read its progress, and read its results. Rows and results are in the workers' document store,
 * which these functions reach through a worker, so people need no access to it.
 */

/** The rows of a part fit into one activity's input, and the results into one heartbeat, both far below Temporal's 2 MB. */
const MAX_ROWS = 200;
const MAX_BYTES = 1024 * 1024;

export interface HandOver extends Pick<BatchState, 'name' | 'actor'> {
  readonly warnings?: FileWarnings;
  /** Default: the batch waits for a person's confirmation. */
  readonly limits?: StartLimits;
}

/** Passes rows to the workers, which start them. @throws {NoWorker}, {@link PartFailed}; nothing is then started */
export async function handOver(
  client: Client,
  taskQueue: string,
  rows: AsyncIterable<Ready> | Iterable<Ready>,
  { limits, warnings, ...about }: HandOver,
): Promise<string> {
  await requireWorker(client, taskQueue);
  const batch = workflowId('onboardingBatch', randomUUID());
  const kinds: Partial<Record<BatchRow['type'], number>> = {};
  const accounts = new Set<string>();
  let [total, parts, bytes] = [0, 0, 0];
  let part: BatchRow[] = [];
  const keep = async () => {
    parts += 1;
    await atWorker(client, taskQueue, 'keepRows', { batch, part: parts - 1, rows: part });
    [part, bytes] = [[], 0];
  };
  try {
    for await (const { line, externalId, type, workflowId, input } of rows) {
      const row: BatchRow = { line, externalId, type, workflowId, input };
      const size = Buffer.byteLength(JSON.stringify(row));
      if (part.length === MAX_ROWS || (part.length > 0 && bytes + size > MAX_BYTES)) await keep();
      part.push(row);
      bytes += size;
      total += 1;
      kinds[type] = (kinds[type] ?? 0) + 1;
      accounts.add(partsOfId(workflowId)?.account ?? '');
    }
    await keep();
  } catch (error) {
    if (parts > 0) await forget(client, taskQueue, batch, parts);
    throw error;
  }
  const state: BatchState = {
    ...about,
    stage: limits ? 'running' : 'checked',
    rows: total,
    kinds,
    accounts: [...accounts],
    parts: 0,
    counts: NO_RESULTS,
    failures: [],
  };
  const input: BatchInput = { ...limits, parts, state };
  await client.workflow.start('onboardingBatch', {
    workflowId: batch,
    taskQueue,
    args: [input],
    memo: { [BATCH_MEMO]: state, ...(warnings && { [WARNINGS_MEMO]: warnings }) },
    staticSummary: `${rowsOf(total)}: ${kindsOf(kinds)}`,
  });
  return batch;
}

/** How long to wait for a worker that is starting up, in milliseconds. */
const STARTING_WORKER_MS = 10_000;
const CHECK_EVERY_MS = 500;

/** Checks that a worker runs, because an activity would wait forever for one. @throws {NoWorker} if there is none */
export async function requireWorker(client: Client, queue: string): Promise<void> {
  const until = Date.now() + STARTING_WORKER_MS;
  for (;;) {
    const pollers = await callPromptly(client, () => pollersOf(client, queue, 'activity'));
    if (pollers.taking > 0) return;
    if (Date.now() >= until) throw new NoWorker(`${whyNoWorker(queue, pollers)}: is one running?`);
    await sleep(CHECK_EVERY_MS);
  }
}

/** The time limit for a worker to store or read a part, over all attempts. */
const AT_WORKER = {
  scheduleToCloseTimeout: '1m',
  startToCloseTimeout: '20s',
  retry: { initialInterval: '1s', maximumInterval: '5s' },
} as const;

/** Thrown if a worker cannot store or read a part. The reason comes from its document store or from Temporal. */
export class PartFailed extends TransientError {
  override readonly name = 'PartFailed';
}

const FAILED = {
  keepRows: 'nothing was started, because a worker cannot keep the rows',
  readResults: 'its results cannot be read',
} as const;

/** Makes a worker store or read a part. @throws {PartFailed} */
async function atWorker<Activity extends 'keepRows' | 'readResults'>(
  client: Client,
  taskQueue: string,
  activity: Activity,
  request: Parameters<BatchActivities[Activity]>[0],
): Promise<Awaited<ReturnType<BatchActivities[Activity]>>> {
  const { batch, part } = request;
  const single = { activity, args: [request], summary: `Part ${part + 1} of ${batch}`, options: AT_WORKER };
  const id = `${batch}.${part}.${activity}-${randomUUID()}`;
  const { result } = await startSingle(client, taskQueue, id, single);
  return result<Awaited<ReturnType<BatchActivities[Activity]>>>().catch((error: unknown) => {
    if (!(error instanceof TemporalFailure)) throw error;
    throw new PartFailed(`${FAILED[activity]}: ${error.cause?.message ?? error.message}`, { cause: error });
  });
}

const FORGETTING = {
  scheduleToCloseTimeout: '7d',
  startToCloseTimeout: '1m',
  retry: { initialInterval: '1s', maximumInterval: '1m' },
} as const;

/** Makes a worker remove rows that no batch uses. Does not wait, because the store may be unavailable. */
async function forget(client: Client, taskQueue: string, batch: string, parts: number): Promise<void> {
  const request: Parameters<BatchActivities['forgetRows']>[0] = { batch, parts };
  const summary = `Rows of ${batch}, which did not begin`;
  const single = { activity: 'forgetRows', args: [request], summary, options: FORGETTING };
  await startSingle(client, taskQueue, `${batch}.forgetRows`, single).catch(() => undefined);
}

export type Batch = NonNullable<Awaited<ReturnType<typeof batchIn>>>;

/** @returns undefined if there is none */
export async function readBatch(client: Client, id: string): Promise<Batch | undefined> {
  if (partsOfId(id)?.type !== 'onboardingBatch') return undefined;
  const request = { namespace: client.options.namespace, execution: { workflowId: id } };
  const description = await callPromptly(client, () =>
    client.workflowService.describeWorkflowExecution(request),
  ).catch((error: unknown) => {
    // Only `describe` distinguishes a missing workflow from a missing namespace.
    if (isNotFound(error)) return describe(client, id).then(() => undefined);
    throw error;
  });
  if (!description?.workflowExecutionInfo) return undefined;
  const { pendingActivities } = description;
  const running = pendingActivities.find(({ activityType }) => activityType?.name === 'startRows');
  const [recent = []] = await decodePayloads(client, running?.heartbeatDetails?.payloads, id);
  const failure = running?.lastFailure && (await decodeFailure(client, running.lastFailure, id));
  return batchIn(client, description.workflowExecutionInfo, recent as readonly RowResult[], failure?.message);
}

/**
 * @param recent results of the running part
 * @param problem why the batch makes no progress
 * @returns undefined without the key of its memo
 */
async function batchIn(client: Client, raw: Raw, recent: readonly RowResult[] = [], problem?: string) {
  const state = (await inMemo(client, raw, BATCH_MEMO)) as BatchState | undefined;
  if (!state) return undefined;
  const isUnderWay = state.stage === 'checked' || state.stage === 'running';
  return {
    id: raw.execution?.workflowId ?? '',
    /** The counts include the running part. */
    state: { ...state, ...withResults(state, summaryOf(recent)) } as BatchState,
    /** The warnings about the file, from before the start. */
    warnings: (await inMemo(client, raw, WARNINGS_MEMO)) as FileWarnings | undefined,
    recent,
    problem,
    /** Nothing more is started. */
    hasEnded: raw.status !== WORKFLOW_EXECUTION_STATUS_RUNNING || !isUnderWay,
    startedAt: requiredTsToDate(raw.startTime, 'startTime'),
    endedAt: optionalTsToDate(raw.closeTime),
  };
}

/** The number of newest batches to search for those that `isListed` accepts. */
const SEARCHED = 1_000;

export async function listBatches(
  client: Client,
  taskQueue: string,
  most: number,
  isListed: (batch: Batch) => boolean = () => true,
): Promise<Batch[]> {
  const query = all(isIn('WorkflowType', typesOf(BATCHES)), is('TaskQueue', taskQueue));
  const batches: Batch[] = [];
  for await (const raw of listExecutions(client, query, Math.max(most, SEARCHED), most)) {
    const batch = await batchIn(client, raw);
    if (batch && isListed(batch)) batches.push(batch);
    if (batches.length === most) break;
  }
  return batches;
}

export function resultsOfPart(client: Client, taskQueue: string, of: PartOfBatch) {
  return atWorker(client, taskQueue, 'readResults', of);
}

/** Returns all results of a batch so far, by line. */
export async function resultsOf(client: Client, taskQueue: string, { id, state, recent }: Batch) {
  const results = [...recent];
  for (let part = 0; part < state.parts; part += 1)
    results.push(...(await resultsOfPart(client, taskQueue, { batch: id, part })));
  return results.sort((one, other) => one.line - other.line);
}
