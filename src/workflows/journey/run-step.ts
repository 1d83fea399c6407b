import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';
import { type Mark, PARTNER_ERROR } from '../../messages/activities.js';
import type { UnfinishedWrite } from '../../messages/onboarding-state.js';
import type { Answer, DocumentRef } from '../../messages/requirements.js';
import { problemText } from '../../partners/bounds.js';
import type { FieldProblem, PartnerErrorDetails } from '../../partners/partner-error.js';
import { reasonInWords } from '../../partners/reasons.js';
import { masked } from '../../privacy/masked.js';
import { momentOf } from './current-details.js';
import type { Timeline } from './published-state.js';
import type { Question, RequirementQueue } from './requirement-queue.js';
import type { StepWaits } from './step-waits.js';

/** One call to a partner, and how it recovers when it fails. */
export interface Step<Result> {
  /** What is being done, for people: `create the merchant`. */
  readonly title: string;
  /** Runs before each attempt; may ask a person and be cancelled. */
  readonly prepare?: () => Promise<void>;
  readonly run: () => Promise<Result>;
  /** Applies a person's correction to the input of the next `run`. Without it a rejection takes no correction. */
  readonly correct?: (patch: Readonly<Record<string, unknown>>) => void;
  /** Replaces the document of the next `run`. Without it a rejection takes no other document. */
  readonly replace?: (document: DocumentRef) => void;
  /** It waits for a change, however long that takes. */
  readonly waitsForChange?: true;
  /** A rejection ends it: {@link RejectedByPartner}. */
  readonly endsWhenRejected?: true;
  /** A write that may be repeated. When it is cancelled in flight, its outcome is kept. */
  readonly repeats?: true;
  /** Present on writes without an idempotency key. Their `run` sends at most once (activities/write.ts). */
  readonly once?: OnceOnly<Result>;
}

/** How a write with an unknown outcome is resolved. */
export interface OnceOnly<Result> {
  /** Why an earlier workflow may have done it already. The write is then in doubt from the beginning. */
  readonly mayBeDone?: string | undefined;
  /**
   * Reads evidence from the partner that this write took effect, which nothing else explains; undefined when there is none.
   *
   * @param wasInDoubt false when the write was rejected, and no earlier attempt of it is in doubt
   * @param baseline what the activity read just before the first attempt that is in doubt, if it did
   */
  readonly readEvidence?: (
    wasInDoubt: boolean,
    baseline: readonly number[] | undefined,
  ) => Promise<{ found: Result } | undefined>;
  /** The same evidence, in what the status poll has read meanwhile. Checked while a person is asked. */
  readonly polledEvidence?: () => { found: Result } | undefined;
  /**
   * The result, from the id that a person gives.
   *
   * @throws {RejectedByPartner} when it cannot be that id; the person is then asked again
   */
  readonly adopt: (id: string) => Result | Promise<Result>;
  /** Format of the id that `adopt` takes. Default: digits. */
  readonly idFormat?: 'text';
  /** Where a person looks before answering. */
  readonly whereToLook: string;
}

/** What steps need of the workflow that they belong to. */
export interface StepContext {
  readonly timeline: Timeline;
  readonly requirements: RequirementQueue;
  readonly writes: UnfinishedWrites;
  readonly waits: StepWaits;
}

/** Thrown when a rejection ends a step, and by a `run` whose response contains a rejection. */
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
 * Refuses what a person adopts as long as something speaks against it. Who names it a second time, after reading why, adopts it.
 *
 * @returns throws {@link RejectedByPartner} the first time, and lets the same id pass after that
 */
export function doubts(): (id: string | number, why: string) => void {
  const doubted = new Set<string>();
  return (id, why) => {
    if (doubted.has(String(id))) return;
    doubted.add(String(id));
    throw new RejectedByPartner([{ field: '', message: `${why}. To adopt it anyway, adopt it again` }]);
  };
}

/** Writes whose outcome is unknown, and writes that were in flight when they were cancelled. */
export class UnfinishedWrites {
  readonly #cancelled: UnfinishedWrite[] = [];
  readonly #inDoubt = new Set<string>();

  constructor(private readonly timeline: Timeline) {}

