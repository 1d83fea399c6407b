import { activityInfo, getClient, sleep } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Adopted } from '../messages/activities.js';
import { workflowTaskQueue } from '../messages/ids.js';
import { PartnerError } from '../partners/partner-error.js';
import { type Owned, type Owner, ownersOf, stillRunning } from '../temporal/onboardings.js';
import { asFailure, beating } from './failures.js';

const OWNED = {
  boarding: { workflowType: 'merchantBoarding', attribute: 'merchantProfileId' },
  banking: { workflowType: 'businessOnboarding', attribute: 'bankingProfileId' },
} as const satisfies Readonly<Record<string, Pick<Owned, 'workflowType' | 'attribute'>>>;

export type Owners = ReturnType<typeof ownersAt>;

/** Returns the onboardings of an account that have one of these merchants or banking profiles, running or not. */
export function ownersAt(system: keyof typeof OWNED, partnerAccount: string | undefined) {
  return (ids: readonly number[], except?: string): Promise<Owner[]> => {
    const taskQueue = workflowTaskQueue(activityInfo().taskQueue, system, partnerAccount);
    return ownersOf(getClient(), { ...OWNED[system], ids, taskQueue, partnerAccount, except });
  };
}

/** The wait before the next look at the list, in milliseconds, and the most looks of one attempt: it must end in time. */
const PAUSE_MS = 200;
const MOST_LOOKS = 20;

/**
 * Two onboardings may adopt the same merchant before Temporal lists either of them. So each looks again once it is listed itself:
 * the one that looks last sees the other. At most one goes on, and for the other a person decides.
 */
export function adoptionCheck(ownersAmong: Owners) {
  const check = async ({ id, knownOwners = [] }: Adopted): Promise<void> => {
    const { workflowExecution: own, activityType: operation } = activityInfo();
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      if (looks > 0) await sleep(PAUSE_MS);
      const owners = await ownersAmong([id]);
      if (!owners.some(({ runId }) => runId === own?.runId)) continue;
      const known = [...knownOwners, own?.workflowId];
      const others = owners.filter(({ workflowId }) => !known.includes(workflowId));
      const other = await stillRunning(getClient(), others);
      if (!other) return;
      const message = `workflow ${other.workflowId} has ${id} as well; abandon one of the two, then retry the other`;
      const fields = [{ field: '', message }];
      const details = { system: 'gangway', operation, kind: 'Rejected', fields, reason: 'not sent' } as const;
      throw asFailure(new PartnerError(details), false);
    }
    // Not benign: a person learns of it when it takes too long.
    throw ApplicationFailure.retryable('Temporal does not list this onboarding yet', 'NotListed');
  };
  return (adopted: Adopted) => beating(() => check(adopted));
}
