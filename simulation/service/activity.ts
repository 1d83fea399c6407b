import { decompileRetryPolicy, type Payload } from '@temporalio/common';
import { optionalTsToMs, tsToMs } from '@temporalio/common/lib/time.js';
import proto, { type coresdk } from '@temporalio/proto';
import type { ActivityResult, Commands, Failure } from '../runtime.js';
import type { World } from '../world.js';

const { WAIT_CANCELLATION_COMPLETED, ABANDON } = proto.coresdk.workflow_commands.ActivityCancellationType;
const { TimeoutType } = proto.temporal.api.enums.v1;

/** The service, as its activities know it. */
export interface ActivityHost {
  readonly world: World;
  /** The running attempts, by their tokens. */
  readonly attempts: Map<string, Activity>;
  dispatch(activity: Activity): void;
  cancelAttempt(token: string): void;
}

/**
 * An activity as the server keeps it: its timeouts, retries with their delays, heartbeat details that outlive their attempt,
 * cancellation and reset. Checked against docs.temporal.io/encyclopedia/detecting-activity-failures and the development server.
 */
export class Activity {
  readonly type: string;
  readonly scheduledAt: number;
  readonly heartbeatMs: number | undefined;
  attempt = 1;
  /** Of the running attempt. */
  token: string | undefined;
  details: Payload[] | undefined;
  lastFailure: Failure | undefined;
  /** When the attempt is due, and how long the wait for it is, in milliseconds. */
  nextAt = 0;
  delayMs = 0;
  isOver = false;
  /** Whether an attempt has started that its end is about. */
  hasStarted = false;
  #isCancelled = false;
  /** These cancel the wait for an attempt, and its timeouts. */
  #wait = () => {};
  #limit = () => {};
  #beat = () => {};
  #overall = () => {};

  /**
   * @param workflow of which it is a part
   * @param onEnd is called once, with its result
   * @throws for an option of activities that is not modelled
   */
  constructor(
    readonly scheduled: NonNullable<Commands['scheduleActivity']>,
    private readonly host: ActivityHost,
    private readonly onEnd: (end: coresdk.activity_result.IActivityResolution) => void,
    readonly workflow?: {
      readonly workflowType: string;
      readonly workflowExecution: { readonly workflowId: string; readonly runId: string };
    },
  ) {
    const { activityType, retryPolicy, cancellationType } = scheduled;
    if (retryPolicy?.nonRetryableErrorTypes?.length || cancellationType === ABANDON)
      throw new Error(`the simulated service lacks an option of ${activityType}`);
    this.type = activityType;
    this.scheduledAt = host.world.now;
    this.heartbeatMs = optionalTsToMs(scheduled.heartbeatTimeout);
    const withinMs = optionalTsToMs(scheduled.scheduleToCloseTimeout);
    if (withinMs) this.#overall = this.#after(withinMs, () => this.#timedOut('SCHEDULE_TO_CLOSE'));
    this.#schedule(0);
  }

  /** A worker takes the attempt. */
  start(): string {
    const { seq, activityId, startToCloseTimeout } = this.scheduled;
    this.hasStarted = true;
    this.#limit();
    // As on the server, an attempt has its number only, which a reset begins again: an older one may be taken for it.
    this.token = [this.workflow?.workflowExecution.runId ?? activityId, seq, this.attempt].join('/');
    this.host.attempts.set(this.token, this);
    this.#limit = this.#after(tsToMs(startToCloseTimeout), () => this.#timedOut('START_TO_CLOSE'));
    this.#watch();
    return this.token;
  }

