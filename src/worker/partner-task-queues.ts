import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { AccountAccess, type SignIn } from '../activities/account-access.js';
import { callActivities } from '../activities/calls.js';
import { boundedOutcomes, PartnerWaits, type PatienceSettings } from '../activities/interceptors.js';
import { type ActivityDependencies, PARTNER_ACTIVITIES } from '../activities/partner-activities.js';
import { StatusMeanings } from '../activities/status-meanings.js';
import type { Operations } from '../partners/catalogue.js';
import type { PartnerClient } from '../partners/client.js';
import type { AnyClient } from '../partners/partner.js';
import { catalogue, eachSystem, PARTNERS, type SystemName, type Wording } from '../partners/systems.js';

export interface PartnerDependencies extends Omit<ActivityDependencies, 'meaningOf'> {
  readonly wording: Wording;
  readonly patience: PatienceSettings;
  /** The task queue of the workflows. */
  readonly taskQueue: string;
}

export interface PartnerWork {
  readonly activities: object;
  /** Our access at the partner; undefined if nothing can be read to find out. */
  readonly access: AccountAccess | undefined;
  /** From the outermost to the innermost. */
  readonly interceptors: readonly ActivityInterceptorsFactory[];
}

/** The callers of the partners in one account, by the partner task queue in which they run. */
export function partnerTaskQueues(
  dependencies: PartnerDependencies,
): Readonly<Record<SystemName, PartnerWork>> {
  const {
    partnerAccount: account,
    clients,
    taskQueue,
    patience,
    documents,
    statements,
    wording,
  } = dependencies;
  const operations = catalogue(wording);
  return eachSystem((system) => {
    const client = clients[system];
    const place = { system, account, taskQueue };
    const signIn = signInOf(system, client);
    const access = signIn && new AccountAccess(place, signIn);
    const waits = new PartnerWaits(place, patience);
    const meanings = new StatusMeanings(place);
    const calls = callActivities({
      system,
      operations: operations[system],
      client: client as unknown as PartnerClient<Operations>,
      documents,
      downloads: statements,
    });
    return {
      activities: {
        ...PARTNER_ACTIVITIES[system]({ ...dependencies, meaningOf: meanings.of }),
        ...meanings.activities,
        ...calls,
        ...access?.activities,
      },
      access,
      interceptors: [waits.interceptors, ...(access ? [access.interceptors] : []), boundedOutcomes],
    };
  });
}

function signInOf(system: SystemName, client: AnyClient): SignIn | undefined {
  const { credentialsCheck } = PARTNERS[system];
  return (
    credentialsCheck && {
      read: (options) => credentialsCheck.read(client, options),
      ...(client.forget && { forget: client.forget }),
      ...(client.useCode && { useCode: client.useCode }),
    }
  );
}
