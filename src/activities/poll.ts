import { activityInfo, getClient, heartbeat, metricMeter } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { metricLabels } from '../messages/ids.js';
import { isObject, omitUndefined } from '../messages/objects.js';
import type { Pace } from '../messages/onboarding-state.js';
import { boundTexts } from '../partners/text-limits.js';
import { NUDGES, nudge } from '../temporal/nudge.js';
import { partnerErrorOfActivity, withRetries } from './failures.js';

/** The heartbeat details of a status poll. They say when reads began to fail, because any worker may make the next attempt. */
export interface PollProgress {
  /** Whether an earlier attempt has read. A nudge resets the attempt number to 1, so the number does not show it. */
  readonly hasRead: boolean;
  readonly failing?: Failing;
}

/** Since when all reads of a poll have failed, and since when no response could be read, in milliseconds since 1970. */
interface Failing {
  readonly since: number;
  readonly unreadableSince?: number;
}

/** Returns the record of a poll's last attempt; undefined for another activity, or before the first read. */
export function pollProgress(heartbeatDetails: unknown): PollProgress | undefined {
  const isProgress = isObject(heartbeatDetails) && 'hasRead' in heartbeatDetails;
  return isProgress ? (heartbeatDetails as unknown as PollProgress) : undefined;
}

/** The wait after the first failed read, in milliseconds. It doubles with each attempt, up to the usual delay. */
const FAILURE_PAUSE_MS = 60_000;

// Keeps W7.
/**
 * Polls the partner, for days if necessary, until a read shows a change. Each attempt reads once. Without a change, it fails as
 * `StatusUnchanged` or `NotDue`, a benign error, and the server waits before the next attempt. `poll` and `pace` limit how often it
 * reads, except after a nudge or a failure. `isFirst` says whether the first read showed the change.
 *
 * @param isExplained whether a person has decided since the last read what the status means. The poll then reads at once, because
 *   the decision's nudge cannot reach a poll that has not started
 */
export async function awaitChange<Snapshot>(
  poll: PollBounds,
  pace: Pace | undefined,
  read: () => Promise<Snapshot>,
  isChange: (now: Snapshot) => boolean,
  isExplained: () => Promise<boolean> = async () => false,
): Promise<{ snapshot: Snapshot; isFirst: boolean }> {
  const { attempt, heartbeatDetails, scheduledTimestampMs, currentAttemptScheduledTimestampMs } =
    activityInfo();
  const last = pollProgress(heartbeatDetails);
  const failed = last?.failing;
  const hasRead = last?.hasRead ?? attempt > 1;
  // A nudge also resets the attempt number to 1.
  const isNew = attempt === 1 && currentAttemptScheduledTimestampMs === scheduledTimestampMs;
  if (pace && isNew && beforeDue(poll, pace, 0) > 0 && !(await isExplained())) {
    heartbeat({ hasRead: false } satisfies PollProgress);
    throw pollAgain('NotDue', 'the last read was too recent', beforeDue(poll, pace, Math.random()));
  }
  const nextRetryDelay = delayBeforeNext(poll);
  // After a nudge, the pause is short again, because there is probably a change to read.
  const pauseMs = Math.min(FAILURE_PAUSE_MS * 2 ** (attempt - 1), nextRetryDelay);
  // Temporal bills a heartbeat like an attempt, so send one only if the details have changed.
  const remember = (failing?: Failing) => {
    const isSame = failing?.since === failed?.since && failing?.unreadableSince === failed?.unreadableSince;
    if (!isSame || last?.hasRead !== true)
      heartbeat({ hasRead: true, ...omitUndefined({ failing }) } satisfies PollProgress);
  };
  const progress: PollProgress = { hasRead, ...omitUndefined({ failing: failed }) };
  const repetition = { pauseMs, existed: true, progress };
  const reading = async () => boundTexts(await read());
  const snapshot = await withRetries(reading, repetition).catch((error: unknown) => {
    countPoll('failed');
    const now = Date.now();
    const isUnreadable = partnerErrorOfActivity(error)?.unreadable !== undefined;
    // Another failure in between does not reset `unreadableSince`. Only a readable response does.
    const { since = now, unreadableSince = isUnreadable ? now : undefined } = failed ?? {};
    remember({ since, ...omitUndefined({ unreadableSince }) });
    throw error;
  });
  const hasChanged = isChange(snapshot);
  countPoll(hasChanged ? 'changed' : 'unchanged');
  if (hasChanged) return { snapshot, isFirst: !hasRead };
  remember();
  throw pollAgain('StatusUnchanged', 'the status has not changed yet', nextRetryDelay);
}

