import type { ActivityFunction, UntypedActivities } from '@temporalio/common';
import { type ActivityOptions, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { type Lane, laneTaskQueue } from '../../messages/task-queues.js';

/**
 * Activities that call a partner: they run on its task queue. The name of that begins with the workflow's own, which is
 * known only once a workflow runs, so it is looked up with each call.
 */
export function partnerActivities<
  Activities extends { readonly [Name in keyof Activities]: ActivityFunction },
>(partner: Exclude<Lane, 'events'>, options: ActivityOptions): Activities {
  const onItsQueue =
    (name: string): ActivityFunction =>
    async (...args) => {
      const activities = proxyActivities<UntypedActivities>({
        ...options,
        taskQueue: laneTaskQueue(workflowInfo().taskQueue, partner),
        // What a worker hands to itself is not counted by the limit of the task queue.
        allowEagerDispatch: false,
      });
      return activities[name]?.(...args);
    };
  return new Proxy({} as Activities, { get: (_, name) => onItsQueue(String(name)) });
}
