import { activityInfo, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Mark, Once } from '../messages/activities.js';
import { problemText } from '../partners/bounds.js';
import { type OncePermit, permitOf } from '../partners/once.js';
import { isRefusedAtTheDoor, PartnerError } from '../partners/partner-error.js';
import { Deadline } from '../platform/http/deadline.js';
import { asFailure, awaitsPermission, isRetryable } from './failures.js';
import { type Before, isStopRequest, Marks, marked, record, type Sent } from './marks.js';

interface WriteOptions {
  readonly beforeSending: OncePermit;
  /** Ends the call early enough to report its outcome before the attempt times out. */
  readonly signal: AbortSignal;
  /** Stores what the partner had just before the write. The mark, and the failure of what was sent, then contain it. */
  readonly compareWith: (before: Before) => void;
  readonly mayHaveBeenSent: boolean;
}

export type OnceWriteOptions = Omit<WriteOptions, 'mayHaveBeenSent'>;

/** Options of a call that may be repeated. Its mark permits no once-only operation. */
export interface RepeatableWriteOptions extends Pick<WriteOptions, 'signal' | 'mayHaveBeenSent'> {
  readonly beforeSending: () => Promise<void>;
}

/** The share of the start-to-close timeout that the calls of an attempt may use. The rest is reserved for the report. */
export const SHARE_OF_ATTEMPT = 0.75;

// Keeps W2.
/**
 * Makes the call of a once-only operation, which must not be repeated once it was sent. The server may retry the activity without
 * limit, because each attempt records a durable mark after its connection is established and before its first byte, and reads
 * the mark of the attempt before it:
 *
 * - No mark: nothing was sent, however that attempt ended. The call is made.
 * - A mark: the request may have taken effect. The attempt fails as `Uncertain` and is not retried.
 * - An attempt whose request had no effect (`NotSent`, `RateLimited`, refused credentials, a missing permission) clears its mark
 *   and is retried.
 *
 * The server rejects the mark of an attempt that it has given up on, so such an attempt sends nothing. `reportsWrites`
 * (marks.ts) reports the result of an attempt that has sent, because the SDK's own report gives up after some seconds without a connection.
 *
 * @param send makes the call with these options; may read at the partner before it
 * @throws {ApplicationFailure} `PartnerError`, not retryable when it is `Uncertain` or `Rejected`
 */
export function writeOnce<Result>(send: (options: OnceWriteOptions) => Promise<Result>): Once<Result> {
  return asOnce(attemptWrite(send, false));
}

/**
 * Makes a write that leaves the same state however often it is made, so it is sent again after an unknown result, except a single
 * call such as one with a one-time code. When it is canceled, its mark shows whether it may have taken effect.
 */
export function writeRepeatably<Result>(
  send: (options: RepeatableWriteOptions) => Promise<Result>,
  mayRepeat = true,
): Promise<Result> {
  return attemptWrite(send, mayRepeat);
}

/** At run time this is still a promise, which the SDK awaits. The type hides that from our own code. */
function asOnce<Result>(response: Promise<Result>): Once<Result> {
  return response as unknown as Once<Result>;
}

/** The response of a once-only write that a person sends by hand, and whose outcome they watch. */
export function watched<Result>(response: Once<Result>): Promise<Result> {
  return response as unknown as Promise<Result>;
}

// Keeps W1.
async function attemptWrite<Result>(
  send: (options: WriteOptions) => Promise<Result>,
  mayRepeat: boolean,
): Promise<Result> {
  const { heartbeatDetails, activityType, startToCloseTimeoutMs, attempt } = activityInfo();
  const earlier = heartbeatDetails as Mark | undefined;
  const mayHaveBeenSent = earlier?.sending ?? isResetWithoutMarks();
  if (mayHaveBeenSent && !mayRepeat) throw lost(activityType, earlier);

  const marks = new Marks(mayHaveBeenSent);
  const deadline = new Deadline({ ms: startToCloseTimeoutMs * SHARE_OF_ATTEMPT });
  try {
    return await send({
      beforeSending: permitOf(marks.set),
      compareWith: marks.compareWith,
      signal: deadline.signal,
      mayHaveBeenSent,
    });
  } catch (error) {
    await marks.afterSetting();
    if (marks.refusal) throw marks.refusal;
    const mark = marks.sent;
    if (mark === undefined) {
      const failure = notSent(error, attempt);
      // Later attempts need the record that this one sent nothing.
      const isFinal = failure instanceof ApplicationFailure && failure.nonRetryable === true;
      if (!isFinal && earlier === undefined) await marks.clear();
      throw failure;
    }
    if (!(error instanceof PartnerError)) {
      const reason = error instanceof Error ? error.name : 'unknown';
      throw uncertain(activityType, reason, mark);
    }
    if (error.kind === 'Uncertain') throw asFailure(error, mayRepeat, mark);
    const { sentAt: _, ...before } = mark;
    if (!isSafeToResend(error) && !awaitsPermission(error)) throw asFailure(error, false, before);
    if (!mayHaveBeenSent) await marks.clear();
    throw asFailure(error, true);
  } finally {
    deadline.release();
  }
}

