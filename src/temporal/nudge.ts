import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import { AWAIT_STATUS_ACTIVITY_ID, isCustomer, partnerTaskQueue, partsOfId } from '../messages/ids.js';
import { isWrite } from '../messages/partner-account.js';
import { SYSTEM_NAMES } from '../partners/system-names.js';
import { describe, partIds } from './find-onboarding.js';
import { pendingIn } from './history.js';
import { undefinedIfMissing } from './unavailable.js';

/** How long a nudge waits for a running attempt, and the interval between checks, in milliseconds. */
const TIMEOUT_MS = 60_000;
const INTERVAL_MS = 50;

/** An attempt that is due this soon needs no reset, and a reset could hit it while it runs, in milliseconds: {@link nudge}. */
const SOON_MS = 2_000;

/** The counters of nudges at worker and receiver, by `result`: `nudged`, `nobody` if no poll was waiting, or `failed`. */
export const NUDGES = {
  name: 'gangway_nudges_total',
  help: 'Nudges: status polls that were made to read at once',
} as const;

const { PENDING_ACTIVITY_STATE_SCHEDULED } = proto.temporal.api.enums.v1.PendingActivityState;

/** How long to wait for the first attempt of a poll, in milliseconds. A busy worker may start it late. */
const FIRST_ATTEMPT_MS = 30_000;

/** How long to wait for the next poll after one has ended, in milliseconds. */
const NEXT_POLL_MS = 5_000;

/**
 * Makes a workflow's status poll read now instead of after its delay. Adds nothing to the history.
 *
 * A nudge never resets a running attempt: the server would reject the attempt's result, and the poll would hang until the attempt's
 * timeout. So a nudge waits until a running attempt ends and, if that ended the poll, for the next poll. It also waits for the
 * first attempt of a poll, which may not read. It ignores an attempt that is about to start, which reads the new state anyway. If
 * the workflow is about to replace the poll, the nudge is lost, and the next poll reads at its own pace.
 *
 * @param options `signal` ends the wait, when the process is about to end; `follow` receives the poll as it was before the nudge,
 *   unless the next read may have begun before that
 * @returns false if no poll is waiting, because the workflow has ended or does something else
 * @throws {ServiceError} if the server does not respond, or has no such workflow
 */
export async function nudge(
  client: Client,
  workflowId: string,
  { signal, follow }: { readonly signal?: AbortSignal; readonly follow?: (poll: Pending) => void } = {},
): Promise<boolean> {
  const handle = client.workflow.getHandle(workflowId);
  const until = Date.now() + TIMEOUT_MS;
  let seenAt: number | undefined;
  for (; Date.now() < until && !signal?.aborted; await sleep(INTERVAL_MS)) {
    const { raw, status } = await handle.describe();
    const poll = raw.pendingActivities?.find(({ activityId }) => activityId === AWAIT_STATUS_ACTIVITY_ID);
    if (!poll) {
      const mayFollow = seenAt !== undefined && Date.now() - seenAt < NEXT_POLL_MS;
      if (mayFollow && status.name === 'RUNNING') continue;
      return seenAt !== undefined;
    }
    seenAt = Date.now();
    if (poll.state !== PENDING_ACTIVITY_STATE_SCHEDULED || hasNotTriedYet(poll)) continue;
    if (isDueSoon(poll) || (await isReset(client, workflowId, raw, poll))) {
      follow?.(poll);
      return true;
    }
  }
  return true;
}

/** The waits between checks of a nudged poll, in milliseconds: about a minute in total. */
const LOOKS_MS = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000];

/** Reports whether the read after a nudge ended the poll, because it found a change. Waits up to a minute. */
export async function readsChange(handle: WorkflowHandle, before: Pending, signal: AbortSignal) {
  for (const ms of LOOKS_MS) {
    await sleep(ms, undefined, { signal });
    const { raw, status } = await handle.describe();
    const poll = raw.pendingActivities?.find(({ activityId }) => activityId === AWAIT_STATUS_ACTIVITY_ID);
    // In any other status, the poll was canceled.
    if (!poll) return status.name === 'RUNNING' || status.name === 'COMPLETED';
    const hasEnded = millis(poll.lastAttemptCompleteTime) > millis(before.lastAttemptCompleteTime);
    // A poll always reads after a nudge, so this is the next poll (activities/poll.ts).
    if (hasEnded && poll.state === PENDING_ACTIVITY_STATE_SCHEDULED)
      return poll.lastFailure?.applicationFailureInfo?.type === 'NotDue';
  }
  return false;
}

