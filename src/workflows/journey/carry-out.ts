import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';
import type { UnfinishedWrite } from '../../messages/onboarding-state.js';
import type { Answer, DocumentRef } from '../../messages/requirements.js';
import type { FieldProblem, PartnerErrorDetails } from '../../partners/partner-error.js';
import { count } from './count.js';
import type { Journey } from './journey.js';
import { masked } from './masked.js';
import { partnerFailure } from './partner-failure.js';

/** One step at a partner, and what to do when it does not go through. */
export interface Step<Result> {
  /** What is being done, for people: `create the merchant`. */
  readonly title: string;
  /** Runs before each attempt; may ask a person and be cancelled. */
  readonly prepare?: () => Promise<void>;
  readonly run: () => Promise<Result>;
  /** Lays a person's correction over the input of the next `run`. Without it a rejection takes no correction. */
  readonly correct?: (patch: Readonly<Record<string, unknown>>) => void;
  /** Replaces the document of the next `run`. Without it a rejection takes no other document. */
  readonly replace?: (document: DocumentRef) => void;
  /** It waits for a change, however long that takes. */
  readonly waits?: true;
  /** A rejection ends it: {@link RejectedByPartner}. */
  readonly endsWhenRejected?: true;
  /** A write that may be repeated. When it is cancelled in flight, it is kept what became of it. */
  readonly repeats?: true;
  /** Present on writes without an idempotency key. Their `run` sends at most once (activities/write.ts). */
  readonly once?: OnceOnly<Result>;
}

/** How the outcome of a write is found when nobody knows it. */
export interface OnceOnly<Result> {
  /** Why it may have been done before this workflow began: it is then in doubt from the beginning. */
  readonly mayBeDone?: string | undefined;
  /**
   * Looks at the partner for evidence that this write took effect, which nothing else explains; undefined when there is none.
   *
   * @param wasInDoubt false when the write was rejected, and no earlier attempt of it is in doubt
   * @param baseline what its activity read just before the first attempt that is in doubt, if it did
   */
  readonly lookForEffect?: (
    wasInDoubt: boolean,
    baseline: readonly number[] | undefined,
  ) => Promise<{ found: Result } | undefined>;
  /** The same evidence, in what the partner showed meanwhile; looked at while a person is asked. */
  readonly effectSeen?: () => { found: Result } | undefined;
  /**
   * The result, from the id that a person gives.
   *
   * @throws {RejectedByPartner} when it cannot be that id, so that the person is asked again
   */
  readonly adopt: (id: string) => Result | Promise<Result>;
  /** What the id of `adopt` looks like: digits, unless it says `text`. */
  readonly idFormat?: 'text';
  /** What a person should look for before answering. */
  readonly hint: string;
}

/** Thrown where a rejection ends what was to be done, and by a `run` whose response says no in its body. */
export class RejectedByPartner extends Error {
  override readonly name = 'RejectedByPartner';
  constructor(
    readonly problems: readonly FieldProblem[],
    /** HTTP status, when there was a response. */
    readonly status?: number,
  ) {
    super(describeProblems(problems));
  }
}

/**
 * Carries out a step, for as long as it takes: asks a person for corrections and decisions, and never repeats a write
 * blindly. Waiting for a partner that is unavailable, or that refuses our credentials, is the server's: its retries write no
 * history.
 *
 * @throws {Abandoned} when a person gives up
 * @throws {RejectedByPartner} when the step ends with a rejection
 * @throws {CancelledFailure} when the step is cancelled; a write that was in flight is seen through first
 */
