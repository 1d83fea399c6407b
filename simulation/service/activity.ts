import { decompileRetryPolicy, type Payload } from '@temporalio/common';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { coresdk, temporal } from '@temporalio/proto';
import type { ActivityResult } from '../runtime.js';
import type { Run } from './run.js';
import type { Service } from './service.js';

export type Failure = temporal.api.failure.v1.IFailure;
type Scheduled = coresdk.workflow_commands.IScheduleActivity;

/** What a heartbeat tells the attempt. */
export interface Beat {
  readonly cancelRequested: boolean;
}

/** How an activity ended, as its workflow learns it. */
export type ActivityEnd = coresdk.activity_result.IActivityResolution;

const MINUTE = 60_000;

/**
 * An activity of a workflow as the server keeps it. Attempts have tokens, and only the running one may report. What is modelled:
 * start-to-close and heartbeat time-outs, retries with their delays, heartbeat details that outlive their attempt, cancellation
 * and reset. Checked against docs.temporal.io/encyclopedia/detecting-activity-failures and the development server.
 */
export class Activity {
  readonly id: string;
  readonly type: string;
  readonly queue: string;
  readonly args: readonly Payload[];
  readonly headers: Readonly<Record<string, Payload>>;
  readonly seq: number;
  readonly scheduledAt: number;
  attemptScheduledAt: number;
  attempt = 1;
  /** Of the running attempt. */
  token: string | undefined;
  details: readonly Payload[] | undefined;
  lastFailure: Failure | undefined;
  nextAt: number;
  /** How long the wait for the next attempt is, in milliseconds. */
  delayMs = 0;
  cancelRequested = false;
  isOver = false;
  #attempts = 0;
  #timers: (() => void)[] = [];
  #beat: (() => void) | undefined;
  #wait: () => void = () => {};

  constructor(
    readonly scheduled: Scheduled,
    readonly run: Run,
    private readonly host: Service,
  ) {
    const { seq, activityId, activityType, taskQueue, arguments: args, headers } = scheduled;
    this.seq = seq ?? 0;
    this.id = activityId ?? '';
    this.type = activityType ?? '';
    this.queue = taskQueue ?? '';
    this.args = (args ?? []) as Payload[];
    this.headers = (headers ?? {}) as Record<string, Payload>;
    this.scheduledAt = host.world.now;
    this.attemptScheduledAt = this.scheduledAt;
    this.nextAt = this.scheduledAt;
    const limit = ms(scheduled.scheduleToCloseTimeout);
    if (limit) host.world.after(limit, () => this.#timedOut('SCHEDULE_TO_CLOSE', false), null);
    this.#schedule(0);
  }

  get startToCloseMs(): number {
    return ms(this.scheduled.startToCloseTimeout) ?? 10 * MINUTE;
  }

  get heartbeatMs(): number | undefined {
    return ms(this.scheduled.heartbeatTimeout);
  }

  get hasStarted(): boolean {
    return this.#attempts > 0;
  }

  get isStarted(): boolean {
    return this.token !== undefined;
  }

  /** A worker takes the attempt. */
  start(): void {
    this.#attempts += 1;
    this.token = `${this.run.runId}/${this.seq}/${this.#attempts}`;
    this.#timers = [this.#after(this.startToCloseMs, () => this.#timedOut('START_TO_CLOSE', true))];
    this.#watch();
  }

  /** @returns undefined when the attempt is not the running one */
  heartbeat(token: string, details: readonly Payload[] | undefined): Beat | undefined {
    if (token !== this.token || this.isOver) return undefined;
    this.details = details;
    this.#watch();
    return { cancelRequested: this.cancelRequested };
  }

  /** An attempt reports its result. @returns false when it is not the running one */
  report(
    token: string,
    { completed, failed, cancelled }: ActivityResult,
    details: readonly Payload[] | undefined,
  ): boolean {
    if (token !== this.token || this.isOver) return false;
    if (failed && details) this.details = details;
    this.#close();
    if (completed) this.#end({ completed });
    else if (cancelled) this.#end({ cancelled: { failure: this.#wrapped(cancelled.failure ?? {}) } });
    else this.#failed(failed?.failure ?? {});
    return true;
  }

  /** The workflow cancels it. */
  requestCancel(): void {
    if (this.isOver || this.cancelRequested) return;
    this.cancelRequested = true;
    const { TRY_CANCEL, ABANDON } = { TRY_CANCEL: 0, ABANDON: 2 };
    const type = this.scheduled.cancellationType ?? TRY_CANCEL;
    // The server cancels an activity at once that waits for its next attempt.
    if (!this.isStarted || type === ABANDON || type === TRY_CANCEL) {
      const token = this.token;
      this.#close();
      this.#end({ cancelled: { failure: this.#wrapped({ canceledFailureInfo: {} }) } });
      if (token && type === TRY_CANCEL) this.host.cancelAttempt(token);
      return;
    }
    // An attempt without heartbeats learns of it when it next talks to the server.
    if (this.token && this.heartbeatMs) this.host.cancelAttempt(this.token);
  }

  /** An operator or a nudge retries it now. A running attempt loses its number, so that the server rejects its result. */
  reset(keepDetails: boolean): void {
    if (this.isOver) return;
    this.attempt = 1;
    if (!keepDetails) this.details = undefined;
    if (this.isStarted) {
      this.token = `${this.token}/reset`;
      return;
    }
    this.#wait();
    this.#schedule(0);
  }

  /** Its workflow has ended. */
  drop(): void {
    this.#close();
    this.#wait();
    this.isOver = true;
  }

  #after(milliseconds: number, run: () => void): () => void {
    return this.host.world.after(milliseconds, run, null);
  }