/**
 * {@link writeOnce}, and then reads the result back. Before the read, the response takes the place of the mark: if the worker
 * dies during the read, the next attempt returns that response and reads again. Without a result of the read, `now` is absent.
 */
export function writeOnceThenRead<Result extends object, Now>(
  send: (options: OnceWriteOptions) => Promise<Result>,
  read: (result: Result, options: { readonly signal: AbortSignal }) => Promise<Now>,
): Once<Result & { readonly now?: Now }> {
  const sentAndRead = async () => {
    const earlier = activityInfo().heartbeatDetails as Mark | undefined;
    const response = earlier?.response as Result | undefined;
    const result = response ?? (await attemptWrite(send, false));
    const wasSent = marked.has(Context.current());
    if (!response && !wasSent) return result;
    try {
      if (wasSent) await recordResponse(result);
      const now = await read(result, { signal: AbortSignal.timeout(READ_AFTER_MS) });
      return now === undefined ? result : { ...result, now };
    } catch {
      return result;
    }
  };
  return asOnce(sentAndRead());
}

/** The server has the response even if it asks the attempt to end: what was written still needs its read. */
async function recordResponse(response: object): Promise<void> {
  await record({ sending: true, sentAt: new Date().toISOString(), response }).catch((error: unknown) => {
    if (!isStopRequest(error)) throw error;
  });
}

/** The time limit for the read after a write, in milliseconds. The status poll reads later in any case. */
const READ_AFTER_MS = 10_000;

/**
 * Records a cleared mark for an attempt that never started its write. The next attempt then knows that nothing was sent, even after a
 * reset that keeps heartbeat details.
 */
export async function leaveUnsent(): Promise<void> {
  await new Marks(isResetWithoutMarks()).clear();
}

/** The request had no effect at the partner, and may succeed later. */
function isSafeToResend({ kind, details }: PartnerError): boolean {
  return kind === 'NotSent' || kind === 'RateLimited' || isRefusedAtTheDoor(details);
}

/** The write was not sent: something before it failed, such as a read or the sign-in. */
function notSent(error: unknown, attempt: number): unknown {
  if (!(error instanceof PartnerError)) return error;
  const retryable = isRetryable(error, attempt, true);
  return asFailure(retryable ? error : namingRead(error), retryable);
}

/**
 * Without a mark, an HTTP status can only come from a read before the write. Its problems get no field names, because no correction of
 * the write fixes them.
 */
function namingRead(error: PartnerError): PartnerError {
  const { operation, status, fields } = error.details;
  if (status === undefined) return error;
  const message = `not sent, because the preceding ${operation} failed (HTTP ${status})`;
  const problems = fields.map((problem) => ({ field: '', message: problemText(problem) }));
  return new PartnerError({ ...error.details, fields: [{ field: '', message }, ...problems] });
}

/**
 * Reports whether an operator has reset the activity together with its heartbeat details, which removes marks. The server then
 * numbers the attempts from 1 again. A mark can be lost only if at least one start-to-close timeout has passed since the activity was
 * scheduled, because only an attempt that timed out can have left one. An attempt 1 that was scheduled sooner was moved to another
 * build, for example.
 */
function isResetWithoutMarks(): boolean {
  const { attempt, startToCloseTimeoutMs, ...info } = activityInfo();
  const laterMs = info.currentAttemptScheduledTimestampMs - info.scheduledTimestampMs;
  const mayHaveTimedOut = laterMs > 0 && laterMs >= startToCloseTimeoutMs - TIMER_SHIFT_MS;
  return attempt === 1 && mayHaveTimedOut;
}

/** The server's timers may fire this early, in milliseconds. */
const TIMER_SHIFT_MS = 1_000;

function lost(operation: string, mark: Mark | undefined): ApplicationFailure {
  const { sending: _, response: __, ...before } = mark ?? {};
  const reason =
    mark === undefined
      ? 'it was reset together with its marks'
      : 'its worker stopped before the response was recorded';
  return uncertain(operation, reason, before);
}

function uncertain(operation: string, reason: string, before: Partial<Sent>): ApplicationFailure {
  const details = { system: 'gangway', operation, kind: 'Uncertain', fields: [], reason } as const;
  return asFailure(new PartnerError(details), false, before);
}