export async function runStep<Result>(journey: Journey, step: Step<Result>): Promise<Result> {
  let doubt: Doubt | undefined;
  if (step.once?.mayBeDone !== undefined) {
    await step.prepare?.();
    doubt = { baseline: [] };
    const failure = mayBeDone(step.title, step.once.mayBeDone);
    const settled = await settleUncertain(journey, step, step.once, failure, doubt);
    if (settled !== 'again') return settled.result;
  }
  for (;;) {
    await step.prepare?.();
    // What follows a write that was seen through begins no other.
    if (CancellationScope.current().consideredCancelled)
      throw new CancelledFailure('cancelled before it began');
    const attempt = await attempted(journey, step);
    if ('result' in attempt) return attempt.result;
    const { failure } = attempt;
    switch (failure.kind) {
      case 'Rejected': {
        // What was asked for may be there already, done by an earlier call or by someone else.
        const effect = await adoptedEffect(journey, step, doubt);
        if (effect) return effect.found;
        if (step.endsWhenRejected) throw new RejectedByPartner(failure.fields, failure.status);
        await askForCorrection(journey, step, failure.fields, () => step.once?.effectSeen?.() !== undefined);
        const seen = step.once?.effectSeen?.();
        if (seen) return seen.found;
        break;
      }
      case 'Forbidden':
        await askForPermission(journey, step, failure);
        break;
      default: {
        // Of everything else the server retries what is not an unknown outcome.
        if (!step.once) throw new Error(`${step.title}: unexpected ${failure.kind}`);
        doubt ??= failure;
        const settled = await settleUncertain(journey, step, step.once, failure, doubt);
        if (settled !== 'again') return settled.result;
      }
    }
  }
}

function mayBeDone(operation: string, reason: string): PartnerErrorDetails {
  return { system: 'gangway', operation, kind: 'Uncertain', fields: [], reason };
}

/** The first attempt of a write whose outcome is not known. */
type Doubt = Pick<PartnerErrorDetails, 'baseline'>;

/** Makes one attempt. Of a write that was cancelled while in flight, it is kept what became of it. */
async function attempted<Result>(
  journey: Journey,
  step: Step<Result>,
): Promise<{ result: Result } | { failure: PartnerErrorDetails }> {
  const ended = (became: UnfinishedWrite['became']) => {
    const wasOvertaken = CancellationScope.current().consideredCancelled;
    if ((step.once || step.repeats) && wasOvertaken) journey.overtaken(step.title, became);
    return wasOvertaken;
  };
  const gotOn = step.waits ? () => undefined : journey.patience.begin(step.title);
  try {
    const result = await step.run();
    tellOfWarnings(journey, step.title, result);
    ended('done');
    return { result };
  } catch (error) {
    if (isCancellation(error)) {
      // Of a write that may be repeated, an attempt before the one that was not made may have taken effect.
      ended(step.repeats ? 'unknown' : 'not-sent');
      throw error;
    }
    const failure = error instanceof RejectedByPartner ? rejection(step, error) : partnerFailure(error);
    const became =
      failure.kind === 'Uncertain' ? 'unknown' : failure.kind === 'Rejected' ? 'rejected' : 'not-sent';
    if (ended(became)) throw new CancelledFailure('cancelled while it was in flight');
    return { failure };
  } finally {
    gotOn();
  }
}

/** A warning of the partner fails nothing, and is kept for people. */
function tellOfWarnings(journey: Journey, title: string, result: unknown): void {
  const { warnings = [] } = (result ?? {}) as { readonly warnings?: readonly string[] };
  for (const warning of warnings)
    journey.timeline.add('partner-warned', { detail: `${title}: ${masked(warning)}` });
}

function rejection({ title }: Step<unknown>, { problems, message }: RejectedByPartner): PartnerErrorDetails {
  return { system: 'gangway', operation: title, kind: 'Rejected', fields: problems, reason: message };
}

/**
 * Asks a person to correct what the partner, or our own check, rejected. Nothing happened at the partner.
 *
 * @returns false when the question became moot before it was answered
 */
