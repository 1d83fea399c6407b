import type { ActivityOptions } from '@temporalio/workflow';
import { AWAIT_STATUS_ACTIVITY_ID } from '../../messages/ids.js';

/** How soon it is known that a worker died in the middle of a call; each activity beats three times as often. */
const HEARTBEAT = '10s';

/** May run again, as often as it takes: reads, and writes that leave the same state however often they run. */
export const REPEATABLE: ActivityOptions = {
  startToCloseTimeout: '2m',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
};

/** Runs at most once: its partner has no idempotency key. What became of it the workflow decides (carry-out.ts). */
export const AT_MOST_ONCE: ActivityOptions = {
  startToCloseTimeout: '2m',
  heartbeatTimeout: HEARTBEAT,
  retry: { maximumAttempts: 1 },
};

/**
 * The poll. It waits between its attempts, not in the workflow, so the history stays the same however long it takes;
 * the fixed id is what a nudge resets.
 */
export const POLL: ActivityOptions = {
  activityId: AWAIT_STATUS_ACTIVITY_ID,
  startToCloseTimeout: '1m',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '1s', backoffCoefficient: 1 },
};
