import { proxyActivities, type UntypedActivities, workflowInfo } from '@temporalio/workflow';
import type { SingleActivity } from '../messages/single-activity.js';
import { laneTaskQueue } from '../messages/task-queues.js';

/**
 * Runs one activity, for Temporal servers that have no standalone activities. It is not an onboarding and keeps no state, so
 * that it fails as its activity does.
 */
export async function singleActivity({
  activity,
  lane,
  args,
  summary,
  options,
}: SingleActivity): Promise<unknown> {
  const activities = proxyActivities<UntypedActivities>({
    ...options,
    summary,
    taskQueue: laneTaskQueue(workflowInfo().taskQueue, lane),
    allowEagerDispatch: false,
  });
  return activities[activity]?.(...args);
}
