import {
  ActivityExecutionAlreadyStartedError,
  ActivityExecutionFailedError,
  type ActivityHandle,
  ActivityNotFoundError,
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  type WorkflowHandle,
} from '@temporalio/client';
import { ActivityFailure } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { SingleActivity } from '../messages/activities.js';
import { partnerTaskQueue } from '../messages/ids.js';
import { decodedFailure } from './payload-codec.js';
import { isUnimplemented, TemporalProblem } from './unavailable.js';
import { pollersOf } from './workers.js';

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

/** No worker would run a workflow. */
export class NoWorker extends TemporalProblem {
  override readonly name = 'NoWorker';

  override get isUnavailable(): boolean {
    return true;
  }
}

/** A started activity. */
export interface RunningSingle {
  /** True on a server without standalone activities: there a workflow of the same id runs it. */
  readonly inWorkflow: boolean;
  /** Its present state, for people: `waits for a worker`. */
  step(): Promise<string>;
  /** @throws {ApplicationFailure}, {@link TimeoutFailure} or another of Temporal's failures: what the activity ended with */
  result<Result>(): Promise<Result>;
}

export interface StartSingleOptions {
  /**
   * Starts only the first activity of an id, and attaches to it afterwards, running or ended. It may wait for a worker as long
   * as it takes.
   */
  readonly once?: true;
}

/**
 * Starts an activity without a workflow; on a server that cannot do that, in a workflow that does nothing else.
 *
 * @throws {NoWorker} when no worker would run that workflow. With `once`, it waits for one instead
 */
export async function startSingle(
  client: Client,
  taskQueue: string,
  id: string,
  single: SingleActivity,
  { once }: StartSingleOptions = {},
): Promise<RunningSingle> {
  const { activity, queue, account, args, summary, options } = single;
  try {
    const handle = await client.activity.start(activity, {
      ...options,
      id,
      taskQueue: partnerTaskQueue(taskQueue, queue, account),
      args: [...args],
      summary,
      ...(once && { idReusePolicy: 'REJECT_DUPLICATE', idConflictPolicy: 'USE_EXISTING' }),
    });
    return ofActivity(handle);
  } catch (error) {
    if (once && error instanceof ActivityExecutionAlreadyStartedError)
      return ofActivity(client.activity.getHandle(id));
    if (!isUnimplemented(error)) throw error;
  }
  // An activity fails by its schedule-to-start time-out. A workflow has none, and would wait forever.
  if (!once && (await pollersOf(client, taskQueue, 'workflow')).taking === 0) {
    throw new NoWorker(`no worker polls task queue ${taskQueue}: is one running?`);
  }
  try {
    const handle = await client.workflow.start('singleActivity', {
      workflowId: id,
      taskQueue,
      args: [single],
      staticSummary: summary,
      ...(once && { workflowIdReusePolicy: 'REJECT_DUPLICATE' }),
    });
    return inWorkflow(client, handle);
  } catch (error) {
    if (once && error instanceof WorkflowExecutionAlreadyStartedError)
      return inWorkflow(client, client.workflow.getHandle(id));
    throw error;
  }
}

function ofActivity(handle: ActivityHandle<unknown>): RunningSingle {
  return {
    inWorkflow: false,
    async step() {
      const description = await handle.describe({ includeLastFailure: true });
      const isRunning = description.runState === 'STARTED';
      return stepOf(isRunning, description.attempt, await description.getLastFailure());
    },
    result: () => unwrapped(handle.result()),
  };
}

function inWorkflow(client: Client, handle: WorkflowHandle): RunningSingle {
  return {
    inWorkflow: true,
    async step() {
      const { raw } = await handle.describe();
      const { state, attempt, lastFailure } = raw.pendingActivities?.[0] ?? {};
      const failure = lastFailure ? await decodedFailure(client, lastFailure, handle.workflowId) : undefined;
      return stepOf(state === PENDING_ACTIVITY_STATE_STARTED, attempt ?? 1, failure);
    },
    result: () => unwrapped(handle.result()),
  };
}

function stepOf(isRunning: boolean, attempt: number, failure: Error | undefined): string {
  const why = failure ? ` after: ${failure.message}` : '';
  if (isRunning) return attempt > 1 ? `attempt ${attempt} runs${why}` : 'a worker calls the partner';
  return attempt > 1 ? `waits for attempt ${attempt}${why}` : 'waits for a worker';
}

/**
 * Waits for an activity that was started before.
 *
 * @throws what it ended with, or Temporal's error when there is none
 */
export async function resultOfSingle<Result>(client: Client, id: string): Promise<Result> {
  try {
    return await unwrapped<Result>(client.activity.getHandle(id).result());
  } catch (error) {
    if (!(error instanceof ActivityNotFoundError) && !isUnimplemented(error)) throw error;
  }
  return unwrapped<Result>(client.workflow.getHandle(id).result());
}

async function unwrapped<Result>(result: Promise<unknown>): Promise<Result> {
  try {
    return (await result) as Result;
  } catch (error) {
    throw rootOf(error);
  }
}

/** The error with which the activity ended, without the errors that Temporal wraps around it. */
function rootOf(error: unknown): unknown {
  const isWrapped =
    error instanceof ActivityExecutionFailedError ||
    error instanceof WorkflowFailedError ||
    error instanceof ActivityFailure;
  return isWrapped && error.cause ? rootOf(error.cause) : error;
}
