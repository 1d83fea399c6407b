import type { ActivityOptions } from '@temporalio/workflow';
import type { PaymentsActivities } from '../../messages/payments-activities.js';
import { AT_MOST_ONCE, REPEATABLE } from '../journey/activity-options.js';
import { laneActivities } from '../journey/lane-activities.js';

const activities = (options: ActivityOptions) => laneActivities<PaymentsActivities>('payments', options);

export const { findAccounts } = activities({ ...REPEATABLE, summary: 'Look for the payments account' });

export const { createAccount } = activities({ ...AT_MOST_ONCE, summary: 'Create the payments account' });

export const { findTerminals } = activities({ ...REPEATABLE, summary: 'Look for the terminal' });

export const { createTerminal } = activities({ ...AT_MOST_ONCE, summary: 'Create the terminal' });
