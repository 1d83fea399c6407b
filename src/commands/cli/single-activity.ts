import type { SingleActivity } from '../../messages/activities.js';
import { partnerTaskQueue } from '../../messages/ids.js';
import { resultOfSingle, startSingle } from '../../temporal/single-activities.js';
import type { CommandContext } from './command-line.js';
import { explainActivity } from './errors.js';

/** Runs an activity on a worker, without a workflow, and waits for its result. @throws {CommandFailed} */
export async function runSingle<Result>(
  { cli, client, config }: CommandContext,
  id: string,
  single: SingleActivity,
): Promise<Result> {
  const { inWorkflow, result } = await startSingle(client, config.taskQueue, id, single);
  if (inWorkflow)
    cli.note(`this Temporal server has no standalone activities: workflow ${id} runs it instead`);
  return result<Result>().catch((error: unknown) => {
    throw explainActivity(error, partnerTaskQueue(config.taskQueue, single.lane, single.account));
  });
}

/** Waits for the result of an activity that was started before. @throws {CommandFailed} */
export async function awaitSingle<Result>({ client }: CommandContext, id: string): Promise<Result> {
  return resultOfSingle<Result>(client, id).catch((error: unknown) => {
    throw explainActivity(error, 'of its partner');
  });
}
