import type { ActivityOptions } from '@temporalio/workflow';
import type { BankingActivities } from '../../messages/banking-activities.js';
import { AT_MOST_ONCE, REPEATABLE } from '../journey/activity-options.js';
import { laneActivities } from '../journey/lane-activities.js';

/** Many pages, from many accounts. */
const LONG = '10m';

const activities = (options: ActivityOptions) => laneActivities<BankingActivities>('banking', options);

export const { closeCard } = activities({ ...AT_MOST_ONCE, summary: 'Close the card' });

export const { isCardClosed } = activities({ ...REPEATABLE, summary: 'Look whether the card is closed' });

export const { changeAddress } = activities({ ...AT_MOST_ONCE, summary: 'Change the address' });

export const { setCardNickname } = activities({ ...REPEATABLE, summary: 'Set the nickname' });

export const { restoreSubUser } = activities({ ...AT_MOST_ONCE, summary: 'Restore the sub-user' });

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
  ...AT_MOST_ONCE,
  startToCloseTimeout: LONG,
  heartbeatTimeout: '30s',
  summary: 'Have the statement sent by e-mail',
});
