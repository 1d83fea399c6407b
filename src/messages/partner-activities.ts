import type { PaymentsActivities } from './activities.js';
import type { BankingActivities } from './banking-activities.js';
import type { BoardingActivities } from './boarding-activities.js';
import type { PartnerAccountActivities } from './partner-account.js';
import type { PartnerRecordActivities } from './partner-record.js';

/** The activities of workflows at each partner. The worker must have all of them, and workflows find no others. */
export interface PartnerActivities {
  readonly boarding: BoardingActivities;
  readonly banking: BankingActivities;
  readonly payments: PaymentsActivities;
  readonly 'plant-store': object;
  readonly processor: object;
}

/** The activities on the task queue of a partner. */
export type ActivitiesAt<System extends keyof PartnerActivities> = PartnerActivities[System] &
  PartnerAccountActivities &
  PartnerRecordActivities;
