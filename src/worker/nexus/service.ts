import {
  type Client,
  WorkflowFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, type WorkflowIdConflictPolicy } from '@temporalio/common';
import {
  getClient,
  log,
  startWorkflow,
  type WorkflowHandle,
  WorkflowRunOperationHandler,
} from '@temporalio/nexus';
import {
  HandlerError,
  type HandlerErrorOptions,
  type HandlerErrorType,
  HandlerStartOperationResult,
  type OperationContext,
  OperationError,
  type OperationHandler,
  type ServiceHandler,
  type StartOperationContext,
  serviceHandler,
} from 'nexus-rpc';
import { z } from 'zod';
import type { KnownAccounts } from '../../messages/inputs.js';
import type { DbaForm } from '../../messages/list-fields.js';
import { gangwayService, type NexusProblem } from '../../messages/nexus.js';
import type { FourEyes } from '../../messages/requirements.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { problemText } from '../../partners/text-limits.js';
import { Deadline, untilAborted } from '../../platform/http/deadline.js';
import { holdPrivate } from '../../platform/process/logging.js';
import { queryState, waitForResult } from '../../temporal/find-onboarding.js';
import type { Kind } from '../../temporal/kinds/define-kind.js';
import { BUSINESS, CUSTOMER, MERCHANT } from '../../temporal/kinds/kinds.js';
import {
  type Backend,
  findIn,
  onboardingNameSchema,
  parseBody,
  programAnswer,
  Refusal,
  resolveOnce,
  startOrAttach,
} from '../../temporal/program-requests.js';
import { isDenied, isNotFound, isUnavailable } from '../../temporal/unavailable.js';
import { OBSTACLES, UnreadableOnboarding } from '../../temporal/unreadable.js';
import { OUTCOME_UNKNOWN_MESSAGE } from '../../temporal/updates.js';

export interface NexusPlace {
  readonly taskQueue: string;
  readonly dbaForm: DbaForm;
  readonly fourEyes: FourEyes;
  readonly accounts: KnownAccounts;
}

const named = z.strictObject({ id: onboardingNameSchema });

export function nexusService({
  taskQueue,
  dbaForm,
  fourEyes,
  accounts: accountNames,
}: NexusPlace): ServiceHandler {
  const accounts = Object.keys(accountNames.accounts);
  const backend = (): Backend => ({ client: getClient(), taskQueue, dbaForm, fourEyes, accounts });
  return serviceHandler(gangwayService, {
    boardMerchant: onboarding(MERCHANT, accountNames, backend),
    onboardBusiness: onboarding(BUSINESS, accountNames, backend),
    onboardCustomer: onboarding(CUSTOMER, accountNames, backend),
    answerRequirement: (context, request) =>
      respond(context, request, async () => {
        // Temporal repeats a request with the same ID.
        const answered = await resolveOnce(
          backend(),
          parseBody(programAnswer, request),
          `nexus-${context.requestId}`,
        );
        return answered.receipt;
      }),
    getStatus: (context, request) =>
      respond(context, request, async () => {
        const { client } = backend();
        const { workflowId } = await findIn(backend(), parseBody(named, request).id);
        return { workflowId, ...(await queryState(client, workflowId, QUERY_MS)) };
      }),
  });
}

function onboarding<Input, Given, Outcome>(
  kind: Kind<Input>,
  accounts: KnownAccounts,
  backend: () => Backend,
): OperationHandler<Given, Outcome> {
  const rules = kind.schema(accounts);
  const run = new WorkflowRunOperationHandler<Given, Outcome>((context, input) =>
    runFor(context, backend(), kind, parseBody(rules, input)),
  );
  return {
    start: (context, input) =>
      respond(context, input, () =>
        run.start(context, input).catch((error: unknown) => {
          if (error instanceof EndedBefore) return endOf<Outcome>(getClient(), error.workflowId);
          throw error;
        }),
      ),
    cancel: (context, token) =>
      respond(context, undefined, () =>
        run.cancel(context, token).catch((error: unknown) => {
          // The onboarding has ended.
          if (!isNotFound(error)) throw error;
        }),
      ),
  };
}

/** The onboarding has ended, so it can no longer report to a caller. */
class EndedBefore extends Error {
  constructor(readonly workflowId: string) {
    super(`${workflowId} has ended`);
  }
}

