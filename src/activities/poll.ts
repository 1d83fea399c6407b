import { activityInfo, getClient, heartbeat, metricMeter } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { Pace } from '../messages/onboarding-state.js';
import { bounded } from '../partners/bounds.js';
import { NUDGES, nudge } from '../temporal/nudge.js';
import { repeatable } from './failures.js';

/** What a heartbeat of a wait hands to its later attempts. */
export interface PollProgress {
  /** Reads in this wait, that of the attempt included. One that is not due before another read counts that other one. */
  readonly polls: number;
  readonly attempt: number;
}

/**
 * A heartbeat is a round trip to the server, and billed like an attempt. All it is for is to know the reads after a nudge,
 * which numbers the attempts anew: up to as many as this are then missing from the count.
 */
const ATTEMPTS_PER_HEARTBEAT = 10;

/**
 * The body of an activity that waits, however many days, until a read at the partner tells something new. Each attempt
 * reads once; one that finds no news ends in a failure, after which the server waits before the next. However often something
 * changes, two reads are as far apart as `poll` and `pace` say, unless somebody nudges.
 *
 * @param isNews whether to end with what was read now
 * @returns what was read, and how many reads there were in this wait
 * @throws {ApplicationFailure} `StatusUnchanged` or `NotDue`, benign, when there is no news; else what became of the read
 */
export async function awaitChange<Snapshot>(
  poll: PollBounds,
  pace: Pace | undefined,
  read: () => Promise<Snapshot>,
  isNews: (now: Snapshot) => boolean,
): Promise<{ snapshot: Snapshot; polls: number }> {
  const { attempt } = activityInfo();
  const earlyMs = pace ? beforeDue(poll, pace) : 0;
  const polls = pollsBefore() + 1;
  if (earlyMs > 0 && isFirstAttempt()) {
    heartbeat({ polls, attempt } satisfies PollProgress);
    throw again('NotDue', 'the last read was a moment ago', earlyMs);
  }
  const nextRetryDelay = delayBeforeNext(poll);
  const progress: PollProgress = { polls, attempt };
  const remember = () => {
    if (attempt % ATTEMPTS_PER_HEARTBEAT === 1) heartbeat(progress);
  };
  const repetition = { paceMs: nextRetryDelay, mayBeNew: true, progress };
  const reading = async () => bounded(await read());
  const snapshot = await repeatable(reading, repetition).catch((error: unknown) => {
    countPoll('failed');
    remember();
    throw error;
  });
  const isNew = isNews(snapshot);
  countPoll(isNew ? 'news' : 'unchanged');
  if (isNew) return { snapshot, polls: Math.max(1, earlyMs > 0 ? polls - 1 : polls) };
  remember();
  throw again('StatusUnchanged', 'the status has not changed yet', nextRetryDelay);
}

/** How long before its first read is due the wait was begun, in milliseconds. */
function beforeDue(poll: PollBounds, { readAt, changes }: Pace): number {
  return Math.ceil(readAt + leastDelay(changes, poll) - activityInfo().scheduledTimestampMs);
}

/** False after a nudge as well, which numbers the attempts anew. */
function isFirstAttempt(): boolean {
  const { attempt, scheduledTimestampMs, currentAttemptScheduledTimestampMs } = activityInfo();
  return attempt === 1 && currentAttemptScheduledTimestampMs === scheduledTimestampMs;
}

function countPoll(result: 'news' | 'unchanged' | 'failed'): void {
  const help = 'Reads of a status that a workflow waits for, by what came of them';
  metricMeter.createCounter('gangway_polls_total', undefined, help).add(1, { result });
}

/** Milliseconds until this activity should look again: the longer it has waited, the longer. */
export function delayBeforeNext(poll: PollBounds): number {
  const { scheduledTimestampMs, currentAttemptScheduledTimestampMs } = activityInfo();
  return pollDelay(currentAttemptScheduledTimestampMs - scheduledTimestampMs, poll, Math.random());
}

/** Not an error: a retry is how an activity waits without writing history. */
export function again(type: string, message: string, nextRetryDelay: number): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message,
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay,
  });
}

/** Reads so far in this wait: by the last heartbeat, and by the attempts since then. */
export function pollsBefore(): number {
  const { attempt, heartbeatDetails } = activityInfo();
  const last = heartbeatDetails as PollProgress | undefined;
  if (!last) return attempt - 1;
  return last.polls + Math.max(attempt - 1 - last.attempt, 0);
}

/** What this activity just wrote or read may be news to the poll: let it look at once instead of after its delay. */
export function nudgeOwnPoll(): void {
  const { workflowExecution } = activityInfo();
  if (!workflowExecution) return;
  const nudges = metricMeter.createCounter(NUDGES.name, undefined, NUDGES.help);
  const { workflowId } = workflowExecution;
  const nudged = async () => ((await nudge(getClient(), workflowId)) ? 'nudged' : 'nobody');
  // Only a hint, and the write must be reported first: without it the poll comes round by itself.
  nudged().then(
    (result) => nudges.add(1, { result }),
    () => nudges.add(1, { result: 'failed' }),
  );
}

/** The bounds of the wait between two reads of a status, in milliseconds. */
export interface PollBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/** A state that has lasted for an hour is read again after a tenth of that. */
const SHARE_OF_ELAPSED = 0.1;

/** Spreads the reads of merchants that were submitted together: up to a fifth more or less. */
const JITTER = 0.2;

/**
 * How long to wait before the next read: the longer a state has lasted, the longer.
 *
 * @param elapsedMs time since the state was first seen
 * @param random from 0 to 1, for the jitter
 */
export function pollDelay(elapsedMs: number, { minMs, maxMs }: PollBounds, random: number): number {
  const grown = Math.min(Math.max(elapsedMs * SHARE_OF_ELAPSED, minMs), maxMs);
  const jittered = grown * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.min(Math.max(jittered, minMs), maxMs));
}

/** So many changes in a row are read at the shortest delay. Each one more doubles it. */
const CALM_CHANGES = 4;

/** The least time between a read that ended a wait and the first read of the next one, in milliseconds. */
export function leastDelay(changes: number, { minMs, maxMs }: PollBounds): number {
  return Math.min(minMs * 2 ** Math.max(0, changes - CALM_CHANGES), maxMs);
}