/** Returns the time from the start of the poll to its first read, in milliseconds. */
function beforeDue(poll: PollBounds, { readAt, changes }: Pace, random: number): number {
  const longestMs = poll.minMs * 2 ** Math.max(0, changes - STABLE_CHANGES);
  return Math.ceil(readAt + spread(longestMs, poll, random) - activityInfo().scheduledTimestampMs);
}

/** The counter of reads. {@link metricLabels} has its other labels. */
export const READS = ['gangway_polls_total', undefined, 'Reads of status polls, by result'] as const;

function countPoll(result: 'changed' | 'unchanged' | 'failed'): void {
  const about = metricLabels(activityInfo().workflowExecution?.workflowId ?? '');
  metricMeter.createCounter(...READS).add(1, { ...about, result });
}

/** Returns the wait before this activity's next read, in milliseconds. It grows with the age of the poll. */
export function delayBeforeNext(poll: PollBounds): number {
  const { scheduledTimestampMs, currentAttemptScheduledTimestampMs } = activityInfo();
  return pollDelay(currentAttemptScheduledTimestampMs - scheduledTimestampMs, poll, Math.random());
}

/** Returns a failure that is not an error: a retry lets an activity wait without adding to the history. */
export function pollAgain(type: string, message: string, nextRetryDelay: number): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message,
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay,
  });
}

/** Reads again if a list has become shorter, because a list that is read during a write may miss a row. */
export async function readTwice<Snapshot>(
  read: () => Promise<Snapshot>,
  isShort: (now: Snapshot) => boolean,
): Promise<Snapshot> {
  const now = await read();
  return isShort(now) ? read() : now;
}

/** Reports whether some IDs are gone and none is new. */
export function lacksAny(before: readonly string[], now: readonly string[]): boolean {
  const ids = new Set(before);
  return now.every((id) => ids.has(id)) && new Set(now).size < ids.size;
}

/** Makes the workflow's status poll read at once, because it may have missed what this activity just wrote or read. */
export function nudgeOwnPoll(): void {
  const { workflowExecution } = activityInfo();
  if (!workflowExecution) return;
  const nudges = metricMeter.createCounter(NUDGES.name, undefined, NUDGES.help);
  const { workflowId } = workflowExecution;
  const nudged = async () => ((await nudge(getClient(), workflowId)) ? 'nudged' : 'nobody');
  // Not awaited: the write must be reported first, and without the nudge the poll reads after its usual delay.
  nudged().then(
    (result) => nudges.add(1, { result }),
    () => nudges.add(1, { result: 'failed' }),
  );
}

/** Reads a status now, for example after a write. Also nudges the workflow's poll. */
export function readNow<Snapshot>(read: () => Promise<Snapshot>): Promise<Snapshot> {
  const readAndNudge = async () => {
    const now = await read();
    nudgeOwnPoll();
    return now;
  };
  return withRetries(readAndNudge, { existed: true });
}

/** The bounds of the wait between two reads of a status, in milliseconds. */
export interface PollBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/** The longest wait before the next read, as a share of the status's age. The average is a tenth. */
const SHARE_OF_ELAPSED = 0.11;

const SHORTEST = 0.8;

/** After this many changes in a row, each further change doubles the wait before the next poll's first read. */
const STABLE_CHANGES = 4;

/** Returns the wait before the next read, which grows with the status's age. `random`, from 0 to 1, sets the jitter. */
export function pollDelay(elapsedMs: number, poll: PollBounds, random: number): number {
  return spread(elapsedMs * SHARE_OF_ELAPSED, poll, random);
}

/**
 * Returns a random wait of at most `longestMs`, within the bounds. It varies even at the bounds, so polls that start together, for
 * example after an outage, drift apart. Clamped waits would all end at the same time.
 */
function spread(longestMs: number, { minMs, maxMs }: PollBounds, random: number): number {
  const longest = Math.min(Math.max(longestMs, minMs / SHORTEST), maxMs);
  const shortest = Math.max(longest * SHORTEST, minMs);
  return Math.ceil(shortest + (longest - shortest) * random);
}
