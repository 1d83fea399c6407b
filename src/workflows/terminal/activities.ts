import type { ActivityOptions } from '@temporalio/workflow';
import type { PaymentsActivities } from '../../messages/activities.js';
import { REPEATABLE, WRITE } from '../journey/activity-options.js';
import { laneActivities } from '../journey/lane-activities.js';

const activities = (options: ActivityOptions) => laneActivities<PaymentsActivities>('payments', options);

export const { findAccounts } = activities({ ...REPEATABLE, summary: 'Look for the payments account' });

export const { createAccount } = activities({ ...WRITE, summary: 'Create the payments account' });

export const { findTerminals } = activities({ ...REPEATABLE, summary: 'Look for the terminal' });

export const { createTerminal } = activities({ ...WRITE, summary: 'Create the terminal' });
