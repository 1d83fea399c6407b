import { randomUUID } from 'node:crypto';
import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { PARTNER_ERROR, type SingleActivity } from '../../messages/activities.js';
import type { BankingLists, Listed } from '../../messages/banking-activities.js';
import { partnerTaskQueue } from '../../messages/ids.js';
import type { PartnerErrorDetails } from '../../partners/partner-error.js';
import { resultOfSingle, startSingle } from '../../temporal/single-activities.js';
import type { CommandContext } from './command-line.js';
import { CommandFailed } from './errors.js';
import { inWords } from './partner-account.js';

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
    throw explained(error, partnerTaskQueue(config.taskQueue, single.queue, single.account));
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
    return new CommandFailed(`no worker polls task queue ${taskQueue}: is one running?`);
  }
  if (failure instanceof TimeoutFailure) {
    return new CommandFailed(
      'nobody knows whether it took effect: the worker did not come back. Look at the partner.',
    );
  }
  return failure instanceof ApplicationFailure ? new CommandFailed(`it failed: ${failure.message}`) : failure;
}

/** A person waits: what does not begin, or does not work, soon is told. */
const OPTIONS = {
  scheduleToStartTimeout: '10s',
  scheduleToCloseTimeout: '1m',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumAttempts: 3 },
} as const;

interface WantedList<Name extends keyof BankingLists> {
  readonly name: Name;
  /** As people call it. */
  readonly what: string;
  readonly request: Parameters<BankingLists[Name]>[0];
  readonly account: string | undefined;
}

/** Reads one of the lists of the bank. @throws {CommandFailed} */
export function readList<Name extends keyof BankingLists>(
  context: CommandContext,
  { name, what, request, account }: WantedList<Name>,
): Promise<Listed> {
  return runSingle(context, `show-${what}-${randomUUID()}`, {
    activity: name,
    queue: 'banking',
    account,
    args: [request],
    summary: `gangway show ${what}`,
    options: OPTIONS,
  });
}
