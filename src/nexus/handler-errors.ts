import { WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { log } from '@temporalio/nexus';
import { HandlerError, type HandlerErrorOptions, type HandlerErrorType, OperationError } from 'nexus-rpc';
import type { NexusProblem } from '../messages/nexus.js';
import { problemText } from '../partners/bounds.js';
import type { FieldProblem } from '../partners/partner-error.js';
import { Refusal } from '../temporal/requests.js';
import { isDenied, isUnavailable } from '../temporal/unavailable.js';
import { OBSTACLES, UnreadableOnboarding } from '../temporal/unreadable.js';

/** The handler error of each problem. Temporal repeats a request that is `UNAVAILABLE` or `INTERNAL`. */
const TYPES: Readonly<Record<NexusProblem, HandlerErrorType>> = {
  invalid: 'BAD_REQUEST',
  'unknown-onboarding': 'NOT_FOUND',
  'ambiguous-id': 'CONFLICT',
  'other-input': 'CONFLICT',
  'not-open': 'CONFLICT',
  'not-applied': 'UNAVAILABLE',
  'unreadable-onboarding': 'UNAVAILABLE',
  'temporal-unavailable': 'UNAVAILABLE',
  'internal-error': 'INTERNAL',
};

/** Turns an error of a handler into what the caller gets. It quotes nothing that the caller sent. */
export function callersError(error: unknown): HandlerError | OperationError {
  if (error instanceof HandlerError || error instanceof OperationError) return error;
  if (error instanceof Refusal) return handlerError(error.kind, error.message, { errors: error.errors });
  // After repeated failures, Temporal stops all requests of a namespace for a while, so the caller decides about this one.
  if (error instanceof UnreadableOnboarding)
    return handlerError('unreadable-onboarding', OBSTACLES[error.obstacle], { retryableOverride: false });
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
    return handlerError('not-applied', 'the answer is accepted, but not yet applied');
  if (isUnavailable(error) || isDenied(error) || isCutOff(error))
    return handlerError('temporal-unavailable', 'no response of Temporal in time');
  log.error('Nexus operation failed', { error });
  return handlerError('internal-error', 'see the log of the worker');
}

/** Reports whether a handler took too long, for its own deadline or for Temporal, or its worker stops. */
function isCutOff(error: unknown): boolean {
  return (
    error instanceof CancelledFailure || (error instanceof DOMException && error.name === 'TimeoutError')
  );
}

interface Details extends Pick<HandlerErrorOptions, 'retryableOverride'> {
  readonly errors?: readonly FieldProblem[];
}

function handlerError(
  problem: NexusProblem,
  what: string,
  { errors = [], retryableOverride }: Details = {},
): HandlerError {
  // Two rules may report the same problem of a field.
  const lines = new Set(errors.map(problemText));
  const message = [what, ...lines].join('; ');
  const details = errors.length > 0 ? [errors] : [];
  const cause = ApplicationFailure.create({ message, type: problem, details, nonRetryable: true });
  return new HandlerError(TYPES[problem], message, { cause, retryableOverride });
}
