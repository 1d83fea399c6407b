import { CancellationScope, CancelledFailure, sleep } from '@temporalio/workflow';
import type { Access } from '../../messages/banking-activities.js';
import type { Answer } from '../../messages/requirements.js';
import type { FieldProblem, PartnerErrorDetails } from '../../partners/partner-error.js';
import { count } from './count.js';
import type { Journey } from './journey.js';
import { masked } from './masked.js';
import { partnerFailure } from './partner-failure.js';
import type { Question } from './requirement-desk.js';

/** One step at a partner, and what to do when it does not go through. */
export interface Step<Result> {
  /** What is being done, for people: `create the merchant`. */
  readonly title: string;
  /** Runs before each attempt; may ask a person and be cancelled. */
  readonly prepare?: () => Promise<void>;
  /** Given how to get past the partner's door, after it was refused there. */
  readonly run: (access: Access) => Promise<Result>;
  /** Lays a person's correction over the input of the next `run`. Without it a rejection takes no correction. */
  readonly correct?: (patch: Readonly<Record<string, unknown>>) => void;
  /** A rejection ends it: {@link RejectedByPartner}. For what a person asks for there and then. */
  readonly endsWhenRejected?: true;
  /** Present on writes without an idempotency key. Their `run` must never be retried by the server. */
  readonly once?: OnceOnly<Result>;
}

/** How the outcome of a write is found when nobody knows it. */
export interface OnceOnly<Result> {
  /** Looks at the partner for the write's effect; undefined when there is none to be seen. */
  readonly lookForEffect?: () => Promise<{ found: Result } | undefined>;
  /** True as soon as the partner's own change shows that the write is settled; looked at while a person is asked. */
  readonly settled?: () => boolean;
  /** The result, from what a person says exists, or (id undefined) from what settled it. */
  readonly adopt: (id?: string) => Result;
  /** What the id of `adopt` looks like: digits, unless it says `text`. */
  readonly idFormat?: 'text';
  /** What a person should look for before answering. */
  readonly hint: string;
}

/** Thrown where a rejection ends what was to be done, and by a `run` whose answer says no in its body. */
export class RejectedByPartner extends Error {
  override readonly name = 'RejectedByPartner';
  constructor(
    readonly problems: readonly FieldProblem[],
    /** HTTP status, when there was an answer. */
    readonly status?: number,
  ) {
    super(describeProblems(problems));
  }
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10 * 60_000;

/**
 * Carries out a step, for as long as it takes: waits while the partner cannot be reached, asks a person for
 * corrections, credentials, codes and decisions, and never repeats a write blindly.
 *
 * @throws {Abandoned} when a person gives up
 * @throws {RejectedByPartner} when the step ends with a rejection
 */
export async function carryOut<Result>(journey: Journey, step: Step<Result>): Promise<Result> {
  let access: Access = {};
  for (let unreachable = 0; ; ) {
    await step.prepare?.();
    // What follows a write that was seen through begins no other.
    if (CancellationScope.current().consideredCancelled)
      throw new CancelledFailure('cancelled before it began');
    let failure: PartnerErrorDetails;
    const run = () => step.run(access);
    try {
      // A write that has begun is seen through, for a cancelled call would leave its outcome unknown.
      return await (step.once ? CancellationScope.nonCancellable(run) : run());
    } catch (error) {
      failure = error instanceof RejectedByPartner ? rejection(step, error) : partnerFailure(error);
    }
    access = {};
    switch (failure.kind) {
      case 'NotSent':
      case 'RateLimited':
        await pause(journey, step, failure, unreachable++);
        break;
      case 'Rejected': {
        // What was asked for may be there already, done by an earlier call or by someone else.
        const effect = await adoptedEffect(journey, step);
        if (effect) return effect.found;
        if (step.endsWhenRejected) throw new RejectedByPartner(failure.fields, failure.status);
        const answered = await askForCorrection(journey, step, failure.fields, step.once?.settled);
        if (!answered && step.once) return step.once.adopt();
        break;
      }
      case 'Unauthorized':
      case 'Forbidden':
        access = await askForAccess(journey, step, failure);
        break;
      case 'Uncertain': {
        if (!step.once) {
          await pause(journey, step, failure, unreachable++);
          break;
        }
        journey.doubts.add(step.title);
        count('uncertainWrites', { system: failure.system, operation: failure.operation });
        const settled = await settleUncertain(journey, step, step.once, failure);
        journey.doubts.delete(step.title);
        if (settled !== 'again') return settled.result;
      }
    }
  }
}

function rejection({ title }: Step<unknown>, { problems, message }: RejectedByPartner): PartnerErrorDetails {
  return { system: 'gangway', operation: title, kind: 'Rejected', fields: problems, reason: message };
}

async function pause(
  journey: Journey,
  { title }: Step<unknown>,
  { reason, retryAfterMs }: PartnerErrorDetails,
  earlier: number,
): Promise<void> {
  // One entry for a whole outage: a timeline is read by people.
  if (earlier === 0) journey.timeline.add('waiting-for-partner', { detail: `${title}: ${reason}` });
  const backoff = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(earlier, 20), LONGEST_PAUSE_MS);
  journey.publish();
  await sleep(Math.max(backoff, retryAfterMs ?? 0), { summary: `${title}: again after a pause` });
}

