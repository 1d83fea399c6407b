import type { PartnerActivities } from '../messages/onboarding-outcomes.js';
import type { PartnerClients, SystemName } from '../partners/descriptors.js';
import { bankingActivities } from './banking.js';
import { boardingActivities } from './boarding.js';
import type { Dependencies } from './dependencies.js';

export interface ActivityDependencies extends Omit<Dependencies<never>, 'client'> {
  /** This account's own clients. Accounts share no connection, token or one-time code. */
  readonly clients: PartnerClients;
}

/** The activities of each partner that workflows use. `gangway call` needs none of them. */
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
