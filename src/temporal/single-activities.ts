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
import { isUnimplemented } from './unavailable.js';
import { pollersOf } from './workers.js';

/** No worker polls for a workflow. The message is for people. */
export class NoWorker extends Error {
  override readonly name = 'NoWorker';
}

/** An activity that runs by itself. */
export interface RunningSingle {
  /** True on a server without standalone activities: then a workflow runs it, under the same id. */
  readonly inWorkflow: boolean;
  /** @throws {ApplicationFailure}, {@link TimeoutFailure} or another of Temporal's failures: what the activity ended with */
  result<Answer>(): Promise<Answer>;
}

/** How to start one. */
export interface StartSingleOptions {
  /**
   * Only one of this id is ever started: the first, running or ended, is attached to. It may wait for a worker as long as it
   * takes.
   */
  readonly once?: true;
}

/**
 * Starts an activity without a workflow around it; where the server cannot, in a workflow that does nothing else.
 *
 * @throws {NoWorker} when nobody would take that workflow, unless it is started `once`
 */
export async function startSingle(
  client: Client,
  taskQueue: string,
  id: string,
  single: SingleActivity,
  { once }: StartSingleOptions = {},
): Promise<RunningSingle> {
  const { activity, lane, account, args, summary, options } = single;
  try {
    const handle = await client.activity.start(activity, {
      ...options,
      id,
      taskQueue: partnerTaskQueue(taskQueue, lane, account),
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
  // A workflow that nobody takes would wait for ever, where an activity says so.
  if (!once && (await pollersOf(client, taskQueue, 'workflow')).taking === 0) {
    throw new NoWorker(`no worker takes it from task queue ${taskQueue}: is one running?`);
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

/** Waits for one that was started before. @throws what it ended with, or Temporal's error when there is none */
export async function resultOfSingle<Answer>(client: Client, id: string): Promise<Answer> {
  try {
    return await unwrapped<Answer>(client.activity.getHandle(id).result());
  } catch (error) {
    if (!(error instanceof ActivityNotFoundError) && !isUnimplemented(error)) throw error;
  }
  return unwrapped<Answer>(client.workflow.getHandle(id).result());
}

async function unwrapped<Answer>(result: Promise<unknown>): Promise<Answer> {
  try {
    return (await result) as Answer;
  } catch (error) {
    throw rootOf(error);
  }
}

/** What the activity ended with, without what Temporal wraps around it. */
function rootOf(error: unknown): unknown {
  const isWrapped =
    error instanceof ActivityExecutionFailedError ||
    error instanceof WorkflowFailedError ||
    error instanceof ActivityFailure;
  return isWrapped && error.cause ? rootOf(error.cause) : error;
}