function millis(time: Pending['lastAttemptCompleteTime']): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1_000_000;
}

export type Pending = temporal.api.workflow.v1.IPendingActivityInfo;

/** Returns a workflow's pending activities; none if it has ended or does not exist. */
export async function pendingActivities(client: Client, workflowId: string): Promise<readonly Pending[]> {
  const described = await describe(client, workflowId);
  return described ? pendingIn(described) : [];
}

/** Returns a check whether an activity belongs to a partner task queue and may be retried at any time. */
export function isStepAt(taskQueue: string): (pending: Pending) => boolean {
  return (pending) =>
    pending.activityOptions?.taskQueue?.name === taskQueue && !isWriteWithoutIntent(pending);
}

/**
 * Reports whether a write's last attempt ended without an intent, for example because its worker died. After a reset, its intent
 * would seem to be removed, and a person would be asked.
 */
function isWriteWithoutIntent({ activityType, heartbeatDetails }: Pending): boolean {
  return isWrite(activityType?.name ?? '') && !heartbeatDetails?.payloads?.length;
}

/**
 * Nudges an onboarding, and retries its other waiting calls to partners. For a customer, does this for its parts, because only they
 * call partners.
 *
 * @param signal ends the wait
 */
export async function nudgeAll(
  client: Client,
  { workflowId, taskQueue }: Pick<WorkflowExecutionDescription, 'workflowId' | 'taskQueue'>,
  signal?: AbortSignal,
) {
  const ids = isCustomer(workflowId) ? Object.values(partIds(workflowId)) : [workflowId];
  const account = partsOfId(workflowId)?.account;
  const areSteps = SYSTEM_NAMES.map((system) => isStepAt(partnerTaskQueue(taskQueue, system, account)));
  const isOther = (pending: Pending) =>
    pending.activityId !== AWAIT_STATUS_ACTIVITY_ID && areSteps.some((isStep) => isStep(pending));
  const nudged = await Promise.all(
    ids.map((id) => undefinedIfMissing(nudge(client, id, { ...(signal && { signal }) }))),
  );
  const retried = await Promise.all(ids.map((id) => retryNow(client, id, isOther)));
  return { nudged: nudged.includes(true), retried: retried.flat() };
}

// Keeps T4.
/**
 * Retries a workflow's activities that wait for their next attempt. Skips a running attempt, because the server would reject its
 * result, and one that is about to start.
 *
 * @returns the types of the retried activities
 */
export async function retryNow(
  client: Client,
  workflowId: string,
  isMeant: (pending: Pending, workflowId: string) => boolean | Promise<boolean>,
): Promise<string[]> {
  const raw = (await describe(client, workflowId))?.raw;
  const retried: string[] = [];
  for (const pending of raw?.pendingActivities ?? []) {
    if (pending.state !== PENDING_ACTIVITY_STATE_SCHEDULED || isDueSoon(pending)) continue;
    if (!(await isMeant(pending, workflowId))) continue;
    if (await isReset(client, workflowId, raw, pending)) retried.push(pending.activityType?.name ?? '');
  }
  return retried;
}

/**
 * Resets an activity, with a raw request, because the SDK's activity handles cannot reset, and reach only standalone activities.
 *
 * @returns false if the activity or its workflow has ended meanwhile
 */
async function isReset(
  client: Client,
  workflowId: string,
  { workflowExecutionInfo }: temporal.api.workflowservice.v1.IDescribeWorkflowExecutionResponse = {},
  { activityId }: Pending,
): Promise<boolean> {
  const { namespace } = client.options;
  const execution = { workflowId, runId: workflowExecutionInfo?.execution?.runId ?? null };
  const reset = client.workflowService.resetActivity({ namespace, execution, id: activityId ?? '' });
  return (await undefinedIfMissing(reset)) !== undefined;
}

function isDueSoon({ nextAttemptScheduleTime }: Pending): boolean {
  const dueAtMs = Number(nextAttemptScheduleTime?.seconds ?? 0) * 1_000;
  return dueAtMs - Date.now() < SOON_MS;
}

/** Reports whether a poll waits for its first attempt, which skips its read if another one was recent. It needs a worker. */
function hasNotTriedYet({ attempt, lastFailure, scheduledTime }: Pending): boolean {
  const age = Date.now() - Number(scheduledTime?.seconds ?? 0) * 1_000;
  return !lastFailure && (attempt ?? 1) <= 1 && age < FIRST_ATTEMPT_MS;
}
