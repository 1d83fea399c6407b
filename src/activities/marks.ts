import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo, CompleteAsyncError, Context, getClient } from '@temporalio/activity';
import {
  ActivityCancelledError,
  ActivityCompletionError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import type { Mark } from '../messages/activities.js';
import { isDenied, isUnimplemented } from '../temporal/unavailable.js';
import { inTime } from './failures.js';

const REPORT_PAUSE_MS = 200;

/** The time at which a request was sent, and what was at the partner before. */
export type Sent = Omit<Mark, 'sending' | 'response'>;

export type Before = Omit<Sent, 'sentAt'>;

export const marked = new WeakSet<Context>();

export class Marks {
  /** Undefined while the server holds no mark of this attempt. */
  sent: Sent | undefined;
  refusal: Error | undefined;
  #before: Before = {};
  #setting: Promise<void> = Promise.resolve();

  /** @param mayHaveBeenSent what an earlier attempt leaves open stays open when this one clears its mark */
  constructor(private readonly mayHaveBeenSent: boolean) {}

  readonly compareWith = (before: Before): void => {
    this.#before = before;
  };

  /** @throws the {@link refusal}, when this attempt must not send */
  readonly set = (): Promise<void> => {
    this.#setting = this.#set();
    return this.#setting;
  };

  /** Waits for a mark in progress, because the call may have ended before it. */
  async afterSetting(): Promise<void> {
    await this.#setting.catch(() => undefined);
  }

  async #set(): Promise<void> {
    // A mark that is sent into a broken connection may arrive after this worker has died without sending the request.
    await untilTemporalResponds();
    const sent = { sentAt: new Date().toISOString(), ...this.#before };
    try {
      await record({ sending: true, ...sent });
      this.sent = sent;
      marked.add(Context.current());
    } catch (error) {
      this.refusal = refusalOf(error);
      if (isStopRequest(error)) await this.clear();
      throw this.refusal;
    }
  }

  async clear(): Promise<void> {
    // An earlier attempt may have sent it soon after it was scheduled.
    const sent = this.sent ?? { sentAt: new Date(activityInfo().scheduledTimestampMs).toISOString() };
    await record({ sending: this.mayHaveBeenSent, ...sent }).catch((error: unknown) => {
      if (!isStopRequest(error) && !(error instanceof ActivityNotFoundError)) throw error;
    });
    marked.delete(Context.current());
    this.sent = undefined;
  }
}

/** The server accepted the mark, and asks the attempt to end. */
export function isStopRequest(error: unknown): boolean {
  return (
    error instanceof ActivityCancelledError ||
    error instanceof ActivityResetError ||
    error instanceof ActivityPausedError
  );
}

function refusalOf(error: unknown): Error {
  if (error instanceof ActivityNotFoundError)
    return ApplicationFailure.retryable(
      'nothing was sent: the server has given up on this attempt',
      'GivenUp',
    );
  if (!isStopRequest(error)) return error instanceof Error ? error : new Error(String(error));
  // The server does not retry an activity whose cancellation was requested.
  return ApplicationFailure.retryable('nothing was sent: the server asked the attempt to end', 'NotSent');
}

/** Records a mark, and waits until the server has it. */
export async function record(mark: Mark): Promise<void> {
  const { taskToken } = activityInfo();
  const { activity } = getClient();
  await untilAccepted(() => activity.heartbeat(taskToken, mark));
}

/** Repeats a request to Temporal until it responds. The repetition ends with the attempt, which the server then does not find. */
function untilAccepted(request: () => Promise<void>): Promise<void> {
  return retryWhile(request, (error) => error instanceof ActivityCompletionError);
}

/** A rejection is also a response. Without a response, a request of a worker fails as `CANCELLED`. */
function untilTemporalResponds(): Promise<unknown> {
  const request = () => getClient().workflowService.getSystemInfo({});
  return retryWhile(request, (error) => !isUnimplemented(error) && !isDenied(error)).catch(() => undefined);
}

async function retryWhile<Response>(
  request: () => Promise<Response>,
  isWorthRetrying: (error: unknown) => boolean,
): Promise<Response> {
  // A signal that never aborts. The activity's own client ends its requests when the worker begins to shut down.
  const { signal } = new AbortController();
  for (;;) {
    try {
      return await getClient().withAbortSignal(signal, () => inTime(request));
    } catch (error) {
      if (!isWorthRetrying(error)) throw error;
      await sleep(REPORT_PAUSE_MS);
    }
  }
}

// Keeps W3.
/** Reports the result of an attempt that has sent, until the server accepts it. Placed before all other interceptors. */
export function reportsWrites(context: Context): ActivityInterceptors {
  const { taskToken } = context.info;
  return {
    inbound: {
      async execute(input, next) {
        let report: () => Promise<void>;
        try {
          const result = await next(input);
          if (!marked.has(context)) return result;
          report = () => getClient().activity.complete(taskToken, result);
        } catch (error) {
          if (!marked.has(context)) throw error;
          report = () => getClient().activity.fail(taskToken, error);
        }
        await untilAccepted(report).catch((error: unknown) => {
          // The server has given up on the attempt; the next one reads the mark.
          if (!(error instanceof ActivityNotFoundError)) throw error;
        });
        throw new CompleteAsyncError();
      },
    },
  };
}
