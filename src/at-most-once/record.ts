import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo, CompleteAsyncError, Context, getClient } from '@temporalio/activity';
import {
  ActivityCancelledError,
  ActivityCompletionError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
  ServiceError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { type Intent, type Sent, UNSENT } from './intent.js';

const PAUSE_MS = 200;

/** The time limit of a request to Temporal, in milliseconds. */
export const REQUEST_MS = 5_000;

/**
 * An attempt reports only during this share of its start-to-close timeout. The server identifies attempts by number, and a reset
 * restarts at 1, so it could credit a late report to a newer attempt.
 */
const SHARE_FOR_REPORTS = 0.9;

/** Attempts whose intent the server has acknowledged. They report their outcome themselves. */
const sending = new WeakSet<Context>();

/** When an attempt must stop reporting, in milliseconds of a monotonic clock. */
const reportDeadlines = new WeakMap<Context, number>();

// Keeps A6.
/** @throws in a worker without the interceptor, because A3 and A6 would not hold */
function isOver(): boolean {
  const end = reportDeadlines.get(Context.current());
  if (end === undefined)
    throw new Error(
      "nothing was sent: add the interceptor reportOutcomes to the worker's activity interceptors",
    );
  return performance.now() >= end;
}

/** Reports whether the server has acknowledged this attempt's intent. */
export function isRecorded(): boolean {
  return sending.has(Context.current());
}

export class IntentRecord<Baseline extends object> {
  /** Undefined until the server acknowledges this attempt's intent. */
  sent: Sent<Baseline> | undefined;
  refusal: Error | undefined;
  #baseline: Baseline | undefined;
  #recording: Promise<void> = Promise.resolve();

  /** @param mayHaveBeenSent an earlier attempt may have sent the request. `withdraw` then still records `sending: true` */
  constructor(private readonly mayHaveBeenSent: boolean) {}

  /** Sets the baseline for the intent: what the caller read just before the request. */
  readonly compareWith = (baseline: Baseline): void => {
    this.#baseline = baseline;
  };

  /** Records the intent. @throws the {@link refusal} if this attempt must not send */
  readonly record = (): Promise<void> => {
    this.#recording = this.#record();
    return this.#recording;
  };

  /** Waits until `record` is done. The call can end earlier. */
  async settled(): Promise<void> {
    await this.#recording.catch(() => undefined);
  }

  // Keeps A1, A4.
  async #record(): Promise<void> {
    // An intent that arrives only after this worker died would claim a request that was never sent.
    await untilTemporalResponds();
    const sent = { sentAt: new Date().toISOString(), ...this.#baseline } as Sent<Baseline>;
    try {
      await record({ sending: true, ...sent });
      this.sent = sent;
      sending.add(Context.current());
    } catch (error) {
      this.refusal = refusalOf(error);
      if (isStopRequest(error)) await this.withdraw();
      throw this.refusal;
    }
  }

  /** Records that this attempt had no effect. */
  async withdraw(): Promise<void> {
    // An earlier attempt may have sent the request at any time after the activity was scheduled.
    const sent = this.sent ?? { sentAt: new Date(activityInfo().scheduledTimestampMs).toISOString() };
    await record({ sending: this.mayHaveBeenSent, ...sent }).catch((error: unknown) => {
      if (!isStopRequest(error) && !isClosed(error)) throw error;
    });
    sending.delete(Context.current());
    this.sent = undefined;
  }
}

/** Replaces the intent with the response, even if the server asks the attempt to end: the read after the write must still run. */
export async function recordResponse(response: object): Promise<void> {
  await record({ sending: true, sentAt: new Date().toISOString(), response }).catch((error: unknown) => {
    if (!isStopRequest(error)) throw error;
  });
}

/** Reports whether the server accepted the heartbeat but asked the attempt to end. */
function isStopRequest(error: unknown): boolean {
  return (
    error instanceof ActivityCancelledError ||
    error instanceof ActivityResetError ||
    error instanceof ActivityPausedError
  );
}

function refusalOf(error: unknown): Error {
  if (isClosed(error))
    return ApplicationFailure.retryable(
      'nothing was sent: the server has given up on this attempt',
      UNSENT.closed,
    );
  if (!isStopRequest(error)) return error instanceof Error ? error : new Error(String(error));
  // The server does not retry an activity whose cancellation was requested.
  return ApplicationFailure.retryable(
    'nothing was sent: the server asked the attempt to end',
    UNSENT.stopped,
  );
}

/** Returns once the server has the intent. */
async function record(intent: Intent): Promise<void> {
  const { taskToken } = activityInfo();
  const { activity } = getClient();
  await untilAccepted(() => activity.heartbeat(taskToken, intent));
}

/** The attempt has no time left to report anything. */
class OutOfTime extends Error {}

/** Reports whether the server has closed the attempt, or soon will. */
function isClosed(error: unknown): boolean {
  return error instanceof ActivityNotFoundError || error instanceof OutOfTime;
}

/** Repeats a request about this attempt until Temporal responds. It responds "not found" if the attempt has ended. */
function untilAccepted(request: () => Promise<void>): Promise<void> {
  return retryWhile(request, (error) => error instanceof ActivityCompletionError);
}

/** Waits for any response from Temporal, even a rejection. Without one, the worker's request fails as `CANCELLED`, so retry it. */
function untilTemporalResponds(): Promise<unknown> {
  const request = () => getClient().workflowService.getSystemInfo({});
  return retryWhile(request, (error) => !isRejection(error)).catch(() => undefined);
}

/** The gRPC statuses PERMISSION_DENIED, UNIMPLEMENTED and UNAUTHENTICATED. */
const REJECTIONS: readonly unknown[] = [7, 12, 16];

/** Reports whether Temporal responded with a rejection. The SDK's native core shows some only in the message. */
function isRejection(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const saysSo = /does not have (valid authentication cred|permission)/.test(String(message));
  return REJECTIONS.includes(code) || saysSo || (error instanceof ServiceError && isRejection(error.cause));
}

async function retryWhile<Response>(
  request: () => Promise<Response>,
  isWorthRetrying: (error: unknown) => boolean,
): Promise<Response> {
  // Replaces the client's own signal, which aborts when the worker starts to shut down. This one never aborts.
  const { signal } = new AbortController();
  for (;;) {
    if (isOver()) throw new OutOfTime('the attempt is over');
    try {
      const client = getClient();
      return await client.withAbortSignal(signal, () =>
        client.withDeadline(Date.now() + REQUEST_MS, request),
      );
    } catch (error) {
      if (!isWorthRetrying(error)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

// Keeps A3.
/**
 * Reports the outcome of an attempt with an intent until the server accepts it. The SDK's own report gives up after some seconds
 * without a connection. Place this before every interceptor that changes a result or an error.
 */
export function reportOutcomes(context: Context): ActivityInterceptors {
  const { taskToken, startToCloseTimeoutMs } = context.info;
  reportDeadlines.set(context, performance.now() + startToCloseTimeoutMs * SHARE_FOR_REPORTS);
  /** Keeps the SDK from reporting, because the outcome is already reported, or Temporal has closed the attempt or soon will. */
  const skipReport = new CompleteAsyncError();
  return {
    inbound: {
      async execute(input, next) {
        let report: () => Promise<void>;
        try {
          const result = await next(input);
          if (!sending.has(context)) return result;
          report = () => getClient().activity.complete(taskToken, result);
        } catch (error) {
          if (!sending.has(context)) throw isOver() ? skipReport : error;
          report = () => getClient().activity.fail(taskToken, error);
        }
        // Retry on any error: otherwise the attempt would end with its intent still recorded.
        await retryWhile(report, (error) => !isClosed(error)).catch((error: unknown) => {
          if (!isClosed(error)) throw error;
        });
        throw skipReport;
      },
    },
  };
}