  #schedule(delayMs: number): void {
    this.delayMs = delayMs;
    this.nextAt = this.host.world.now + delayMs;
    this.#wait = this.#after(delayMs, () => {
      this.attemptScheduledAt = this.host.world.now;
      this.host.dispatch(this);
    });
  }

  #watch(): void {
    this.#beat?.();
    const limit = this.heartbeatMs;
    if (limit) this.#beat = this.#after(limit, () => this.#timedOut('HEARTBEAT', true));
  }

  #close(): void {
    this.token = undefined;
    this.#beat?.();
    this.#beat = undefined;
    for (const cancel of this.#timers) cancel();
  }

  #timedOut(kind: 'START_TO_CLOSE' | 'HEARTBEAT' | 'SCHEDULE_TO_CLOSE', mayRetry: boolean): void {
    if (this.isOver) return;
    this.#close();
    const timeoutType = { START_TO_CLOSE: 1, SCHEDULE_TO_CLOSE: 3, HEARTBEAT: 4 }[kind];
    const lastHeartbeatDetails = this.details && { payloads: [...this.details] };
    const timeout = { timeoutType, ...(lastHeartbeatDetails && { lastHeartbeatDetails }) };
    const failure: Failure = { message: `activity ${kind} timeout`, timeoutFailureInfo: timeout };
    // Also after a request to cancel it: its workflow learns of the time-out, with the details of the last heartbeat.
    if (mayRetry) this.#failed(failure);
    else {
      this.#wait();
      this.#end({ failed: { failure: this.#wrapped(failure) } });
    }
  }

  #failed(failure: Failure): void {
    this.lastFailure = failure;
    const delayMs = this.#retryDelay(failure);
    if (delayMs === undefined) {
      this.#end({ failed: { failure: this.#wrapped(failure) } });
      return;
    }
    this.attempt += 1;
    this.#schedule(delayMs);
  }

  #retryDelay({ applicationFailureInfo: info, ...failure }: Failure): number | undefined {
    if (this.cancelRequested || info?.nonRetryable) return undefined;
    if (!info && !failure.timeoutFailureInfo) return undefined;
    const policy = decompileRetryPolicy(this.scheduled.retryPolicy) ?? {};
    const { maximumAttempts = 0, nonRetryableErrorTypes = [], backoffCoefficient = 2 } = policy;
    if (maximumAttempts > 0 && this.attempt >= maximumAttempts) return undefined;
    if (nonRetryableErrorTypes.includes(info?.type ?? '')) return undefined;
    const asked = ms(info?.nextRetryDelay);
    if (asked) return asked;
    const initial = Number(policy.initialInterval ?? 1_000);
    const maximum = Number(policy.maximumInterval ?? initial * 100);
    return Math.min(initial * backoffCoefficient ** (this.attempt - 1), maximum);
  }

  /** As the workflow gets it: the cause, in a failure that names the activity. */
  #wrapped(cause: Failure): Failure {
    const activityFailureInfo = {
      ...{ activityId: this.id, activityType: { name: this.type }, identity: 'worker' },
      ...{ scheduledEventId: 0, startedEventId: 0, retryState: 0 },
    };
    return { message: 'Activity task failed', cause, activityFailureInfo } as unknown as Failure;
  }

  #end(end: ActivityEnd): void {
    this.isOver = true;
    this.run.activityEnded(this, end);
  }
}

export function ms(duration: unknown): number | undefined {
  return duration ? tsToMs(duration as Parameters<typeof tsToMs>[0]) : undefined;
}