export async function askForCorrection(
  journey: Journey,
  { title, correct, replace }: Pick<Step<unknown>, 'title' | 'correct' | 'replace'>,
  problems: readonly FieldProblem[],
  moot?: () => boolean,
): Promise<boolean> {
  const answer = await journey.ask(
    {
      kind: 'rejected-input',
      title: `Rejected: ${title}`,
      detail: describeProblems(problems),
      answers: [
        ...(correct ? (['correction'] as const) : []),
        ...(replace ? (['documents'] as const) : []),
        'retry',
        'abandon',
      ],
    },
    moot,
  );
  if (answer?.kind === 'correction') correct?.(answer.patch);
  if (answer?.kind === 'documents' && answer.documents[0]) replace?.(answer.documents[0]);
  return answer !== undefined;
}

export function describeProblems(problems: readonly FieldProblem[]): string {
  const lines = problems.map(({ field, message }) =>
    field ? `${field}: ${masked(message)}` : masked(message),
  );
  return lines.join('\n') || 'the partner gave no reason';
}

/** The partner lets us in, but does not permit this. About refused credentials `partnerAccount` asks, once for all. */
async function askForPermission(
  journey: Journey,
  { title }: Pick<Step<unknown>, 'title'>,
  { system, status = 403, fields }: PartnerErrorDetails,
): Promise<void> {
  const said = fields.length > 0 ? `\n${describeProblems(fields)}` : '';
  await journey.ask({
    kind: 'credentials',
    title: `Not permitted: ${title}`,
    detail: `The ${system} partner does not permit this (${status}), or it belongs to another organization. Have it permitted, then retry.${said}`,
    answers: ['retry', 'abandon'],
  });
}

async function adoptedEffect<Result>(
  journey: Journey,
  { title, once }: Step<Result>,
  doubt: Doubt | undefined,
): Promise<{ found: Result } | undefined> {
  const effect = await once?.lookForEffect?.(doubt !== undefined, doubt?.baseline);
  if (effect && doubt) journey.timeline.add('write-adopted', { detail: `${title}: found at the partner` });
  return effect;
}

async function settleUncertain<Result>(
  journey: Journey,
  step: Step<Result>,
  once: OnceOnly<Result>,
  { system, operation, reason, sentAt }: PartnerErrorDetails,
  doubt: Doubt,
): Promise<{ result: Result } | 'again'> {
  const { title } = step;
  const { adopt, idFormat, effectSeen } = once;
  const at = sentAt === undefined ? '' : ` at ${sentAt}`;
  journey.doubts.add(title);
  count('uncertainWrites', { system, operation });
  const isSent = sentAt !== undefined || once.mayBeDone === undefined;
  const sent = isSent ? `sent${at}` : 'perhaps sent before';
  journey.timeline.add('write-uncertain', { detail: `${title}, ${sent}: ${reason}` });
  const effect = await adoptedEffect(journey, step, doubt);
  let problem = '';
  for (;;) {
    const seen = effect ?? effectSeen?.();
    if (seen) {
      journey.doubts.delete(title);
      if (!effect) journey.timeline.add('write-adopted', { detail: `${title}: seen at the partner` });
      return { result: seen.found };
    }
    const answer: Answer | undefined = await journey.ask(
      {
        kind: 'uncertain-write',
        title: `Did it happen? ${title}`,
        detail: `${problem}The request was ${sent}, but nobody knows whether it took effect (${reason}). ${once.hint}`,
        answers: ['adopt', 'retry', 'abandon'],
        ...(idFormat && { idFormat }),
      },
      () => effectSeen?.() !== undefined,
    );
    if (answer?.kind === 'retry') {
      journey.doubts.delete(title);
      return 'again';
    }
    if (answer?.kind !== 'adopt') continue;
    try {
      const result = await adopt(answer.id);
      journey.doubts.delete(title);
      journey.timeline.add('write-adopted', { detail: `${title}: ${answer.id}` });
      return { result };
    } catch (error) {
      if (!(error instanceof RejectedByPartner)) throw error;
      problem = `${answer.id} cannot be adopted: ${error.message}\n`;
    }
  }
}
