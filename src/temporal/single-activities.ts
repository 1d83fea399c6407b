import {
  ActivityExecutionAlreadyStartedError,
  ActivityExecutionFailedError,
  ActivityNotFoundError,
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
} from '@temporalio/client';
import { ActivityFailure } from '@temporalio/common';
import type { SingleActivity } from '../messages/activities.js';
import { partnerTaskQueue } from '../messages/ids.js';
import { isUnimplemented, TemporalProblem } from './unavailable.js';
import { pollersOf } from './workers.js';

/** No worker would run a workflow. */
class NoWorker extends TemporalProblem {
  override readonly name = 'NoWorker';
}

/** A started activity. */
export interface RunningSingle {
  /** True on a server without standalone activities: there a workflow of the same id runs it. */
  readonly inWorkflow: boolean;
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
    return running(false, handle);
  } catch (error) {
    if (once && error instanceof ActivityExecutionAlreadyStartedError)
      return running(false, client.activity.getHandle(id));
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
    return running(true, handle);
  } catch (error) {
    if (once && error instanceof WorkflowExecutionAlreadyStartedError)
      return running(true, client.workflow.getHandle(id));
    throw error;
  }
}

function running(inWorkflow: boolean, handle: { result(): Promise<unknown> }): RunningSingle {
  return { inWorkflow, result: () => unwrapped(handle.result()) };
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

/** What the activity ended with, without the errors that Temporal wraps around it. */
function rootOf(error: unknown): unknown {
  const isWrapped =
    error instanceof ActivityExecutionFailedError ||
    error instanceof WorkflowFailedError ||
    error instanceof ActivityFailure;
  return isWrapped && error.cause ? rootOf(error.cause) : error;
}
