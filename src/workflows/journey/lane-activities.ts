import type { ActivityFunction, UntypedActivities } from '@temporalio/common';
import { type ActivityOptions, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { type PartnerTaskQueue, partnerTaskQueue } from '../../messages/ids.js';
import { partnerAccount } from './partner-account.js';

/**
 * Activities of a lane: they run on its task queue. The name of that begins with the workflow's own and ends in that of its
 * account, which are known only once a workflow runs, so it is looked up with each call.
 *
 * @param accountOf default: the account of the workflow
 */
export function laneActivities<Activities extends { readonly [Name in keyof Activities]: ActivityFunction }>(
  lane: PartnerTaskQueue,
  options: ActivityOptions,
  accountOf: () => string | undefined = partnerAccount,
): Activities {
  const onItsQueue =
    (name: string): ActivityFunction =>
    async (...args) => {
      const activities = proxyActivities<UntypedActivities>({
        ...options,
        taskQueue: partnerTaskQueue(workflowInfo().taskQueue, lane, accountOf()),
        // What a worker hands to itself is not counted by the limit of the task queue.
        allowEagerDispatch: false,
      });
      return activities[name]?.(...args);
    };
  return new Proxy({} as Activities, { get: (_, name) => onItsQueue(String(name)) });
}
