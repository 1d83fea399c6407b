import {
  type Client,
  isGrpcServiceError,
  ServiceError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { type Obstacle, UnreadableOnboarding } from '../temporal/unreadable.js';
import { Problem } from './problems.js';

/** How long Temporal may take over one event before the sender is told to try again. */
export const DEADLINE_MS = 5_000;

/** When a sender should try again, in seconds. */
const RETRY_AFTER = '5';

/** gRPC's INVALID_ARGUMENT: Temporal is there, and what we asked of it is wrong. */
const INVALID_ARGUMENT = 3;

/**
 * Asks something of Temporal.
 *
 * @param latest when to give up at the latest, in epoch milliseconds
 * @throws {Problem} `temporal-away` when it does not answer in time, `not-applied` when an onboarding does not take an answer
 *   in time, `unreadable-onboarding` when one cannot be read. What was asked may have happened all the same.
 */
export async function ask<Answer>(
  client: Client,
  question: () => Promise<Answer>,
  latest = Number.POSITIVE_INFINITY,
): Promise<Answer> {
  try {
    return await client.connection.withDeadline(Math.min(Date.now() + DEADLINE_MS, latest), question);
  } catch (error) {
    if (error instanceof UnreadableOnboarding) throw unreadable(error);
    // Temporal was there a moment ago, to find the workflow.
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) throw notApplied(error);
    throw isAway(error) ? away(error) : error;
  }
}

export function away(cause?: unknown): Problem {
  return new Problem('temporal-away', SEND_AGAIN, { cause, headers: { 'retry-after': RETRY_AFTER } });
}

const SEND_AGAIN =
  'send the same again after Retry-After seconds: nothing is lost, and nothing happens twice';

function notApplied(cause: unknown): Problem {
  return new Problem('not-applied', SEND_AGAIN, { cause, headers: { 'retry-after': RETRY_AFTER } });
}

/** Without the cause, which is for operators: `gangway status` shows it. */
const WHY: Readonly<Record<Obstacle, string>> = {
  'no-worker': 'no worker runs that could respond',
  'no-answer': 'no worker responds in time',
  'build-gone': 'no worker runs the build that it is pinned to',
  'task-fails': 'its workflow task fails',
  'no-key': 'the key that it is encrypted with is missing',
};

function unreadable(error: UnreadableOnboarding): Problem {
  const detail = `${WHY[error.obstacle]}; nothing is lost, and "gangway status" shows an operator more`;
  return new Problem('unreadable-onboarding', detail, {
    cause: error,
    headers: { 'retry-after': RETRY_AFTER },
  });
}

function isAway(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && cause.code !== INVALID_ARGUMENT;
}
