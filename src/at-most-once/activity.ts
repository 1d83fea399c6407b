/** The activity's side: an attempt records its intent, sends, and reports its outcome. */
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type Intent, type Sent, sentIn } from './intent.js';
import { type Permit, permitOf } from './permit.js';
import { IntentRecord, isRecorded, recordResponse } from './record.js';
import type { AtMostOnce, IntentRecorded } from './workflow.js';

export { reportOutcomes } from './record.js';

export interface SendOptions<Baseline> {
  readonly beforeSending: Permit;
  /** Ends the call early enough to report its outcome before the attempt times out. */
  readonly signal: AbortSignal;
  /** Keeps what the caller found just before the request: the intent has it, and so has the failure, if the request was sent. */
  readonly compareWith: (baseline: Baseline) => void;
  /** What the caller found just before an earlier request that was refused, and may have been saved: see {@link atMostOnce}. */
  readonly refused?: Sent<Baseline>;
}

/** Options of a request that may be repeated. They permit no request that must be sent once. */
export interface RepeatableSendOptions extends Pick<SendOptions<object>, 'signal'> {
  readonly beforeSending: () => Promise<void>;
  /** An earlier attempt may have sent the request. */
  readonly mayHaveBeenSent: boolean;
}

/** Classifies the errors of a client. The protocol itself knows none of them. */
export interface ClientErrors<Baseline> {
  /**
   * The outcome of a request that had its permit, as far as the error tells. `none`: it had no effect, and may succeed later.
   * `refused`: the same, if the partner is to be believed, but nothing proves it.
   */
  readonly classify: (error: unknown) => 'none' | 'refused' | 'rejected' | 'uncertain';
  /** The failure that the activity reports for a request that had its permit, or for a {@link MissingResponse}. */
  readonly toFailure: (error: unknown, retryable: boolean, sent?: Partial<Sent<Baseline>>) => unknown;
  /** The failure that the activity reports when the call ended before its permit, as after a failed read. */
  readonly toUnsentFailure: (error: unknown) => unknown;
}

/**
 * An earlier attempt recorded an intent and no response, or the call that looks first sees a change: the outcome is uncertain. The
 * message is the reason.
 */
export class MissingResponse extends Error {}

/** The share of the start-to-close timeout that the calls of an attempt may use. The rest is reserved for the report. */
export const SHARE_OF_ATTEMPT = 0.75;

/** The time limit for the read after a write, in milliseconds. */
const READ_AFTER_MS = 10_000;

/** The functions that send a write, for a client with these errors. */
export function atMostOnce<Baseline extends object>(errors: ClientErrors<Baseline>) {
  type Options = SendOptions<Baseline>;
  const send = <Result>(call: Call<Result, Baseline>, repeats: Repeats = {}) =>
    attempt(errors, call, repeats);
  return {
    /**
     * Sends a write that must not be repeated once it was sent. The server may retry the activity without limit: each attempt reads
     * what the previous one recorded.
     *
     * - No intent: nothing was sent, however that attempt ended. The call is made.
     * - An intent: the request may have taken effect. The attempt fails as uncertain and is not retried.
     * - An attempt whose request had no effect withdraws its intent, and is retried.
     * - A request that was refused, and may have been saved: the attempt fails as uncertain, too, unless the call looks first.
     *
     * @param call makes the call with these options; may read at the partner before it
     * @param looksFirst with `refused` in its options, the call sends only after a read that shows no effect of that request
     */
    sendOnce: <Result>(
      call: (options: Options) => Promise<Result>,
      { looksFirst }: Pick<Repeats, 'looksFirst'> = {},
    ): AtMostOnce<Result> => asAtMostOnce(send(call, { looksFirst })),

    /**
     * {@link sendOnce}, and then reads the result back. If the worker dies during the read, the next attempt returns the recorded
     * response and reads again. Without a result of the read, `now` is absent.
     */
    sendOnceThenRead: <Result extends object, Now>(
      call: (options: Options) => Promise<Result>,
      read: (result: Result, options: { readonly signal: AbortSignal }) => Promise<Now>,
      { looksFirst }: Pick<Repeats, 'looksFirst'> = {},
    ): AtMostOnce<Result & { readonly now?: Now }> =>
      asAtMostOnce(thenRead(() => send(call, { looksFirst }), read)),

    /**
     * Sends a write that leaves the same state however often it is sent. When it is canceled, its intent shows whether it may have
     * taken effect.
     *
     * @param mayRepeat sends it again after an uncertain outcome; false for a request that works once, as with a one-time code
     */
    sendRepeatably: <Result>(
      call: (options: RepeatableSendOptions) => Promise<Result>,
      mayRepeat = true,
    ): IntentRecorded<Result> => send(call, { mayRepeat }) as IntentRecorded<Result>,
  };
}

