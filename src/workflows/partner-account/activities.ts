import type { BankingActivities } from '../../messages/banking-activities.js';
import type { PartnerAccountActivities, PartnerAccountInput } from '../../messages/partner-account.js';
import { POLL, REPEATABLE } from '../journey/activity-options.js';
import { laneActivities } from '../journey/lane-activities.js';

/** Its id is what a nudge resets, as after a reply. */
export const { awaitUnmatchedTickets } = laneActivities<BankingActivities>('banking', {
  ...POLL,
  summary: 'Wait until other tickets are unmatched',
});

/** All workflows of an account are looked at. */
const LONG = '10m';

export function activitiesAt(system: PartnerAccountInput['system']): PartnerAccountActivities {
  const { activityId: _, ...poll } = POLL;
  const probing = laneActivities<PartnerAccountActivities>(system, {
    ...poll,
    retry: { initialInterval: '5s', backoffCoefficient: 1 },
    summary: 'Try the credentials',
  });
  const waking = laneActivities<PartnerAccountActivities>(system, {
    ...REPEATABLE,
    startToCloseTimeout: LONG,
    summary: 'Retry what waits',
  });
  const looking = laneActivities<PartnerAccountActivities>(system, {
    ...poll,
    summary: 'Wait until responses can be read',
  });
  const { probeAccount } = probing;
  const { wakeRefused, retryReads } = waking;
  return { probeAccount, wakeRefused, retryReads, awaitReadable: looking.awaitReadable };
}
