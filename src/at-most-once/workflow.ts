/** The workflow's half: activity options and proxies, the outcome of a request, and how to resolve it. */
import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { ActivityCancellationType, type ActivityOptions } from '@temporalio/workflow';
import { type Intent, sentIn, UNSENT } from './intent.js';

declare const sentOnce: unique symbol;
declare const recordsIntent: unique symbol;

/** The result of an activity that sends a write at most once. `sendOnce()` returns it, and only {@link SendOnce} unwraps it. */
export interface AtMostOnce<Response> {
  readonly [sentOnce]: Response;
}

/** The result of an activity that records its intent but may repeat its write. Only `sendRepeatably()` returns it. */
export type IntentRecorded<Response> = Promise<Response> & { readonly [recordsIntent]: true };

type Writes = AtMostOnce<unknown> | IntentRecorded<unknown>;

/** The names of the activities that record an intent. */
export type WriteNames<Activities> = {
  [Name in keyof Activities]: Activities[Name] extends (request: never) => Writes ? Name : never;
}[keyof Activities];

/** The time limit of an attempt, in milliseconds. */
export const ATTEMPT_MS = 120_000;

/**
 * Options of an activity that records its intent. They have no heartbeat timeout, because it would let attempts overlap, and could
 * fire on a busy machine while the partner responds. Cancellation stops a request that was not sent; a sent one runs to its end, so
 * its outcome is known.
 */
export interface WriteOptions extends ActivityOptions {
  readonly cancellationType: typeof ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;
  readonly heartbeatTimeout?: never;
}

/** The server may retry without limit while nothing was sent. */
export const AT_MOST_ONCE: WriteOptions = {
  startToCloseTimeout: ATTEMPT_MS,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

export type OptionsOf<Activity> = Activity extends (request: never) => Writes
  ? WriteOptions
  : ActivityOptions;

declare const cannotBeCalled: unique symbol;

/** The proxy of an activity that sends a write at most once. It cannot be called directly: pass it to {@link sendOnce}. */
export interface AtMostOnceProxy<Request, Response> {
  readonly [cannotBeCalled]: (request: Request) => Response;
}

type ProxyOf<Activity> = Activity extends (request: infer Request) => AtMostOnce<infer Response>
  ? AtMostOnceProxy<Request, Response>
  : Activity;

export type ProxiesOf<Activities> = { readonly [Name in keyof Activities]: ProxyOf<Activities[Name]> };

export type SendOnce = <Request, Response>(
  activity: AtMostOnceProxy<Request, Response>,
  request: Request,
) => Promise<Response>;

const sendOnce: SendOnce = (activity, request) =>
  (activity as unknown as (input: typeof request) => ReturnType<typeof sendOnce>)(request) as never;

/** The outcome of one request. */
export type Outcome<Result, Failure> =
  | { readonly is: 'done'; readonly result: Result }
  | { readonly is: 'rejected' | 'forbidden' | 'uncertain'; readonly failure: Failure };

/** The result of a write that took effect, by evidence or by a person's word. */
export type Proof<Result> = { readonly result: Result } | undefined;

interface Resolved<Result> {
  readonly result: Result;
  /** The ID that a person confirmed. */
  readonly confirmedId?: string;
}

export type NextStep<Result> = Resolved<Result> | 'again';

declare const byPerson: unique symbol;

/** The decision about an uncertain outcome. Only {@link resolveUncertainWrite} returns `again`, which only a person decides. */
export type Verdict<Result> = Resolved<Result> | ('again' & { readonly [byPerson]: true });

/** A write, and a handler for each outcome of a request. */
export interface Write<Result, Failure> {
  /** Sends the request. The first call may instead return the outcome of an earlier request. */
  readonly send: (sendOnce: SendOnce, isFirst: boolean) => Promise<Outcome<Result, Failure>>;
  readonly rejected: (failure: Failure) => Promise<NextStep<Result>>;
  readonly forbidden: (failure: Failure) => Promise<NextStep<Result>>;
  readonly uncertain: (failure: Failure) => Promise<Verdict<Result>>;
}

/** Sends a write until a response, evidence or a person decides its outcome. */
export async function sendUntilResolved<Result, Failure>(write: Write<Result, Failure>): Promise<Result> {
  for (let isFirst = true; ; isFirst = false) {
    const outcome = await write.send(sendOnce, isFirst);
    if (outcome.is === 'done') return outcome.result;
    const nextStep = await write[outcome.is](outcome.failure);
    if (typeof nextStep === 'object') return nextStep.result;
  }
}

/** A write that is superseded for now, for example because the partner has decided. Meanwhile, no person is asked about it. */
interface Supersession {
  readonly isSuperseded: () => boolean;
  readonly untilNeeded: () => Promise<void>;
}

/** A question to a person about a write. */
export type WriteQuestion<Result> = Question<Result> &
  (Supersession | { isSuperseded?: never; untilNeeded?: never });

interface Question<Result> {
  /** Evidence from elsewhere, such as a background read. */
  readonly evidence: () => Proof<Result>;
  /** Asks a person. May return without an answer once `isOver`. `refused` is why the last ID was not accepted. */
  readonly ask: (
    refused: string,
    isOver: () => boolean,
  ) => Promise<{ readonly confirm: string } | 'again' | undefined>;
  /** Returns the result for the ID that a person enters, or why that ID is refused. */
  readonly confirm: (id: string) => Promise<{ readonly result: Result } | { readonly refused: string }>;
}

// Keeps A5.
/** Asks about a write until evidence shows its effect, or a person confirms it or says to send it again. */
export async function resolveUncertainWrite<Result>(
  question: WriteQuestion<Result>,
): Promise<Verdict<Result>> {
  const { evidence, isSuperseded = () => false } = question;
  const isOver = () => evidence() !== undefined || isSuperseded();
  for (let refused = ''; ; ) {
    const answer = isOver() ? undefined : await question.ask(refused, isOver);
    const evidenced = evidence();
    if (evidenced) return evidenced;
    if (typeof answer === 'object') {
      const confirmation = await question.confirm(answer.confirm);
      if ('result' in confirmation) return { ...confirmation, confirmedId: answer.confirm };
      refused = confirmation.refused;
    } else if (isSuperseded()) await question.untilNeeded?.();
    else if (answer === 'again') return answer as Verdict<Result>;
  }
}

/**
 * Reads the outcome of a request from the cause of an activity's failure, if the attempt did not report it. The server does not
 * retry an attempt that ends or times out during a cancellation. Its intent then shows whether the request was sent.
 *
 * @returns undefined if the attempt reported the outcome itself, or failed for another reason
 */
export function outcomeFromFailure(cause: unknown) {
  if (cause instanceof ApplicationFailure && Object.values<unknown>(UNSENT).includes(cause.type))
    return { outcome: 'none', reason: cause.message } as const;
  if (!(cause instanceof TimeoutFailure)) return undefined;
  const intent = cause.lastHeartbeatDetails as Intent | undefined;
  const reason = 'the attempt timed out';
  if (!intent?.sending) return { outcome: 'none', reason } as const;
  return { outcome: 'uncertain', reason, sent: sentIn(intent) } as const;
}
