import type { ActivityOptions } from '@temporalio/workflow';
import type { BankingActivities } from '../../messages/banking-activities.js';
import { REPEATABLE, WRITE } from '../journey/activity-options.js';
import { laneActivities } from '../journey/lane-activities.js';

/** Many pages, from many accounts. */
const LONG = '10m';

const activities = (options: ActivityOptions) => laneActivities<BankingActivities>('banking', options);

export const { closeCard } = activities({ ...WRITE, summary: 'Close the card' });

export const { isCardClosed } = activities({ ...REPEATABLE, summary: 'Look whether the card is closed' });

export const { changeAddress } = activities({ ...WRITE, summary: 'Change the address' });

export const { setCardNickname } = activities({ ...REPEATABLE, summary: 'Set the nickname' });

export const { restoreSubUser } = activities({ ...WRITE, summary: 'Restore the sub-user' });

export const { ensureWebhook } = activities({
  ...REPEATABLE,
  summary: 'Create the webhook, if it is missing',
});

export const { saveStatement } = activities({
  ...REPEATABLE,
  startToCloseTimeout: LONG,
  heartbeatTimeout: '30s',
  summary: 'Save the statement',
});

/** The same with an `email`, of which the partner sends one for each call. */
export const { saveStatement: sendStatement } = activities({
  ...WRITE,
  startToCloseTimeout: LONG,
  summary: 'Have the statement sent by e-mail',
});
