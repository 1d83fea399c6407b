import type { UntypedActivities } from '@temporalio/workflow';
import type { SingleActivity } from '../messages/activities.js';
import { partnerActivities } from './journey/partner-activities.js';

/** Runs one activity, on Temporal servers that have no standalone activities. It keeps no state, and fails as its activity does. */
export async function singleActivity({
  activity,
  lane,
  account,
  args,
  summary,
  options,
}: SingleActivity): Promise<unknown> {
  const onItsTaskQueue = partnerActivities<UntypedActivities>(lane, () => account);
  return onItsTaskQueue({ [activity]: { ...options, summary } })[activity]?.(...args);
}
