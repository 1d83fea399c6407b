import type { ActivityOptions } from '@temporalio/workflow';
import type { BoardingActivities } from '../../messages/boarding-activities.js';
import { POLL, REPEATABLE, WRITE } from '../journey/activity-options.js';
import { laneActivities } from '../journey/lane-activities.js';

const activities = (options: ActivityOptions) => laneActivities<BoardingActivities>('boarding', options);

export const { resolveReferences } = activities({
  ...REPEATABLE,
  summary: 'Look up agent profile and boarding settings',
});

export const { createMerchant } = activities({ ...WRITE, summary: 'Create the merchant' });

export const { applyFees } = activities({ ...REPEATABLE, summary: 'Read the fees, change what was asked' });

export const { submitMerchant } = activities({ ...WRITE, summary: 'Submit to underwriting' });

export const { readStatus } = activities({ ...REPEATABLE, summary: 'Read the status' });

export const { attachDocument } = activities({ ...WRITE, summary: 'Upload a document' });

export const { requestUnderwritingReview } = activities({
  ...WRITE,
  summary: 'Tell the underwriters their notes are answered',
});

export const { inspectMerchant } = activities({ ...REPEATABLE, summary: 'Look at a merchant to adopt' });

export const { awaitStatusChange } = activities({ ...POLL, summary: 'Wait until the status changes' });
