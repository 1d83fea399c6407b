import { isGrpcServiceError, isRetryableError, ServiceError } from '@temporalio/client';

/** gRPC's INVALID_ARGUMENT, DEADLINE_EXCEEDED and UNIMPLEMENTED. */
const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const UNIMPLEMENTED = 12;

/** Whether Temporal did not answer, or was too busy to: the same may be asked again later. */
export function isAway(error: unknown): boolean {
  const cause = causeOf(error);
  return isGrpcServiceError(cause) && (isRetryableError(cause) || cause.code === DEADLINE_EXCEEDED);
}

/**
 * Why Temporal does not take what was asked, when that is about this workflow and no other.
 *
 * @returns undefined when it would take no workflow at all, or when the error is another one
 */
export function refusalOf(error: unknown): string | undefined {
  const cause = causeOf(error);
  if (!isGrpcServiceError(cause) || cause.code !== INVALID_ARGUMENT) return undefined;
  return /search attribute/i.test(cause.details) ? undefined : cause.details;
}

/** Whether the server cannot search by what a query names. */
export function isUnsupportedQuery(error: unknown): boolean {
  const cause = causeOf(error);
  return isGrpcServiceError(cause) && cause.code === INVALID_ARGUMENT;
}

/** Whether the server does not know what it was asked for, or has it switched off. */
export function isUnimplemented(error: unknown): boolean {
  const cause = causeOf(error);
  return isGrpcServiceError(cause) && cause.code === UNIMPLEMENTED;
}

function causeOf(error: unknown): unknown {
  return error instanceof ServiceError ? error.cause : error;
}
