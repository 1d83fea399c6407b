import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { AccountAccess, type SignIn } from '../activities/account-access.js';
import { bankingActivities } from '../activities/banking.js';
import { boardingActivities } from '../activities/boarding.js';
import { callActivities } from '../activities/calls.js';
import { boundedOutcomes, PartnerWaits, type PatienceSettings } from '../activities/interceptors.js';
import { paymentsActivities } from '../activities/payments.js';
import type { PollBounds } from '../activities/poll.js';
import type { DocumentStore } from '../documents/document-store.js';
import type { FileStore } from '../documents/file-store.js';
import type { Operations } from '../partners/catalogue.js';
import type { PartnerClient } from '../partners/client.js';
import type { PartnerClients, PartnerSettings } from '../partners/clients.js';
import { catalogue, SYSTEM_NAMES, type SystemName } from '../partners/systems.js';

export interface PartnerDependencies {
  /** undefined for the account without a name. */
  readonly name: string | undefined;
  readonly account: PartnerSettings;
  /** The account's own: connections, tokens and codes of one are in no other's way. */
  readonly clients: PartnerClients;
  readonly documents: DocumentStore;
  /** Takes statements, and other files that partners answer. */
  readonly statements: FileStore;
  readonly poll: PollBounds;
  readonly patience: PatienceSettings;
  /** That of the workflows. */
  readonly taskQueue: string;
}

export interface PartnerWork {
  readonly activities: object;
  /** Whether the partner lets us in; undefined where nothing can be read to find out. */
  readonly access: AccountAccess | undefined;
  /** From the outermost to the innermost. */
  readonly interceptors: readonly ActivityInterceptorsFactory[];
}

/** What calls the partners in one account, by the lane in which it runs. */
export function partnerTaskQueues(dependencies: PartnerDependencies): Record<SystemName, PartnerWork> {
  const { name: account, clients, taskQueue, patience } = dependencies;
  const activities = activitiesOf(dependencies);
  const signIns = signInsOf(clients);
  const lane = (system: SystemName): PartnerWork => {
    const signIn = signIns[system];
    const place = { system, account, taskQueue };
    const access = signIn && new AccountAccess(place, signIn);
    const waits = new PartnerWaits(place, patience);
    return {
      activities: { ...activities[system], ...access?.activities },
      access,
      interceptors: [waits.interceptors, ...(access ? [access.interceptors] : []), boundedOutcomes],
    };
  };
  return Object.fromEntries(SYSTEM_NAMES.map((system) => [system, lane(system)])) as Record<
    SystemName,
    PartnerWork
  >;
}

function activitiesOf(dependencies: PartnerDependencies): Record<SystemName, object> {
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

/** How the credentials of an account are tried, by system. The processor has nothing that can be read, and no workflow. */
function signInsOf({
  boarding,
  banking,
  payments,
  ...clients
}: PartnerClients): Readonly<Partial<Record<SystemName, SignIn>>> {
  return {
    boarding: { read: (options) => boarding.listAgentProfiles({}, options) },
    banking: {
      read: (options) => banking.listNewTickets({}, options),
      forget: banking.forget,
      useCode: banking.useCode,
    },
    'plant-store': { read: (options) => clients['plant-store'].listPlants({ limit: 1 }, options) },
    payments: { read: (options) => payments.listTerminals({ limit: 1 }, options) },
  };
}
