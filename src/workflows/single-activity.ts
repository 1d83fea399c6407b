import type { UntypedActivities } from '@temporalio/workflow';
import type { SingleActivity } from '../messages/activities.js';
import { laneActivities } from './journey/lane-activities.js';

/**
 * Runs one activity, for Temporal servers that have no standalone activities. It is not an onboarding and keeps no state, so
 * that it fails as its activity does.
 */
export async function singleActivity({
  activity,
  queue,
  account,
  args,
  summary,
  options,
}: SingleActivity): Promise<unknown> {
  const activities = laneActivities<UntypedActivities>(queue, { ...options, summary }, () => account);
  return activities[activity]?.(...args);
}
