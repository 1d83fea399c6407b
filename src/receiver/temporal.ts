import {
  type Client,
  isGrpcServiceError,
  ServiceError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { NoWorker } from '../temporal/onboardings.js';
import { Problem } from './problems.js';

/** How long Temporal may take over one event before the sender is told to try again. */
const DEADLINE_MS = 5_000;

/** When a sender should try again, in seconds. */
const RETRY_AFTER = '5';

/** gRPC's INVALID_ARGUMENT: Temporal is there, and what we asked of it is wrong. */
const INVALID_ARGUMENT = 3;

/**
 * Asks something of Temporal.
 *
 * @param latest when to give up at the latest, in epoch milliseconds
 * @throws {Problem} `temporal-away` when it does not answer in time. What was asked may have happened all the same.
 */
export async function ask<Answer>(
  client: Client,
  question: () => Promise<Answer>,
  latest = Number.POSITIVE_INFINITY,
): Promise<Answer> {
  try {
    return await client.connection.withDeadline(Math.min(Date.now() + DEADLINE_MS, latest), question);
  } catch (error) {
    throw isAway(error) ? away(error) : error;
  }
}

export function away(cause?: unknown): Problem {
  const detail = 'send the same again after Retry-After seconds: nothing is lost, and nothing happens twice';
  return new Problem('temporal-away', detail, { cause, headers: { 'retry-after': RETRY_AFTER } });
}

function isAway(error: unknown): boolean {
  if (error instanceof NoWorker || error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true;
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && cause.code !== INVALID_ARGUMENT;
}