  heartbeat(details?: Payload[]): { readonly cancelRequested: boolean } {
    this.details = details;
    this.#watch();
    return { cancelRequested: this.#isCancelled };
  }

  /** The running attempt reports its result. @param details of the last heartbeat, which a failure carries */
  report({ completed, failed, cancelled }: ActivityResult, details?: Payload[]): void {
    if (failed && details) this.details = details;
    this.#close();
    if (completed) this.#end({ completed });
    else if (cancelled) this.#end({ cancelled: { failure: this.#wrapped(cancelled.failure ?? {}) } });
    else this.#failed(failed?.failure ?? {});
  }

  /** The workflow cancels it. */
  requestCancel(): void {
    this.#isCancelled = true;
    const { token } = this;
    if (!token) this.hasStarted = false;
    // The server cancels an activity at once that waits for its next attempt.
    const isAtOnce = !token || this.scheduled.cancellationType !== WAIT_CANCELLATION_COMPLETED;
    if (isAtOnce) {
      this.#close();
      this.#end({ cancelled: { failure: this.#wrapped({ canceledFailureInfo: {} }) } });
    }
    // An attempt without heartbeats learns of it when it next talks to the server.
    if (token && (isAtOnce || this.heartbeatMs)) this.host.cancelAttempt(token);
  }

  /** An operator or a nudge retries it now. The server rejects the result of a running attempt. */
  reset(): void {
    this.attempt = 1;
    if (this.token) this.host.attempts.delete(this.token);
    else {
      this.#wait();
      this.#schedule(0);
    }
  }

  /** Its workflow has ended. */
  drop(): void {
    this.#wait();
    this.#close();
    this.#overall();
    this.isOver = true;
  }

  #after(milliseconds: number, run: () => void): () => void {
    return this.host.world.after(milliseconds, run, null);
  }

  #schedule(delayMs: number): void {
    this.delayMs = delayMs;
    this.nextAt = this.host.world.now + delayMs;
    this.#wait = this.#after(delayMs, () => this.host.dispatch(this));
    // As on the server, each attempt has this long from when it is due.
    const startMs = optionalTsToMs(this.scheduled.scheduleToStartTimeout);
    this.#limit();
    if (startMs) this.#limit = this.#after(delayMs + startMs, () => this.#timedOut('SCHEDULE_TO_START'));
  }

  #watch(): void {
    this.#beat();
    if (this.heartbeatMs) this.#beat = this.#after(this.heartbeatMs, () => this.#timedOut('HEARTBEAT'));
  }

  #close(): void {
    this.host.attempts.delete(this.token ?? '');
    this.token = undefined;
    this.#limit();
    this.#beat();
  }

  #timedOut(kind: 'START_TO_CLOSE' | 'HEARTBEAT' | 'SCHEDULE_TO_START' | 'SCHEDULE_TO_CLOSE'): void {
    this.#close();
    this.#wait();
    const timeoutFailureInfo = {
      timeoutType: TimeoutType[`TIMEOUT_TYPE_${kind}`],
      lastHeartbeatDetails: this.details ? { payloads: this.details } : null,
    };
    // Also after a request to cancel it: its workflow learns of the timeout, with the details of the last heartbeat.
    const isLast = kind.startsWith('SCHEDULE');
    this.#failed({ message: `activity ${kind} timeout`, timeoutFailureInfo }, isLast);
  }

  #failed(failure: Failure, isLast = false): void {
    this.lastFailure = failure;
    const { applicationFailureInfo: info, timeoutFailureInfo } = failure;
    const policy = decompileRetryPolicy(this.scheduled.retryPolicy) ?? {};
    const mayRetry = !this.#isCancelled && !info?.nonRetryable && (info ?? timeoutFailureInfo);
    if (isLast || !mayRetry || this.attempt === policy.maximumAttempts) {
      this.#end({ failed: { failure: this.#wrapped(failure) } });
      return;
    }
    const firstMs = Number(policy.initialInterval ?? 1_000);
    const backoffMs = firstMs * (policy.backoffCoefficient ?? 2) ** (this.attempt - 1);
    const longestMs = Number(policy.maximumInterval ?? 100 * firstMs);
    this.attempt += 1;
    this.#schedule(optionalTsToMs(info?.nextRetryDelay) || Math.min(backoffMs, longestMs));
  }

  /** As the workflow gets it: the cause, in a failure that names the activity. */
  #wrapped(cause: Failure): Failure {
    const { activityId } = this.scheduled;
    const activityFailureInfo = { activityId, activityType: { name: this.type }, identity: 'worker' };
    return { message: 'Activity task failed', cause, activityFailureInfo };
  }

  #end(end: coresdk.activity_result.IActivityResolution): void {
    this.#overall();
    this.isOver = true;
    this.onEnd(end);
  }
}