/**
 * Starts an onboarding whose outcome Temporal reports to the caller, or adds the caller to a running one. The first attempt fails
 * if the onboarding exists, so no caller attaches to an onboarding with a different input.
 *
 * @throws {EndedBefore}
 */
async function runFor<Input, Outcome>(
  context: StartOperationContext,
  backend: Backend,
  kind: Kind<Input>,
  input: Input,
): Promise<WorkflowHandle<Outcome>> {
  const runs: WorkflowHandle<Outcome>[] = [];
  const startWith = (workflowIdConflictPolicy: WorkflowIdConflictPolicy) =>
    startOrAttach(backend, kind, input, {
      send: async (type, options) => {
        const run = await startWorkflow(context, type, { ...options, workflowIdConflictPolicy });
        runs.push(run);
        return run.runId ?? '';
      },
    });
  const { workflowId, started } = await startWith('FAIL');
  if (!started) await startWith('USE_EXISTING');
  const [run] = runs;
  if (!run) throw new EndedBefore(workflowId);
  return run;
}

/** Returns the outcome of an ended onboarding. @throws {OperationError} if it has none */
async function endOf<Outcome>(client: Client, workflowId: string) {
  try {
    return HandlerStartOperationResult.sync(await waitForResult<Outcome>(client, workflowId));
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const isCancelled = error.cause instanceof CancelledFailure;
    const how = isCancelled ? 'was canceled' : 'ended without an outcome';
    const what = `${workflowId} ${how}; an operator can start it again with --again`;
    throw new OperationError(isCancelled ? 'canceled' : 'failed', what);
  }
}

/** The time limit of a handler, in milliseconds. Temporal waits 10 s for its response, and repeats the request after that. */
const DEADLINE_MS = 8_000;

/** The time limit for each of two queries of an onboarding's state, in milliseconds. */
const QUERY_MS = 3_000;

/** Runs a handler within its time limit, and converts its errors for callers. Logs no private value of the request. */
async function respond<Result>(
  { abortSignal }: OperationContext,
  value: unknown,
  handle: () => Promise<Result>,
): Promise<Result> {
  const release = holdPrivate(value);
  const deadline = new Deadline({ ms: DEADLINE_MS, until: abortSignal });
  try {
    const inTime = () => getClient().withDeadline(Date.now() + DEADLINE_MS, handle);
    return await untilAborted(inTime(), deadline.signal);
  } catch (error) {
    throw callersError(error);
  } finally {
    deadline.release();
    setImmediate(release);
  }
}

/** The handler error of each problem. Temporal repeats a request after `UNAVAILABLE` or `INTERNAL`. */
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

/** Converts a handler's error for the caller, without quoting the request. */
export function callersError(error: unknown): HandlerError | OperationError {
  if (error instanceof HandlerError || error instanceof OperationError) return error;
  if (error instanceof Refusal) return handlerError(error.kind, error.message, { errors: error.errors });
  // After repeated failures, Temporal pauses all requests of a namespace, so let the caller decide about this one.
  if (error instanceof UnreadableOnboarding)
    return handlerError('unreadable-onboarding', OBSTACLES[error.obstacle], { retryableOverride: false });
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
    return handlerError('not-applied', OUTCOME_UNKNOWN_MESSAGE);
  if (isUnavailable(error) || isDenied(error) || isCutOff(error))
    return handlerError('temporal-unavailable', 'no response of Temporal in time');
  log.error('Nexus operation failed', { error });
  return handlerError('internal-error', 'see the log of the worker');
}

/** Reports whether a handler exceeded its own or Temporal's deadline, or its worker is stopping. */
function isCutOff(error: unknown): boolean {
  return (
    error instanceof CancelledFailure || (error instanceof DOMException && error.name === 'TimeoutError')
  );
}

interface Details extends Pick<HandlerErrorOptions, 'retryableOverride'> {
  readonly errors?: readonly FieldProblem[];
}

function handlerError(problem: NexusProblem, what: string, { errors = [], retryableOverride }: Details = {}) {
  // Two rules may report the same problem.
  const lines = new Set(errors.map(problemText));
  const message = [what, ...lines].join('; ');
  const details = errors.length > 0 ? [errors] : [];
  const cause = ApplicationFailure.create({ message, type: problem, details, nonRetryable: true });
  return new HandlerError(TYPES[problem], message, { cause, retryableOverride });
}
