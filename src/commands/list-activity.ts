import { randomUUID } from 'node:crypto';
import { ActivityExecutionFailedError, isGrpcServiceError, ServiceError } from '@temporalio/client';
import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import type { BankingLists, Listed } from '../messages/banking-operations.js';
import { PARTNER_ERROR } from '../messages/partner-failure.js';
import { laneTaskQueue } from '../messages/task-queues.js';
import type { PartnerErrorDetails } from '../partners/partner-error.js';
import type { CommandContext } from './context.js';
import { CommandFailed } from './errors.js';
import { inWords } from './partner-words.js';

/** How long a worker may take to begin, and all of it, with its retries, to end. */
const START_TIMEOUT = '10s';
const TIMEOUT = '1m';

/** A person waits: what does not work soon is told. */
const RETRY = { initialInterval: '500ms', backoffCoefficient: 2, maximumAttempts: 3 };

/** What gRPC calls a request that the server does not know, or has switched off. */
const UNIMPLEMENTED = 12;

/** Reads one of the lists of the bank, by an activity without a workflow. @throws {CommandFailed} */
export async function readList<Name extends keyof BankingLists>(
  { client, config }: CommandContext,
  name: Name,
  what: string,
  request: Parameters<BankingLists[Name]>[0],
): Promise<Listed> {
  const taskQueue = laneTaskQueue(config.taskQueue, 'banking');
  try {
    return await client.activity.execute<Listed>(name, {
      id: `show-${what}-${randomUUID()}`,
      taskQueue,
      args: [request],
      scheduleToStartTimeout: START_TIMEOUT,
      scheduleToCloseTimeout: TIMEOUT,
      retry: RETRY,
      summary: `gangway show ${what}`,
    });
  } catch (error) {
    throw explained(error, taskQueue);
  }
}

function explained(error: unknown, taskQueue: string): unknown {
  if (isUnimplemented(error)) {
    return new CommandFailed('this Temporal server has no standalone activities, which "gangway show" needs');
  }
  if (!(error instanceof ActivityExecutionFailedError)) return error;
  const { cause } = error;
  const failure = cause instanceof TimeoutFailure && cause.cause ? cause.cause : cause;
  if (failure instanceof ApplicationFailure && failure.type === PARTNER_ERROR) {
    return new CommandFailed(inWords(failure.details?.[0] as PartnerErrorDetails));
  }
  if (failure instanceof TimeoutFailure && failure.timeoutType === 'SCHEDULE_TO_START') {
    return new CommandFailed(`no worker takes it from task queue ${taskQueue}: is one running?`);
  }
  return new CommandFailed(`it failed: ${failure?.message}`);
}

function isUnimplemented(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && cause.code === UNIMPLEMENTED;
}