/** At run time this is still a promise, which the SDK awaits. The type hides that from our own code. */
function asAtMostOnce<Result>(response: Promise<Result>): AtMostOnce<Result> {
  return response as unknown as AtMostOnce<Result>;
}

/** The response of a write that a person sends by hand, and whose outcome they watch. */
export function awaitResponse<Result>(response: AtMostOnce<Result>): Promise<Result> {
  return response as unknown as Promise<Result>;
}

/** After which outcomes a write is sent again. */
export interface Repeats {
  readonly mayRepeat?: boolean;
  readonly looksFirst?: boolean | undefined;
}

type Call<Result, Baseline> = (options: SendOptions<Baseline> & RepeatableSendOptions) => Promise<Result>;

// Keeps A2.
async function attempt<Result, Baseline extends object>(
  errors: ClientErrors<Baseline>,
  call: Call<Result, Baseline>,
  { mayRepeat = false, looksFirst = false }: Repeats,
): Promise<Result> {
  const { heartbeatDetails, startToCloseTimeoutMs } = activityInfo();
  const earlier = heartbeatDetails as Intent<Baseline> | undefined;
  const mayHaveBeenSent = earlier?.sending ?? isResetWithoutIntent();
  if (mayHaveBeenSent && !mayRepeat) {
    // Records again what a reset has removed, because the next attempt needs it if this worker dies as well.
    if (!earlier) await new IntentRecord(true).withdraw();
    const reason = earlier
      ? 'its worker stopped before the response was recorded'
      : 'it was reset together with its intent';
    throw errors.toFailure(new MissingResponse(reason), false, earlier && sentIn(earlier));
  }
  const refused = earlier?.refused && earlier;
  const intent = new IntentRecord<Baseline>(mayHaveBeenSent, refused);
  const controller = new AbortController();
  const late = () => controller.abort(new DOMException('it took too long', 'TimeoutError'));
  const timer = setTimeout(late, startToCloseTimeoutMs * SHARE_OF_ATTEMPT).unref();
  try {
    return await call({
      beforeSending: permitOf(intent.record),
      compareWith: intent.compareWith,
      signal: controller.signal,
      mayHaveBeenSent,
      ...(refused && { refused: sentIn(refused) }),
    });
  } catch (error) {
    if (error instanceof MissingResponse) throw errors.toFailure(error, false, refused && sentIn(refused));
    await intent.settled();
    if (intent.refusal) throw intent.refusal;
    const { sent } = intent;
    if (sent === undefined) {
      const failure = errors.toUnsentFailure(error);
      // Later attempts need the record that this one sent nothing.
      const isFinal = failure instanceof ApplicationFailure && failure.nonRetryable === true;
      if (!isFinal && earlier === undefined) await intent.withdraw();
      throw failure;
    }
    const outcome = errors.classify(error);
    const isRefused = outcome === 'refused' && !mayRepeat;
    if (outcome === 'uncertain' || (isRefused && !looksFirst)) throw errors.toFailure(error, mayRepeat, sent);
    const { sentAt: _, ...baseline } = sent;
    if (outcome === 'rejected') throw errors.toFailure(error, false, baseline as Partial<Sent<Baseline>>);
    if (!mayHaveBeenSent) await intent.withdraw(isRefused);
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
 * Records that an attempt never began its write. The next attempt then knows that nothing was sent, even after a reset that keeps
 * heartbeat details.
 */
export async function recordUnsent(): Promise<void> {
  await new IntentRecord(isResetWithoutIntent()).withdraw();
}

/**
 * Reports whether an operator has reset the activity together with its heartbeat details, which removes the intent. The server then
 * numbers the attempts from 1 again. An intent can be lost only if at least one start-to-close timeout has passed since the activity
 * was scheduled, because only an attempt that timed out can have left one. An attempt 1 that is scheduled again before that has lost
 * none: it was moved to another build, for example.
 */
function isResetWithoutIntent(): boolean {
  const { attempt, startToCloseTimeoutMs, ...info } = activityInfo();
  const laterMs = info.currentAttemptScheduledTimestampMs - info.scheduledTimestampMs;
  const mayHaveTimedOut = laterMs > 0 && laterMs >= startToCloseTimeoutMs - TIMER_SHIFT_MS;
  return attempt === 1 && mayHaveTimedOut;
}

/** The server's timers may fire too early by this much, in milliseconds. */
const TIMER_SHIFT_MS = 1_000;