/**
 * Asks a person to correct what the partner, or our own check, rejected. Nothing happened at the partner.
 *
 * @returns false when the question became moot before it was answered
 */
export async function askForCorrection(
  journey: Journey,
  { title, correct }: Pick<Step<unknown>, 'title' | 'correct'>,
  problems: readonly FieldProblem[],
  moot?: () => boolean,
): Promise<boolean> {
  const question: Question = {
    kind: 'rejected-input',
    title: `Rejected: ${title}`,
    detail: describeProblems(problems),
    answers: correct ? ['correction', 'retry', 'abandon'] : ['retry', 'abandon'],
  };
  const answer = await journey.ask(question, moot);
  if (answer?.kind === 'correction') correct?.(answer.patch);
  return answer !== undefined;
}

export function describeProblems(problems: readonly FieldProblem[]): string {
  const lines = problems.map(({ field, message }) =>
    field ? `${field}: ${masked(message)}` : masked(message),
  );
  return lines.join('\n') || 'the partner gave no reason';
}

/** Asks for a one-time code where that is all that is missing, otherwise for credentials that work. */
async function askForAccess(
  journey: Journey,
  step: Pick<Step<unknown>, 'title'>,
  failure: PartnerErrorDetails,
): Promise<Access> {
  const { fields, needs } = failure;
  const said = fields.length > 0 ? `\n${describeProblems(fields)}` : '';
  const answer = await journey.ask(
    needs === 'one-time-code'
      ? {
          kind: 'one-time-code',
          title: `One-time code needed: ${step.title}`,
          detail: `The ${failure.system} partner lets us in with a one-time code only. Answer with the one it sent.${said}`,
          answers: ['code', 'retry', 'abandon'],
        }
      : {
          kind: 'credentials',
          title: `No access: ${step.title}`,
          detail: noAccess(failure) + said,
          answers: ['retry', 'abandon'],
        },
  );
  if (answer?.kind === 'code') return { oneTimeCode: answer.code };
  // Another onboarding may have been given a code meanwhile. To sign in anew would drop the token that came of it.
  return needs === 'one-time-code' ? {} : { afresh: true };
}

function noAccess({ system, kind, atSignIn }: PartnerErrorDetails): string {
  if (kind === 'Unauthorized') {
    return `The ${system} partner refuses our credentials (401). Correct them in the worker's settings, then retry.`;
  }
  if (atSignIn) {
    return `The ${system} partner does not let us sign in (403): the account is locked or suspended. Have it unlocked, then retry.`;
  }
  return `The ${system} partner does not permit this (403): permissions, or a merchant of another ISO.`;
}

async function adoptedEffect<Result>(
  journey: Journey,
  { title, once }: Step<Result>,
): Promise<{ found: Result } | undefined> {
  const effect = await once?.lookForEffect?.();
  if (effect) journey.timeline.add('write-adopted', { detail: `${title}: found at the partner` });
  return effect;
}

async function settleUncertain<Result>(
  journey: Journey,
  step: Step<Result>,
  { settled, adopt, hint, idFormat }: OnceOnly<Result>,
  { reason }: PartnerErrorDetails,
): Promise<{ result: Result } | 'again'> {
  const { title } = step;
  journey.timeline.add('write-uncertain', { detail: `${title}: ${reason}` });
  const effect = await adoptedEffect(journey, step);
  if (effect) return { result: effect.found };
  const answer: Answer | undefined = await journey.ask(
    {
      kind: 'uncertain-write',
      title: `Did it happen? ${title}`,
      detail: `The call was sent, but nobody knows whether it took effect (${reason}). ${hint}`,
      answers: ['adopt', 'retry', 'abandon'],
      ...(idFormat && { idFormat }),
    },
    settled,
  );
  if (answer?.kind === 'retry') return 'again';
  const id = answer?.kind === 'adopt' ? answer.id : undefined;
  journey.timeline.add('write-adopted', { detail: id === undefined ? title : `${title}: ${id}` });
  return { result: adopt(id) };
}
