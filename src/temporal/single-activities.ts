import {
  ActivityExecutionAlreadyStartedError,
  ActivityExecutionFailedError,
  type ActivityHandle,
  type Client,
} from '@temporalio/client';
import type { SingleActivity } from '../messages/activities.js';
import { partnerTaskQueue } from '../messages/ids.js';

/**
 * Starts a standalone activity, without a workflow.
 *
 * @param once starts at most one activity per ID, and later attaches to it, running or ended
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
    /** Returns its current state, for people: `waits for a worker`. */
    async step() {
      const description = await handle.describe({ includeLastFailure: true });
      const { attempt, runState } = description;
      const failure = await description.getLastFailure();
      const why = failure ? ` after: ${failure.message}` : '';
      if (runState === 'STARTED')
        return attempt > 1 ? `attempt ${attempt} runs${why}` : 'a worker calls the partner';
      return attempt > 1 ? `waits for attempt ${attempt}${why}` : 'waits for a worker';
    },
    /** @throws the activity's failure: {@link ApplicationFailure}, {@link TimeoutFailure} or another one of Temporal's */
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
 * Waits for an activity that was already started, and returns its result.
 *
 * @throws the activity's failure, or Temporal's error if there is no such activity
 */
export function resultOfSingle<Result>(client: Client, id: string): Promise<Result> {
  return running(client.activity.getHandle(id)).result();
}
