/** The activity's half: an attempt records its intent, sends the request, and reports the outcome. */
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type Intent, type Sent, sentIn } from './intent.js';
import { type Permit, permitOf } from './permit.js';
import { IntentRecord, isRecorded, recordResponse } from './record.js';
import type { AtMostOnce, IntentRecorded } from './workflow.js';

export { reportOutcomes } from './record.js';

export interface SendOptions<Baseline> {
  readonly beforeSending: Permit;
  /** Aborts the call early enough to report its outcome before the attempt times out. */
  readonly signal: AbortSignal;
  /** Saves the caller's last read before the request, in the intent and, if the request was sent, in the failure. */
  readonly compareWith: (baseline: Baseline) => void;
}

/** Options of a request that may be repeated. They contain no permit, so a request that must be sent once does not compile. */
export interface RepeatableSendOptions extends Pick<SendOptions<object>, 'signal'> {
  readonly beforeSending: () => Promise<void>;
  /** An earlier attempt may have sent the request. */
  readonly mayHaveBeenSent: boolean;
}

/** Classifies the errors of a client, which the protocol does not know. */
export interface ClientErrors<Baseline> {
  /** Returns the outcome of a request that had its permit. `none`: provably no effect, and the request may succeed later. */
  readonly classify: (error: unknown) => 'none' | 'rejected' | 'uncertain';
  /** Returns the failure to report for a request that had its permit, or for a {@link MissingResponse}. */
  readonly toFailure: (error: unknown, retryable: boolean, sent?: Partial<Sent<Baseline>>) => unknown;
  /** Returns the failure to report for a call that failed before its permit, for example in a read. */
  readonly toUnsentFailure: (error: unknown) => unknown;
}

/** Makes the outcome uncertain: an earlier attempt left an intent without a response. The message says why. */
export class MissingResponse extends Error {}

/** The share of the start-to-close timeout that an attempt's calls may use. The rest is for the report. */
export const SHARE_OF_ATTEMPT = 0.75;

/** The time limit for the read after a write, in milliseconds. */
const READ_AFTER_MS = 10_000;

/** Returns the functions that send a write, for a client with these errors. */
export function atMostOnce<Baseline extends object>(errors: ClientErrors<Baseline>) {
  type Options = SendOptions<Baseline>;
  const send = <Result>(call: Call<Result, Baseline>, mayRepeat = false) => attempt(errors, call, mayRepeat);
  return {
    /**
     * Sends a write that must never be sent twice. The server may retry the activity without limit, because each attempt reads what
     * the previous one recorded.
     *
     * - No intent: nothing was sent, however the previous attempt ended. This attempt makes the call.
     * - An intent: the request may have taken effect. This attempt fails as uncertain, and the server does not retry it.
     * - If the request had no effect, the attempt withdraws its intent, and the server retries it.
     *
     * @param call makes the request with these options, and may read at the partner first
     */
    sendOnce: <Result>(call: (options: Options) => Promise<Result>): AtMostOnce<Result> =>
      asAtMostOnce(send(call)),

    /**
     * Like {@link sendOnce}, then reads the result back. If the worker dies during the read, the next attempt returns the recorded
     * response and reads again. `now` is absent if the read fails.
     */
    sendOnceThenRead: <Result extends object, Now>(
      call: (options: Options) => Promise<Result>,
      read: (result: Result, options: { readonly signal: AbortSignal }) => Promise<Now>,
    ): AtMostOnce<Result & { readonly now?: Now }> => asAtMostOnce(thenRead(() => send(call), read)),

    /**
     * Sends a write that leaves the same state however often it is sent. When it is canceled, its intent shows whether it may have
     * taken effect.
     *
     * @param mayRepeat whether to resend after an uncertain outcome; false for a request that works only once, as with a one-time
     *   code
     */
    sendRepeatably: <Result>(
      call: (options: RepeatableSendOptions) => Promise<Result>,
      mayRepeat = true,
    ): IntentRecorded<Result> => send(call, mayRepeat) as IntentRecorded<Result>,
  };
}

/** Hides from our own code that this is a promise. The SDK still awaits it at run time. */
function asAtMostOnce<Result>(response: Promise<Result>): AtMostOnce<Result> {
  return response as unknown as AtMostOnce<Result>;
}

