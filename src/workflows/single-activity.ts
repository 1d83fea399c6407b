import type { SingleActivity } from '../messages/activities.js';
import { onTaskQueueOf } from './journey/partner-activities.js';

/** Runs one activity, on Temporal servers that have no standalone activities. It keeps no state, and fails as its activity does. */
export async function singleActivity({
  activity,
  queue,
  account,
  args,
  summary,
  options,
}: SingleActivity): Promise<unknown> {
  return onTaskQueueOf(queue, () => account, activity, { ...options, summary })(...args);
}