  get all(): readonly UnfinishedWrite[] {
    const cancelled = this.#cancelled.map(({ write }) => write);
    const inDoubt = [...this.#inDoubt].filter((write) => !cancelled.includes(write));
    return [...this.#cancelled, ...inDoubt.map((write) => ({ write, became: 'unknown' as const }))];
  }

  cancelled(write: string, became: UnfinishedWrite['became']): void {
    this.#cancelled.push({ write, became });
    this.timeline.add('write-unfinished', { detail: `${write}: ${became}` });
  }

  doubt(write: string): void {
    this.#inDoubt.add(write);
  }

  resolve(write: string): void {
    this.#inDoubt.delete(write);
  }
}

/**
 * Runs a step, however long it takes: asks a person for corrections and decisions, and never repeats a write blindly. The
 * server retries while the partner is unavailable or rejects our credentials; its retries write no history.
 *
 * @throws {Abandoned} when a person abandons it
 * @throws {RejectedByPartner} when the step ends with a rejection
 * @throws {CancelledFailure} when the step is cancelled, after a write in flight has ended
 */
export async function runStep<Result>(context: StepContext, step: Step<Result>): Promise<Result> {
  let doubt: Doubt | undefined;
  if (step.once?.mayBeDone !== undefined) {
    await step.prepare?.();
    doubt = { baseline: [] };
    const failure = ownFailure('Uncertain', step.title, step.once.mayBeDone);
    const resolved = await resolveUncertain(context, step, step.once, failure, doubt);
    if (resolved !== 'again') return resolved.result;
  }
  for (;;) {
    await step.prepare?.();
    // A write that ran to its end during a cancellation must not lead to another write.
    if (CancellationScope.current().consideredCancelled)
      throw new CancelledFailure('cancelled before it began');
    const attempt = await attempted(context, step);
    if ('result' in attempt) return attempt.result;
    const { failure } = attempt;
    switch (failure.kind) {
      case 'Rejected': {
        // An earlier call, or someone else, may already have done what the step asks for.
        const effect = await findEvidence(context, step, doubt);
        if (effect) return effect.found;
        if (step.endsWhenRejected) throw new RejectedByPartner(failure.fields, failure.status);
        const done = await correctedOrDone(context, step, failure.fields);
        if (done) return done.result;
        break;
      }
      case 'Forbidden':
        await context.requirements.ask(permissionQuestion(step.title, failure));
        break;
      default: {
        // The server retries every other failure, except an unknown outcome.
        if (!step.once) throw new Error(`${step.title}: unexpected ${failure.kind}`);
        doubt ??= failure;
        const resolved = await resolveUncertain(context, step, step.once, failure, doubt);
        if (resolved !== 'again') return resolved.result;
      }
    }
  }
}

/**
 * Asks a person to correct what the partner rejected. Where no read would show that somebody did it at the partner by hand, the
 * person may adopt it.
 *
 * @returns the result of a write that was done by hand; undefined to try again
 */
async function correctedOrDone<Result>(
  context: StepContext,
  step: Step<Result>,
  problems: readonly FieldProblem[],
): Promise<{ result: Result } | undefined> {
  const { once } = step;
  const seen = () => once?.polledEvidence?.();
  let refused: readonly FieldProblem[] = [];
  for (;;) {
    const answer = await askForCorrection(
      context,
      step,
      [...refused, ...problems],
      () => seen() !== undefined,
    );
    const found = seen();
    if (found) return { result: found.found };
    if (answer?.kind !== 'adopt' || !once) return undefined;
    const adopted = await adopt(context, step.title, once, answer.id);
    if ('result' in adopted) return adopted;
    refused = [{ field: '', message: adopted.problem }];
  }
}

/** Takes over what a person names; the problem when that cannot be. */
async function adopt<Result>(
  { timeline, writes }: StepContext,
  title: string,
  once: OnceOnly<Result>,
  id: string,
): Promise<{ result: Result } | { problem: string }> {
  try {
    const result = await once.adopt(id);
    writes.resolve(title);
    timeline.add('write-adopted', { detail: `${title}: ${id}` });
    return { result };
  } catch (error) {
    if (!(error instanceof RejectedByPartner)) throw error;
    return { problem: `${id} cannot be adopted: ${error.message}` };
  }
}

/** The first attempt of a write whose outcome is unknown. */
type Doubt = Pick<PartnerErrorDetails, 'baseline'>;

/** Makes one attempt. Keeps the outcome of a write that was cancelled in flight. */
async function attempted<Result>(
  { timeline, writes, waits }: StepContext,
  step: Step<Result>,
): Promise<{ result: Result } | { failure: PartnerErrorDetails }> {
  const ended = (became: UnfinishedWrite['became']) => {
    const wasCancelled = CancellationScope.current().consideredCancelled;
    if ((step.once || step.repeats) && wasCancelled) writes.cancelled(step.title, became);
    return wasCancelled;
  };
  const endWait = waits.begin(step.title, step.waitsForChange);
  try {
    const result = await step.run();
    keepWarnings(timeline, step.title, result);
    ended('done');
    return { result };
  } catch (error) {
    if (isCancellation(error)) {
      // An earlier attempt of a write that may be repeated may have taken effect.
      ended(step.repeats ? 'unknown' : 'not-sent');
      throw error;
    }
    const failure =
      error instanceof RejectedByPartner
        ? ownFailure('Rejected', step.title, error.message, error.problems)
        : partnerFailure(error);
    const became =
      failure.kind === 'Uncertain' ? 'unknown' : failure.kind === 'Rejected' ? 'rejected' : 'not-sent';
    if (ended(became)) throw new CancelledFailure('cancelled while it was in flight');
    return { failure };
  } finally {
    endWait();
  }
}

/** A partner's warning does not fail a step. The timeline keeps it for people. */
function keepWarnings(timeline: Timeline, title: string, result: unknown): void {
  const { warnings = [] } = (result ?? {}) as { readonly warnings?: readonly string[] };
  for (const warning of warnings) timeline.add('partner-warned', { detail: `${title}: ${masked(warning)}` });
}

/**
 * Asks a person to correct what the partner, or our own check, rejected. Nothing happened at the partner.
 *
 * @returns undefined when the question became moot before it was answered
 */
export async function askForCorrection(
  { requirements }: Pick<StepContext, 'requirements'>,
  { title, correct, replace, once }: Pick<Step<unknown>, 'title' | 'correct' | 'replace' | 'once'>,
  problems: readonly FieldProblem[],
  isMoot?: () => boolean,
): Promise<Answer | undefined> {
  const fields = problems.flatMap(({ field }) => field || []);
  const blank = correct && (await requirements.blankFor(fields));
  // Without evidence, only a person can know that it was done by hand.
  const adopted = once && !once.readEvidence ? once : undefined;
  const answer = await requirements.ask(
    {
      kind: 'rejected-input',
      title: `Rejected: ${title}`,
      detail: describeProblems(problems),
      ...(fields.length > 0 && { fields }),
      ...(blank && { blank }),
      answers: [
        ...(correct ? (['correction'] as const) : []),
        ...(replace ? (['documents'] as const) : []),
        ...(adopted ? (['adopt'] as const) : []),
        'retry',
        'abandon',
      ],
      ...(adopted?.idFormat && { idFormat: adopted.idFormat }),
    },
    isMoot,
  );
  if (answer?.kind === 'correction') correct?.(answer.patch);
  if (answer?.kind === 'documents' && answer.documents[0]) replace?.(answer.documents[0]);
  return answer;
}

function describeProblems(problems: readonly FieldProblem[]): string {
  const lines = problems.map(({ field, message }) => problemText({ field, message: masked(message) }));
  return lines.join('\n') || 'the partner gave no reason';
}

/** The partner accepts our credentials, but does not permit this. Refused credentials are the task of `partnerAccount`. */
function permissionQuestion(title: string, { system, status = 403, fields }: PartnerErrorDetails): Question {
  const said = fields.length > 0 ? `\n${describeProblems(fields)}` : '';
  return {
    kind: 'credentials',
    title: `Not permitted: ${title}`,
    detail: `The ${system} partner does not permit this (${status}), or it belongs to another organization. Ask the partner for the permission, then retry.${said}`,
    answers: ['retry', 'abandon'],
  };
}

async function findEvidence<Result>(
  { timeline }: StepContext,
  { title, once }: Step<Result>,
  doubt: Doubt | undefined,
): Promise<{ found: Result } | undefined> {
  const effect = await once?.readEvidence?.(doubt !== undefined, doubt?.baseline);
  if (effect && doubt) timeline.add('write-adopted', { detail: `${title}: found at the partner` });
  return effect;
}

/** The last sentence of each question about an uncertain write. */
const IF_NOT_THERE =
  'If not, look again some minutes later, and retry only if it is still not there: a retry too early does it twice.';

/** Finds out whether a write took effect: by evidence at the partner, or from a person. */
async function resolveUncertain<Result>(
  context: StepContext,
  step: Step<Result>,
  once: OnceOnly<Result>,
  { system, operation, reason, sentAt, unreadable, fields }: PartnerErrorDetails,
  doubt: Doubt,
): Promise<{ result: Result } | 'again'> {
  const { timeline, requirements, writes } = context;
  const { title } = step;
  const { idFormat, polledEvidence } = once;
  const at = sentAt === undefined ? '' : ` at ${momentOf(sentAt)}`;
  writes.doubt(title);
  const isSent = sentAt !== undefined || once.mayBeDone === undefined;
  const what = masked(fields.map(problemText).join('; '));
  const why = unreadable === undefined ? '' : `: ${what}`;
  const sent = isSent ? `sent${at}` : 'perhaps sent before';
  timeline.add('write-uncertain', { detail: `${title}, ${sent}: ${reason}` }, { system, operation });
  const effect = await findEvidence(context, step, doubt);
  let problem = '';
  for (;;) {
    const seen = effect ?? polledEvidence?.();
    if (seen) {
      writes.resolve(title);
      if (!effect) timeline.add('write-adopted', { detail: `${title}: seen at the partner` });
      return { result: seen.found };
    }
    const answer = await requirements.ask(
      {
        kind: 'uncertain-write',
        title: `Outcome unknown: ${title}`,
        detail: `${problem}The request was ${sent}. Whether it took effect is unknown (${reasonInWords(reason)}${why}). ${once.whereToLook} ${IF_NOT_THERE}`,
        answers: ['adopt', 'retry', 'abandon'],
        ...(idFormat && { idFormat }),
      },
      () => polledEvidence?.() !== undefined,
    );
    if (answer?.kind === 'retry') {
      writes.resolve(title);
      return 'again';
    }
    if (answer?.kind !== 'adopt') continue;
    const adopted = await adopt(context, title, once, answer.id);
    if ('result' in adopted) return adopted;
    problem = `${adopted.problem}\n`;
  }
}

/**
 * The failed partner call in the failure of an activity. The server does not retry an attempt that timed out while its
 * activity was cancelled. The mark of such an attempt shows that its request may have been sent.
 *
 * @throws the error itself, when it is a cancellation or no failure of an activity
 */
export function partnerFailure(error: unknown): PartnerErrorDetails {
  if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
  const { cause, activityType: operation } = error;
  if (cause instanceof ApplicationFailure && cause.type === PARTNER_ERROR) {
    return cause.details?.[0] as PartnerErrorDetails;
  }
  // The attempt ended before its request, and the server did not retry it because the activity was cancelled.
  if (cause instanceof ApplicationFailure && (cause.type === 'NotSent' || cause.type === 'GivenUp'))
    return ownFailure('NotSent', operation, cause.message);
  if (!(cause instanceof TimeoutFailure)) throw error;
  const mark = cause.lastHeartbeatDetails as Mark | undefined;
  const reason = 'the attempt timed out';
  if (!mark?.sending) return ownFailure('NotSent', operation, reason);
  const { sending: _, response: __, ...sent } = mark;
  return { ...ownFailure('Uncertain', operation, reason), ...sent };
}

/** A failure that does not come from the client of a partner. */
function ownFailure(
  kind: PartnerErrorDetails['kind'],
  operation: string,
  reason: string,
  fields: readonly FieldProblem[] = [],
): PartnerErrorDetails {
  return { system: 'gangway', operation, kind, fields, reason };
}