/** Returns the response of a write that a person sends by hand and watches. */
export function awaitResponse<Result>(response: AtMostOnce<Result>): Promise<Result> {
  return response as unknown as Promise<Result>;
}

type Call<Result, Baseline> = (options: SendOptions<Baseline> & RepeatableSendOptions) => Promise<Result>;

// Keeps A2.
async function attempt<Result, Baseline extends object>(
  errors: ClientErrors<Baseline>,
  call: Call<Result, Baseline>,
  mayRepeat: boolean,
): Promise<Result> {
  const { heartbeatDetails, startToCloseTimeoutMs } = activityInfo();
  const earlier = heartbeatDetails as Intent<Baseline> | undefined;
  const mayHaveBeenSent = earlier?.sending ?? isResetWithoutIntent();
  if (mayHaveBeenSent && !mayRepeat) {
    // Restore the record that a reset removed: the next attempt needs it if this worker dies too.
    if (!earlier) await new IntentRecord(true).withdraw();
    const reason = earlier
      ? 'its worker stopped before the response was recorded'
      : 'it was reset together with its intent';
    throw errors.toFailure(new MissingResponse(reason), false, earlier && sentIn(earlier));
  }
  const intent = new IntentRecord<Baseline>(mayHaveBeenSent);
  const controller = new AbortController();
  const late = () => controller.abort(new DOMException('it took too long', 'TimeoutError'));
  const timer = setTimeout(late, startToCloseTimeoutMs * SHARE_OF_ATTEMPT).unref();
  try {
    return await call({
      beforeSending: permitOf(intent.record),
      compareWith: intent.compareWith,
      signal: controller.signal,
      mayHaveBeenSent,
    });
  } catch (error) {
    await intent.settled();
    if (intent.refusal) throw intent.refusal;
    const { sent } = intent;
    if (sent === undefined) {
      const failure = errors.toUnsentFailure(error);
      // Later attempts need to know that this one sent nothing.
      const isFinal = failure instanceof ApplicationFailure && failure.nonRetryable === true;
      if (!isFinal && earlier === undefined) await intent.withdraw();
      throw failure;
    }
    const outcome = errors.classify(error);
    if (outcome === 'uncertain') throw errors.toFailure(error, mayRepeat, sent);
    const { sentAt: _, ...baseline } = sent;
    if (outcome === 'rejected') throw errors.toFailure(error, false, baseline as Partial<Sent<Baseline>>);
    if (!mayHaveBeenSent) await intent.withdraw();
    throw errors.toFailure(error, true);
  } finally {
    clearTimeout(timer);
  }
}

async function thenRead<Result extends object, Now>(
  send: () => Promise<Result>,
  read: (result: Result, options: { readonly signal: AbortSignal }) => Promise<Now>,
): Promise<Result & { readonly now?: Now }> {
  const earlier = activityInfo().heartbeatDetails as Intent | undefined;
  const response = earlier?.response as Result | undefined;
  const result = response ?? (await send());
  const wasSent = isRecorded();
  if (!response && !wasSent) return result;
  try {
    if (wasSent) await recordResponse(result);
    const now = await read(result, { signal: AbortSignal.timeout(READ_AFTER_MS) });
    return now === undefined ? result : { ...result, now };
  } catch {
    return result;
  }
}

/**
 * Records that an attempt never began its write, so the next attempt knows that nothing was sent, even after a reset that keeps
 * heartbeat details.
 */
export async function recordUnsent(): Promise<void> {
  await new IntentRecord(isResetWithoutIntent()).withdraw();
}

/**
 * Reports whether an operator has reset the activity together with its heartbeat details, which removes the intent. The server then
 * numbers the attempts from 1 again. An intent can be lost only if at least one start-to-close timeout has passed since the
 * activity was scheduled, because only an attempt that timed out can have left one. If attempt 1 is scheduled again before that, no
 * intent is lost: the activity moved to another build, for example.
 */
function isResetWithoutIntent(): boolean {
  const { attempt, startToCloseTimeoutMs, ...info } = activityInfo();
  const laterMs = info.currentAttemptScheduledTimestampMs - info.scheduledTimestampMs;
  const mayHaveTimedOut = laterMs > 0 && laterMs >= startToCloseTimeoutMs - TIMER_SHIFT_MS;
  return attempt === 1 && mayHaveTimedOut;
}

/** How much too early the server's timers may fire, in milliseconds. */
const TIMER_SHIFT_MS = 1_000;
