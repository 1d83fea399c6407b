import type { DocumentStore } from '../documents/document-store.js';
import type { FileStore } from '../documents/file-store.js';
import type { PartnerActivities } from '../messages/partner-account.js';
import type { MeaningOf } from '../partners/phases.js';
import type { PartnerClients, SystemName } from '../partners/systems.js';
import { bankingActivities } from './banking.js';
import { boardingActivities } from './boarding.js';
import { paymentsActivities } from './payments.js';
import type { PollBounds } from './poll.js';

export interface ActivityDependencies {
  /** undefined for the account without a name. */
  readonly partnerAccount: string | undefined;
  /** The account's own: it shares no connection, token or one-time code with another account. */
  readonly clients: PartnerClients;
  readonly documents: DocumentStore;
  /** Takes statements, and other files that partners return. */
  readonly statements: FileStore;
  readonly poll: PollBounds;
  /** Returns what people decided about status names of this partner. */
  readonly meaningOf: MeaningOf;
}

/** The activities of workflows at each partner. `gangway call` needs none of these. */
export const PARTNER_ACTIVITIES: {
  readonly [System in SystemName]: (dependencies: ActivityDependencies) => PartnerActivities[System];
} = {
  boarding: (given) => boardingActivities({ ...given, client: given.clients.boarding }),
  banking: (given) => bankingActivities({ ...given, client: given.clients.banking }),
  'plant-store': () => ({}),
  payments: ({ clients }) => paymentsActivities(clients.payments),
  processor: () => ({}),
};
