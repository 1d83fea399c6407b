import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { PARTNER_ERROR } from '../messages/partner-failure.js';
import type { SingleActivity } from '../messages/single-activity.js';
import { laneTaskQueue } from '../messages/task-queues.js';
import type { PartnerErrorDetails } from '../partners/partner-error.js';
import { resultOfSingle, startSingle } from '../temporal/single-activities.js';
import type { CommandContext } from './context.js';
import { CommandFailed } from './errors.js';
import { inWords } from './partner-words.js';

/**
 * Has a worker run an activity by itself, and waits for what becomes of it.
 *
 * @throws {CommandFailed} that says in words what went wrong
 */
export async function runSingle<Answer>(
  { cli, client, config }: CommandContext,
  id: string,
  single: SingleActivity,
): Promise<Answer> {
  const { inWorkflow, result } = await startSingle(client, config.taskQueue, id, single);
  if (inWorkflow)
    cli.note(`this Temporal server has no standalone activities: workflow ${id} runs it instead`);
  return result<Answer>().catch((error: unknown) => {
    throw explained(error, laneTaskQueue(config.taskQueue, single.lane, single.account));
  });
}

/** Waits for one that was started before. @throws {CommandFailed} */
export async function awaitSingle<Answer>({ client }: CommandContext, id: string): Promise<Answer> {
  return resultOfSingle<Answer>(client, id).catch((error: unknown) => {
    throw explained(error, 'its partner');
  });
}

function explained(error: unknown, taskQueue: string): unknown {
  const failure = error instanceof TimeoutFailure && error.cause ? error.cause : error;
  if (failure instanceof ApplicationFailure && failure.type === PARTNER_ERROR) {
    return new CommandFailed(inWords(failure.details?.[0] as PartnerErrorDetails));
  }
  if (failure instanceof TimeoutFailure && failure.timeoutType === 'SCHEDULE_TO_START') {
    return new CommandFailed(`no worker takes it from task queue ${taskQueue}: is one running?`);
  }
  if (failure instanceof TimeoutFailure) {
    return new CommandFailed(
      'nobody knows whether it took effect: the worker did not come back. Look at the partner.',
    );
  }
  return failure instanceof ApplicationFailure ? new CommandFailed(`it failed: ${failure.message}`) : failure;
}
