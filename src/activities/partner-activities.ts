import type { PartnerActivities } from '../messages/onboarding-outcomes.js';
import type { PartnerClients, SystemName } from '../partners/descriptors.js';
import { bankingActivities } from './banking.js';
import { boardingActivities } from './boarding.js';
import type { Dependencies } from './dependencies.js';

export interface ActivityDependencies extends Omit<Dependencies<never>, 'client'> {
  /** The account's own: it shares no connection, token or one-time code with another account. */
  readonly clients: PartnerClients;
}

/** The activities of workflows at the partners that have some. `gangway call` needs none of these. */
export const PARTNER_ACTIVITIES: {
  readonly [System in keyof PartnerActivities]: (
    dependencies: ActivityDependencies,
  ) => PartnerActivities[System];
} = {
  boarding: (dependencies) => boardingActivities({ ...dependencies, client: dependencies.clients.boarding }),
  banking: (dependencies) => bankingActivities({ ...dependencies, client: dependencies.clients.banking }),
};

export function activitiesAt(system: SystemName, dependencies: ActivityDependencies): object {
  return system in PARTNER_ACTIVITIES
    ? PARTNER_ACTIVITIES[system as keyof PartnerActivities](dependencies)
    : {};
}
