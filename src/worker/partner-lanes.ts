import { bankingActivities } from '../activities/banking.js';
import { boardingActivities } from '../activities/boarding.js';
import { callActivities } from '../activities/calls.js';
import { paymentsActivities } from '../activities/payments.js';
import type { PollBounds } from '../activities/poll-delay.js';
import type { DocumentStore } from '../documents/document-store.js';
import type { FileStore } from '../documents/file-store.js';
import type { Operations } from '../partners/catalogue.js';
import type { PartnerClient } from '../partners/client.js';
import type { PartnerClients, PartnerSettings } from '../partners/clients.js';
import { catalogue, type SystemName } from '../partners/systems.js';

export interface LaneDependencies {
  /** undefined for the account without a name. */
  readonly name: string | undefined;
  readonly account: PartnerSettings;
  /** The account's own: connections, tokens and codes of one are in no other's way. */
  readonly clients: PartnerClients;
  readonly documents: DocumentStore;
  /** Takes statements, and other files that partners answer. */
  readonly statements: FileStore;
  readonly poll: PollBounds;
}

/** The activities that call the partners in one account, by the lane in which they run. */
export function partnerLanes(dependencies: LaneDependencies): Record<SystemName, object> {
  const { name: partnerAccount, account, clients, documents, statements, poll } = dependencies;
  const operations = catalogue({ posNames: account.posNames, pathSegment: account.banking?.pathSegment });
  const calls = (system: SystemName) =>
    callActivities({
      system,
      operations: operations[system],
      client: clients[system] as PartnerClient<Operations>,
      documents,
      downloads: statements,
    });
  return {
    boarding: {
      ...boardingActivities({ client: clients.boarding, documents, partnerAccount, poll }),
      ...calls('boarding'),
    },
    banking: {
      ...bankingActivities({ client: clients.banking, statements, partnerAccount, poll }),
      ...calls('banking'),
    },
    'plant-store': calls('plant-store'),
    payments: { ...paymentsActivities(clients.payments), ...calls('payments') },
    processor: calls('processor'),
  };
}
