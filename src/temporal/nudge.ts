import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import { AWAIT_STATUS_ACTIVITY_ID, isCustomer, partnerTaskQueue, partsOfId } from '../messages/ids.js';
import { isWrite } from '../messages/partner-account.js';
import { SYSTEM_NAMES } from '../partners/system-names.js';
import { describe, partIds } from './find-onboarding.js';
import { pendingIn } from './history.js';
import { undefinedIfMissing } from './unavailable.js';

/** The time that a nudge waits while an attempt is running, in milliseconds, and its interval between looks. */
const TIMEOUT_MS = 60_000;
const INTERVAL_MS = 50;

/** An attempt that is due this soon, in milliseconds, needs no reset, and a reset could meet it while it runs: {@link nudge}. */
const SOON_MS = 2_000;

/** The counters of nudges at worker and receiver, by `result`: `nudged`, `nobody` when no poll was waiting, or `failed`. */
export const NUDGES = {
  name: 'gangway_nudges_total',
  help: 'Nudges: status polls that were made to read at once',
} as const;

const { PENDING_ACTIVITY_STATE_SCHEDULED } = proto.temporal.api.enums.v1.PendingActivityState;

/** The time to wait for the first attempt of a poll, in milliseconds; a busy worker may start it late. */
const FIRST_ATTEMPT_MS = 30_000;

/** The time to wait for the next poll after one that has just ended, in milliseconds. */
const NEXT_POLL_MS = 5_000;

/**
 * Makes the status poll of a workflow read now instead of after its delay. Writes no history.
 *
 * A nudge never resets a running attempt: the server would reject the attempt's result, because the reset takes its number, and the
 * poll would hang until the attempt's timeout. So a nudge waits until a running attempt ends, and then, if that ended the poll, for the
 * next poll. It also waits for the first attempt of a poll, which may not read. It leaves alone an attempt that is about to start,
 * which reads the new state anyway. If the workflow is about to replace the poll, the nudge is lost, and the next poll reads at its
 * own pace.
 *
 * @param options `signal` ends the wait when the process is about to end; `follow` receives the poll before the nudge, unless the read
 * that follows may have begun earlier
 * @returns false if no poll of the workflow is waiting: the workflow has ended, or does something else
 * @throws {ServiceError} when the server does not respond, or has no such workflow
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

/** The waits between looks at a nudged poll, in milliseconds: about a minute in all. */
const LOOKS_MS = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000];

/** Reports whether the read after a nudge ended the poll, as the read of a change does. Waits for it for a minute. */
export async function readsChange(handle: WorkflowHandle, before: Pending, signal: AbortSignal) {
  for (const ms of LOOKS_MS) {
    await sleep(ms, undefined, { signal });
    const { raw, status } = await handle.describe();
    const poll = raw.pendingActivities?.find(({ activityId }) => activityId === AWAIT_STATUS_ACTIVITY_ID);
    // Otherwise it was canceled.
    if (!poll) return status.name === 'RUNNING' || status.name === 'COMPLETED';
    const hasEnded = millis(poll.lastAttemptCompleteTime) > millis(before.lastAttemptCompleteTime);
    // The read after a nudge is always due, so this is the next poll (activities/poll.ts).
    if (hasEnded && poll.state === PENDING_ACTIVITY_STATE_SCHEDULED)
      return poll.lastFailure?.applicationFailureInfo?.type === 'NotDue';
  }
  return false;
}

function millis(time: Pending['lastAttemptCompleteTime']): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1_000_000;
}

export type Pending = temporal.api.workflow.v1.IPendingActivityInfo;

/** The activities of a workflow that have not ended; none when there is no such workflow, or it has ended. */
export async function pendingActivities(client: Client, workflowId: string): Promise<readonly Pending[]> {
  const described = await describe(client, workflowId);
  return described ? pendingIn(described) : [];
}

/** Reports whether an activity belongs to a partner task queue, and may be retried at any time. */
export function isStepAt(taskQueue: string): (pending: Pending) => boolean {
  return (pending) =>
    pending.activityOptions?.taskQueue?.name === taskQueue && !isWriteWithoutIntent(pending);
}

/**
 * A write whose last attempt ended without an intent, as when its worker died: after a reset it would look like one whose intent
 * was removed, and a person would be asked.
 */
function isWriteWithoutIntent({ activityType, heartbeatDetails }: Pending): boolean {
  return isWrite(activityType?.name ?? '') && !heartbeatDetails?.payloads?.length;
}

/**
 * Nudges an onboarding, and retries its other calls that wait for a partner. Of a customer, this covers the parts, because only they
 * wait for partners.
 *
 * @param signal ends the waiting
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
 * Retries activities of a workflow that wait for their next attempt. Skips a running attempt, because the server would reject its
 * result, and one that is due in a moment.
 *
 * @returns their types
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
 * Resets an activity. The SDK's activity handles reset nothing and reach only activities without a workflow, hence the raw request.
 *
 * @returns false when the activity or its workflow has ended meanwhile
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

/** The first attempt of a poll may come too soon after another read, and then does not read. Without a worker it never runs. */
function hasNotTriedYet({ attempt, lastFailure, scheduledTime }: Pending): boolean {
  const age = Date.now() - Number(scheduledTime?.seconds ?? 0) * 1_000;
  return !lastFailure && (attempt ?? 1) <= 1 && age < FIRST_ATTEMPT_MS;
}
