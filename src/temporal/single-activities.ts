import {
  ActivityExecutionAlreadyStartedError,
  ActivityExecutionFailedError,
  type ActivityHandle,
  type Client,
} from '@temporalio/client';
import type { SingleActivity } from '../messages/activities.js';
import { partnerTaskQueue } from '../messages/ids.js';

/**
 * Starts an activity without a workflow: Temporal's standalone activity.
 *
 * @param once starts only the first activity of an id, and attaches to it afterwards, running or ended
 */
export async function startSingle(
  client: Client,
  taskQueue: string,
  id: string,
  { activity, queue, account, args, summary, options }: SingleActivity,
  { once }: { readonly once?: true } = {},
) {
  try {
    const handle = await client.activity.start(activity, {
      ...options,
      id,
      taskQueue: partnerTaskQueue(taskQueue, queue, account),
      args: [...args],
      summary,
      ...(once && { idReusePolicy: 'REJECT_DUPLICATE', idConflictPolicy: 'USE_EXISTING' }),
    });
    return running(handle);
  } catch (error) {
    if (once && error instanceof ActivityExecutionAlreadyStartedError)
      return running(client.activity.getHandle(id));
    throw error;
  }
}

function running(handle: ActivityHandle<unknown>) {
  return {
    /** Its present state, for people: `waits for a worker`. */
    async step() {
      const description = await handle.describe({ includeLastFailure: true });
      const { attempt, runState } = description;
      const failure = await description.getLastFailure();
      const why = failure ? ` after: ${failure.message}` : '';
      if (runState === 'STARTED')
        return attempt > 1 ? `attempt ${attempt} runs${why}` : 'a worker calls the partner';
      return attempt > 1 ? `waits for attempt ${attempt}${why}` : 'waits for a worker';
    },
    /** @throws {ApplicationFailure}, {@link TimeoutFailure} or another of Temporal's failures: what the activity ended with */
    async result<Result>() {
      try {
        return (await handle.result()) as Result;
      } catch (error) {
        throw error instanceof ActivityExecutionFailedError && error.cause ? error.cause : error;
      }
    },
  };
}

/**
 * Waits for an activity that was already started.
 *
 * @throws what it ended with, or Temporal's error when there is none
 */
export function resultOfSingle<Result>(client: Client, id: string): Promise<Result> {
  return running(client.activity.getHandle(id)).result();
}
