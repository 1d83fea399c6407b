import type { ActivityOptions } from '@temporalio/workflow';
import { AWAIT_STATUS_ACTIVITY_ID } from '../../messages/ids.js';

/** May run again, as often as it takes: reads, and writes that leave the same state however often they run. */
export const REPEATABLE: ActivityOptions = {
  startToCloseTimeout: '2m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
};

/**
 * Runs at most once: its partner has no idempotency key. The heartbeat tells within seconds that the worker died;
 * the workflow then decides (carry-out.ts).
 */
export const AT_MOST_ONCE: ActivityOptions = {
  startToCloseTimeout: '2m',
  heartbeatTimeout: '10s',
  retry: { maximumAttempts: 1 },
};

/**
 * The poll. It waits between its attempts, not in the workflow, so the history stays the same however long it takes;
 * the fixed id is what a nudge resets.
 */
export const POLL: ActivityOptions = {
  activityId: AWAIT_STATUS_ACTIVITY_ID,
  startToCloseTimeout: '1m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 1 },
};
