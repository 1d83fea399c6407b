import { type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { BoardingActivities } from '../messages/boarding-activities.js';
import { AWAIT_STATUS_ACTIVITY_ID } from '../messages/ids.js';

/** May run again, as often as it takes: reads, and writes that leave the same state however often they run. */
const REPEATABLE: ActivityOptions = {
  startToCloseTimeout: '2m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
};

/**
 * Runs at most once: its partner has no idempotency key. The heartbeat tells within seconds that the worker died;
 * the workflow then decides (carry-out.ts).
 */
const AT_MOST_ONCE: ActivityOptions = {
  startToCloseTimeout: '2m',
  heartbeatTimeout: '10s',
  retry: { maximumAttempts: 1 },
};

const activities = (options: ActivityOptions) => proxyActivities<BoardingActivities>(options);

export const { resolveReferences } = activities({
  ...REPEATABLE,
  summary: 'Look up agent profile and boarding settings',
});

export const { createMerchant } = activities({ ...AT_MOST_ONCE, summary: 'Create the merchant' });

export const { applyFees } = activities({ ...REPEATABLE, summary: 'Read the fees, change what was asked' });

export const { submitMerchant } = activities({ ...AT_MOST_ONCE, summary: 'Submit to underwriting' });

export const { readStatus } = activities({ ...REPEATABLE, summary: 'Read the status' });

export const { attachDocument } = activities({ ...AT_MOST_ONCE, summary: 'Upload a document' });

export const { requestUnderwritingReview } = activities({
  ...AT_MOST_ONCE,
  summary: 'Tell the underwriters their notes are answered',
});

/**
 * The poll. It waits between its attempts, not in the workflow, so the history stays the same however long it takes;
 * the fixed id is what a nudge resets.
 */
export const { awaitStatusChange } = activities({
  activityId: AWAIT_STATUS_ACTIVITY_ID,
  startToCloseTimeout: '1m',
  retry: { initialInterval: '1s', backoffCoefficient: 1 },
  summary: 'Wait until the status changes',
});
