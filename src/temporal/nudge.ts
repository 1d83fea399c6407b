import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import { AWAIT_STATUS_ACTIVITY_ID } from '../messages/ids.js';

/** How long a nudge keeps trying, in milliseconds, while an attempt is running. */
const PATIENCE_MS = 60_000;
const GLANCE_MS = 50;

/** What is due this soon, in milliseconds, comes by itself; a reset could meet it when it runs, see {@link nudge}. */
const SOON_MS = 2_000;

/** How worker and receiver count nudges, by `result`: it was `nudged`, there was `nobody`, or it `failed`. */
export const NUDGES = {
  name: 'gangway_nudges_total',
  help: 'Nudges: polls that were made to read at once',
} as const;

const { PENDING_ACTIVITY_STATE_SCHEDULED } = proto.temporal.api.enums.v1.PendingActivityState;

/** The first attempt of a wait is waited for this long, in milliseconds; a busy worker may take it late. */
const FIRST_ATTEMPT_MS = 30_000;

/** The next wait is waited for this long, in milliseconds, after one that has just ended. */
const CHANGE_OF_WAITS_MS = 5_000;

/**
 * Makes a workflow's status poll read now instead of after its delay. Writes no history.
 *
 * A reset must never meet a running attempt: that attempt has read the old state, and the server refuses its result
 * (the reset has taken its number), so that the poll stands still until the attempt's time-out. So a running attempt
 * is waited out, and an attempt that is about to start is left alone: it reads the new state anyway. The first attempt of a wait
 * may not read, so that it is waited for; so is the next wait, when a running attempt ends one.
 *
 * @param options `signal` ends the waiting, and is for a process that is about to end
 * @returns false when the workflow has no poll waiting: it has ended, or does something else
 * @throws {ServiceError} when the server cannot be reached or does not know the workflow
 */
export async function nudge(
  client: Client,
  workflowId: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<boolean> {
  const handle = client.workflow.getHandle(workflowId);
  const until = Date.now() + PATIENCE_MS;
  let seenAt: number | undefined;
  for (; Date.now() < until && !signal?.aborted; await sleep(GLANCE_MS)) {
    const { raw, status } = await handle.describe();
    const poll = raw.pendingActivities?.find(({ activityId }) => activityId === AWAIT_STATUS_ACTIVITY_ID);
    if (!poll) {
      const mayFollow = seenAt !== undefined && Date.now() - seenAt < CHANGE_OF_WAITS_MS;
      if (mayFollow && status.name === 'RUNNING') continue;
      return seenAt !== undefined;
    }
    seenAt = Date.now();
    if (poll.state !== PENDING_ACTIVITY_STATE_SCHEDULED || isFresh(poll)) continue;
    const dueAtMs = Number(poll.nextAttemptScheduleTime?.seconds ?? 0) * 1_000;
    if (dueAtMs - Date.now() < SOON_MS) return true;
    const { namespace } = client.options;
    const execution = { workflowId, runId: raw.workflowExecutionInfo?.execution?.runId ?? null };
    await client.workflowService.resetActivity({ namespace, execution, id: AWAIT_STATUS_ACTIVITY_ID });
    return true;
  }
  return true;
}

/** An activity of a workflow that has not ended, as the server has it. */
export type Pending = temporal.api.workflow.v1.IPendingActivityInfo;

/** Whether an activity is one of a partner task queue, and may be retried at any time. */
export function isStepAt(taskQueue: string): (pending: Pending) => boolean {
  return (pending) => pending.activityOptions?.taskQueue?.name === taskQueue && !isUnmarkedWrite(pending);
}

/**
 * A write whose last attempt ended without a mark, as when its worker died: after a reset it could not be told from one whose
 * marks were cleared, and a person would be asked (activities/write.ts). Only writes have no heartbeat time-out.
 */
function isUnmarkedWrite({ activityOptions, heartbeatDetails }: Pending): boolean {
  const { seconds = 0, nanos = 0 } = activityOptions?.heartbeatTimeout ?? {};
  return Number(seconds) === 0 && nanos === 0 && !heartbeatDetails?.payloads?.length;
}

/**
 * Retries those activities of a workflow at once that wait for their next attempt. A running attempt is left alone, because
 * the server would refuse its result; so is one that begins in a moment.
 *
 * @returns their types
 */
export async function retryNow(
  client: Client,
  workflowId: string,
  isMeant: (pending: Pending) => boolean | Promise<boolean>,
): Promise<string[]> {
  const { namespace } = client.options;
  const retried: string[] = [];
  try {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    const execution = { workflowId, runId: raw.workflowExecutionInfo?.execution?.runId ?? null };
    for (const pending of raw.pendingActivities ?? []) {
      const { activityId, activityType, state, nextAttemptScheduleTime } = pending;
      const dueAtMs = Number(nextAttemptScheduleTime?.seconds ?? 0) * 1_000;
      if (state !== PENDING_ACTIVITY_STATE_SCHEDULED || dueAtMs - Date.now() < SOON_MS) continue;
      if (!(await isMeant(pending))) continue;
      await client.workflowService.resetActivity({ namespace, execution, id: activityId ?? '' });
      retried.push(activityType?.name ?? '');
    }
  } catch (error) {
    // It does not run, or has ended since it was listed.
    if (!isNotFound(error)) throw error;
  }
  return retried;
}

/** Whether a workflow does not run, or never did. */
export function isNotFound(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || (error as { code?: unknown }).code === status.NOT_FOUND;
}

/** The first attempt of a wait may be too soon after another read, and then does not read. Without a worker it never runs. */
function isFresh({ attempt, lastFailure, scheduledTime }: Pending): boolean {
  const age = Date.now() - Number(scheduledTime?.seconds ?? 0) * 1_000;
  return !lastFailure && (attempt ?? 1) <= 1 && age < FIRST_ATTEMPT_MS;
}
