import type { ActivityOptions } from '@temporalio/workflow';
import type { BankingActivities } from '../../messages/banking-activities.js';
import { POLL, REPEATABLE, WRITE } from '../journey/activity-options.js';
import { laneActivities } from '../journey/lane-activities.js';

const activities = (options: ActivityOptions) => laneActivities<BankingActivities>('banking', options);

export const { submitHolder } = activities({
  ...WRITE,
  summary: 'Submit the business account holder',
});

export const { findCandidates } = activities({ ...REPEATABLE, summary: 'Look for the business at the bank' });

export const { examineProfile } = activities({ ...REPEATABLE, summary: 'Look at a banking profile' });

export const { correctHolder } = activities({ ...WRITE, summary: 'Correct the business account holder' });

export const { readProfile } = activities({ ...REPEATABLE, summary: 'Read the banking profile' });

export const { awaitProfileChange } = activities({
  ...POLL,
  summary: 'Wait until the banking profile changes',
});

export const { openFinancialAccount } = activities({ ...WRITE, summary: 'Open a financial account' });

export const { replyToTicket } = activities({ ...WRITE, summary: 'Reply to a ticket' });

export const { findReply } = activities({ ...REPEATABLE, summary: 'Look for the reply to a ticket' });
