import { ActivityCancellationType, type ActivityOptions } from '@temporalio/workflow';
import { AWAIT_STATUS_ACTIVITY_ID } from '../../messages/ids.js';

/** How soon it is known that a worker died in the middle of a read; each activity beats three times as often. */
const HEARTBEAT = '10s';

const RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' } as const;

/** May run again, as often as it takes: reads, and writes that leave the same state however often they run. */
export const REPEATABLE: ActivityOptions = {
  startToCloseTimeout: '2m',
  heartbeatTimeout: HEARTBEAT,
  retry: RETRY,
};

/**
 * A write that its activity sends at most once (activities/write.ts). The server retries what was not sent, without an event.
 * There is no heartbeat time-out, which a busy machine or a network cut could trip while the partner responds. A cancellation
 * ends what was not sent; a request that was sent is seen through, and its outcome known.
 */
export const WRITE: ActivityOptions = {
  startToCloseTimeout: '2m',
  retry: RETRY,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
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
  // Its id is free for the next poll only once it has ended.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};
