import { decompileRetryPolicy, type Payload } from '@temporalio/common';
import { optionalTsToMs, tsToMs } from '@temporalio/common/lib/time.js';
import proto, { type coresdk } from '@temporalio/proto';
import type { ActivityResult, Commands, Failure } from '../runtime.js';
import type { World } from '../world.js';

const { WAIT_CANCELLATION_COMPLETED, ABANDON } = proto.coresdk.workflow_commands.ActivityCancellationType;
const { TimeoutType, PendingActivityState } = proto.temporal.api.enums.v1;

const SCHEDULE_TIMEOUTS: readonly number[] = [
  TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_START,
  TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE,
];

/** The service, as its activities know it. */
export interface ActivityHost {
  readonly world: World;
  dispatch(activity: Activity): void;
  cancelAttempt(token: string): void;
}

/** What has activities: a run of a workflow, or an activity by itself. */
export interface Owner {
  readonly runId: string;
  readonly start: { readonly workflowId: string; readonly type: string };
  readonly activities: ReadonlyMap<number, Activity>;
  activityEnded(activity: Activity, end: coresdk.activity_result.IActivityResolution): void;
}

/**
 * An activity as the server keeps it. Attempts have tokens, and only the running one may report. What is modeled: its timeouts,
 * retries with their delays, heartbeat details that outlive their attempt, cancellation
 * and reset. Checked against docs.temporal.io/encyclopedia/detecting-activity-failures and the development server.
 */
export class Activity {
  readonly type: string;
  readonly scheduledAt: number;
  readonly startToCloseMs: number;
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
  #isCancelled = false;
  /** It is canceled between two attempts. */
  #endsBetween = false;
  #hasStarted = false;
  readonly #untilStartMs: number | undefined;
  /** These cancel the wait for an attempt, and its timeouts. */
  #wait = () => {};
  #limit = () => {};
  #beat = () => {};
  #overall = () => {};

  /** @throws for an option of activities that is not modelled */
  constructor(
    readonly scheduled: NonNullable<Commands['scheduleActivity']>,
    readonly run: Owner,
    private readonly host: ActivityHost,
  ) {
    const { activityType, retryPolicy, cancellationType } = scheduled;
    if (retryPolicy?.nonRetryableErrorTypes?.length || cancellationType === ABANDON)
      throw new Error(`the simulated service lacks an option of ${activityType}`);
    this.type = activityType;
    this.scheduledAt = host.world.now;
    this.startToCloseMs = tsToMs(scheduled.startToCloseTimeout);
    this.heartbeatMs = optionalTsToMs(scheduled.heartbeatTimeout);
    const { scheduleToStartTimeout, scheduleToCloseTimeout } = scheduled;
    const withinMs = optionalTsToMs(scheduleToCloseTimeout);
    if (withinMs) this.#overall = this.#after(withinMs, () => this.#timedOut('SCHEDULE_TO_CLOSE'));
    this.#untilStartMs = optionalTsToMs(scheduleToStartTimeout);
    this.#schedule(0);
  }

  /** Whether an attempt has started that its end is about. */
  get hasStarted(): boolean {
    return this.#hasStarted && !this.#endsBetween;
  }

  /** A worker takes the attempt. */
  start(): string {
    this.#hasStarted = true;
    this.#limit();
    // As on the server, an attempt has its number only, which a reset begins again: an older one may be taken for it.
    this.token = `${this.run.runId}/${this.scheduled.seq}/${this.attempt}`;
    this.#limit = this.#after(this.startToCloseMs, () => this.#timedOut('START_TO_CLOSE'));
    this.#watch();
    return this.token;
  }

  /** @returns undefined when the attempt is not the running one */
  heartbeat(token: string, details?: Payload[]): { readonly cancelRequested: boolean } | undefined {
    if (token !== this.token) return undefined;
    this.details = details;
    this.#watch();
    return { cancelRequested: this.#isCancelled };
  }

  /**
   * An attempt reports its result.
   *
   * @param details of the last heartbeat, which a failure carries
   * @returns false when it is not the running one
   */
  report(token: string, { completed, failed, cancelled }: ActivityResult, details?: Payload[]): boolean {
    if (token !== this.token) return false;
    if (failed && details) this.details = details;
    this.#close();
    if (completed) this.#end({ completed });
    else if (cancelled) this.#end({ cancelled: { failure: this.#wrapped(cancelled.failure ?? {}) } });
    else this.#failed(failed?.failure ?? {});
    return true;
  }

  /** The workflow cancels it. */
  requestCancel(): void {
    this.#isCancelled = true;
    const { token } = this;
    this.#endsBetween = !token;
    // The server cancels an activity at once that waits for its next attempt.
    const isAtOnce = !token || this.scheduled.cancellationType !== WAIT_CANCELLATION_COMPLETED;
    if (isAtOnce) {
      this.#close();
      this.#end({ cancelled: { failure: this.#wrapped({ canceledFailureInfo: {} }) } });
    }
    // An attempt without heartbeats learns of it when it next talks to the server.
    if (token && (isAtOnce || this.heartbeatMs)) this.host.cancelAttempt(token);
  }

  /** An operator or a nudge retries it now. A running attempt loses its number, so that the server rejects its result. */
  reset(): void {
    this.attempt = 1;
    if (this.token) {
      this.token += '/reset';
      return;
    }
    this.#wait();
    this.#schedule(0);
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
    const untilMs = this.#untilStartMs && delayMs + this.#untilStartMs;
    this.#limit();
    if (untilMs) this.#limit = this.#after(untilMs, () => this.#timedOut('SCHEDULE_TO_START'));
  }

  #watch(): void {
    this.#beat();
    if (this.heartbeatMs) this.#beat = this.#after(this.heartbeatMs, () => this.#timedOut('HEARTBEAT'));
  }

  #close(): void {
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
    this.#failed({ message: `activity ${kind} timeout`, timeoutFailureInfo });
  }

  #failed(failure: Failure): void {
    this.lastFailure = failure;
    const isLast = this.attempt === this.scheduled.retryPolicy?.maximumAttempts;
    const isLate = SCHEDULE_TIMEOUTS.includes(failure.timeoutFailureInfo?.timeoutType ?? 0);
    const delayMs = isLast || isLate ? undefined : this.#retryDelay(failure);
    if (delayMs === undefined) {
      this.#end({ failed: { failure: this.#wrapped(failure) } });
      return;
    }
    this.attempt += 1;
    this.#schedule(delayMs);
  }

  #retryDelay({ applicationFailureInfo: info, timeoutFailureInfo }: Failure): number | undefined {
    if (this.#isCancelled || info?.nonRetryable || !(info ?? timeoutFailureInfo)) return undefined;
    const question = optionalTsToMs(info?.nextRetryDelay);
    if (question) return question;
    const policy = decompileRetryPolicy(this.scheduled.retryPolicy) ?? {};
    const { initialInterval = 1_000, backoffCoefficient = 2 } = policy;
    const { maximumInterval = 100 * Number(initialInterval) } = policy;
    return Math.min(
      Number(initialInterval) * backoffCoefficient ** (this.attempt - 1),
      Number(maximumInterval),
    );
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
    this.run.activityEnded(this, end);
  }
}

export const stateOf = ({ token }: Activity) =>
  PendingActivityState[`PENDING_ACTIVITY_STATE_${token ? 'STARTED' : 'SCHEDULED'}`];
