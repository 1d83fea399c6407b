import { status } from '@grpc/grpc-js';
import { ServiceError, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import { type ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { asyncLocalStorage, type HandlerContext } from '@temporalio/nexus/lib/context.js';
import { HandlerError, OperationError } from 'nexus-rpc';
import { describe, expect, it } from 'vitest';
import { Refusal, type RefusalKind } from '../../../../src/temporal/program-requests.js';
import { UnreadableOnboarding } from '../../../../src/temporal/unreadable.js';
import { callersError } from '../../../../src/worker/nexus/service.js';

const PRIVATE = 'Ada, born 1815-12-10';

/** What a caller gets, and what the log of the worker shows. */
function convert(error: unknown) {
  const logged: unknown[] = [];
  const log = { error: (...line: unknown[]) => logged.push(line) };
  const result = asyncLocalStorage.run({ log } as unknown as HandlerContext, () => callersError(error));
  if (!(result instanceof HandlerError)) throw new Error('not a HandlerError');
  const { type, retryable, message, cause } = result;
  const { type: problem, details } = cause as ApplicationFailure;
  return { type, retryable, message, problem, details, logged };
}

const grpcError = (code: status) =>
  new ServiceError(PRIVATE, {
    cause: Object.assign(new Error(PRIVATE), { code, details: PRIVATE, metadata: {} }),
  });

describe('the error of a handler', () => {
  it.each<[RefusalKind, string]>([
    ['invalid', 'BAD_REQUEST'],
    ['unknown-onboarding', 'NOT_FOUND'],
    ['ambiguous-id', 'CONFLICT'],
    ['other-input', 'CONFLICT'],
    ['not-open', 'CONFLICT'],
  ])('is final when a request is refused: %s is %s', (kind, type) => {
    const errors = [
      { field: 'merchant.dba', message: 'is required' },
      { field: 'merchant.dba', message: 'is required' },
      { field: '', message: 'is not an object' },
    ];
    expect(convert(new Refusal(kind, 'nothing was started', errors))).toEqual({
      type,
      retryable: false,
      problem: kind,
      details: [errors],
      logged: [],
      message: 'nothing was started; merchant.dba: is required; is not an object',
    });
  });

  it.each([
    ['Temporal is unavailable', grpcError(status.UNAVAILABLE), 'temporal-unavailable'],
    ['Temporal is too slow', grpcError(status.DEADLINE_EXCEEDED), 'temporal-unavailable'],
    ['Temporal denies access', grpcError(status.PERMISSION_DENIED), 'temporal-unavailable'],
    ['the handler is too slow', new DOMException(PRIVATE, 'TimeoutError'), 'temporal-unavailable'],
    ['the worker stops', new CancelledFailure('WORKER_SHUTDOWN'), 'temporal-unavailable'],
    ['no worker applies an answer', new WorkflowUpdateRPCTimeoutOrCancelledError(PRIVATE), 'not-applied'],
  ])('makes Temporal repeat the request when %s', (_, error, problem) => {
    const { message, ...rest } = convert(error);
    expect(rest).toEqual({ type: 'UNAVAILABLE', retryable: true, problem, details: [], logged: [] });
    expect(message).not.toContain(PRIVATE);
  });

  it('leaves it to the caller to read an onboarding again', () => {
    expect(convert(new UnreadableOnboarding('merchant-boarding-m-1', 'task-fails', PRIVATE))).toEqual({
      type: 'UNAVAILABLE',
      retryable: false,
      problem: 'unreadable-onboarding',
      details: [],
      logged: [],
      message: 'its workflow task fails',
    });
  });

  it('shows nothing of an error that nobody foresaw, which is logged', () => {
    const error = new TypeError(PRIVATE);
    expect(convert(error)).toEqual({
      type: 'INTERNAL',
      retryable: true,
      problem: 'internal-error',
      details: [],
      message: 'see the log of the worker',
      logged: [['Nexus operation failed', { error }]],
    });
  });

  it('stays what it is when it is meant for the caller', () => {
    for (const error of [new HandlerError('NOT_FOUND', 'no'), new OperationError('canceled', 'no')])
      expect(callersError(error)).toBe(error);
  });
});
