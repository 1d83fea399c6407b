import { CancelledFailure, isCancellation } from '@temporalio/workflow';
import { defined } from '../../messages/objects.js';
import type { UnfinishedWrite } from '../../messages/onboarding-state.js';
import type { Answer, AnswerKind } from '../../messages/requirements.js';
import { problemText, reasonInWords } from '../../partners/bounds.js';
import type { FieldProblem, PartnerErrorDetails } from '../../partners/partner-error.js';
import { masked } from '../../platform/privacy/masked.js';
import { type SendOnce, WRITE_ATTEMPT_MS } from './activity-proxies.js';
import { ownFailure, partnerFailure } from './call-failures.js';
import { momentOf } from './current-details.js';
import type { Question } from './state.js';
import type { Before, Found, OnceWrite, Step, StepContext } from './step.js';

/** Ends a step that the partner or our own check rejected. A `run` also throws it when a successful response reports problems. */
export class Rejected extends Error {
  override readonly name: string = 'Rejected';
  constructor(
    readonly problems: readonly FieldProblem[],
    readonly status?: number,
  ) {
    super(describeProblems(problems));
  }
}

/** Thrown by Gangway itself for an id that a person must not adopt, or not without a second confirmation. */
export class NotAdoptable extends Rejected {
  override readonly name = 'NotAdoptable';
  constructor(message: string) {
    super([{ field: '', message }]);
  }
}

/** Returns a check that throws {@link NotAdoptable} for an id the first time. The second time overrides that. */
export function doubts(again = 'adopt it again'): (id: string | number, why: string) => void {
  const doubted = new Set<string>();
  return (id, why) => {
    if (doubted.has(String(id))) return;
    doubted.add(String(id));
    throw new NotAdoptable(`${why}. To adopt it anyway, ${again}`);
  };
}

/**
 * Runs a step, however long it takes: asks a person for corrections and decisions, and never repeats a write blindly. The server
 * retries while the partner is unavailable or rejects our credentials; its retries write no history. When it is canceled, a
 * write in flight ends first.
 */
export async function runStep<Result>(context: StepContext, step: Step<Result>): Promise<Result> {
  let doubt: Before | undefined;
  for (let isAnswered = false; ; isAnswered = true) {
    const begins = step.effect === 'once' && !isAnswered ? failureOfEarlier(step) : undefined;
    try {
      await (step.effect === 'read' ? undefined : step.prepare?.());
      // A write that ran to its end during a cancellation must not lead to another write.
      if (context.isCancelled && !begins) throw new CancelledFailure('canceled before it began');
    } catch (error) {
      // The person who answered is told that nothing followed.
      if (isAnswered && step.effect !== 'read' && isCancellation(error))
        context.writes.cancelled(step, 'not-sent');
      throw error;
    }
    const made = begins ? { failure: begins } : await attempt(context, step);
    if ('result' in made) return made.result;
    const { failure } = made;
    if (step.effect === 'once' && !begins) step.failed?.(failure);
    switch (failure.kind) {
      case 'Rejected': {
        // An earlier call, or someone else, may already have done what the step asks for.
        const effect = step.effect === 'once' && (await findEvidence(context, step, doubt, failure));
        if (effect) return effect.found;
        if (step.endsWhenRejected) throw new Rejected(failure.fields, failure.status);
        const done = await correctedOrDone(context, step, failure);
        if (done) return done.result;
        break;
      }
      case 'Forbidden':
        await context.ask(permissionQuestion(step.title, failure));
        break;
      case 'Uncertain': {
        if (step.effect !== 'once') throw new Error(`${step.title}: unexpected ${failure.kind}`);
        doubt ??= failure;
        const resolved = await resolveUncertain(context, step, failure, doubt);
        if (resolved) return resolved.result;
        break;
      }
      default:
        // The server retries every other failure.
        throw new Error(`${step.title}: unexpected ${failure.kind}`);
    }
  }
}

/** The failure to start from instead of a first call: an earlier workflow may have sent the write, or its result is not believed. */
function failureOfEarlier({
  title,
  mayBeDone,
  rejected,
}: OnceWrite<unknown>): PartnerErrorDetails | undefined {
  if (mayBeDone !== undefined) return { ...ownFailure('Uncertain', title, mayBeDone), baseline: [] };
  return rejected && ownFailure('Rejected', title, 'not believed', rejected);
}

export function runRead<Result>(
  context: StepContext,
  title: string,
  run: () => Promise<Result>,
): Promise<Result> {
  return runStep(context, { effect: 'read', title, run });
}

/** Checks an adoption. Returns true if it passed at the first try. Otherwise a person was asked, and earlier reads are stale. */
export async function isOwnAtOnce(
  context: StepContext,
  title: string,
  check: () => Promise<void>,
): Promise<boolean> {
  let checks = 0;
  await runRead(context, title, () => {
    checks += 1;
    return check();
  });
  return checks === 1;
}

/** Asks for a correction, or for the id of what was done by hand if no read would show it. Undefined to try again. */
async function correctedOrDone<Result>(
  context: StepContext,
  step: Step<Result>,
  { fields: problems, saved, status }: Pick<PartnerErrorDetails, 'fields' | 'saved' | 'status'>,
): Promise<{ result: Result } | undefined> {
  if (step.effect !== 'once') {
    await askForCorrection(context, step, problems);
    return undefined;
  }
  const { title, correct, replace, readEvidence, idFormat = 'digits', whereToLook } = step;
  // If no read can show the effect, or the refusal names a record, only a person can tell.
  const adopts = readEvidence === 'none' || saved !== undefined ? idFormat : undefined;
  const wasSent = status !== undefined || step.rejected !== undefined;
  if (saved !== undefined)
    context.timeline.add('write-uncertain', { detail: `${title}, refused: ${signInWords(saved)}` });
  const advice =
    saved !== undefined || (readEvidence === 'none' && wasSent)
      ? `${signInWords(saved)} ${whereToLook} Correct it or retry only if it is not there, because either sends it again.`
      : undefined;
  return askUntilKnown(context, step, (notAdopted, isMoot) => {
    const all = notAdopted ? [{ field: '', message: notAdopted }, ...problems] : problems;
    return askForCorrection(context, { title, advice, correct, replace, adopts }, all, isMoot);
  });
}

/** What a refused response shows of a record that the partner may have saved anyway: some save what they do not accept. */
function signInWords(saved: string | undefined): string {
  if (saved === undefined) return 'The partner may have saved what it refused.';
  return `The response ${saved === '' ? 'has a record' : `names ${saved}`}, so the partner may have saved what it refused.`;
}

const AGAIN: readonly AnswerKind[] = ['retry', 'correction', 'documents'];

// Keeps F5.
/** Asks about a write until a person adopts it, or the poll shows its effect. Undefined to try again. */
async function askUntilKnown<Result>(
  { timeline, until }: StepContext,
  step: OnceWrite<Result>,
  ask: (notAdopted: string, isMoot: () => boolean) => Promise<Answer | undefined>,
): Promise<{ result: Result } | undefined> {
  const polled = () => (step.polledEvidence === 'none' ? undefined : step.polledEvidence());
  const isMoot = () => step.isMoot?.() === true;
  const needsNoAnswer = () => polled() !== undefined || isMoot();
  const known = (result: Result, how: string) => {
    timeline.add('write-adopted', { detail: `${step.title}: ${how}` });
    return { result };
  };
  for (let notAdopted = ''; ; ) {
    const answer = needsNoAnswer() ? undefined : await ask(notAdopted, needsNoAnswer);
    const seen = polled();
    if (seen) return known(seen.found, 'seen at the partner');
    if (answer?.kind === 'adopt') {
      try {
        return known(await step.adopt(answer.id), answer.id);
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
        notAdopted = `${answer.id} cannot be adopted: ${error.message}`;
      }
    } else if (isMoot()) await until(() => !isMoot());
    else if (answer && AGAIN.includes(answer.kind)) return undefined;
  }
}

/** Only steps call the proxy of an activity that sends a once-only operation. */
const sendOnce: SendOnce = (activity, request) =>
  (activity as unknown as (given: typeof request) => ReturnType<typeof sendOnce>)(request) as never;

async function attempt<Result>(
  context: StepContext,
  step: Step<Result>,
): Promise<{ result: Result } | { failure: PartnerErrorDetails }> {
  const { writes, waits } = context;
  const ended = (became: UnfinishedWrite['became']) => {
    const { isCancelled } = context;
    if (step.effect !== 'read' && isCancelled) writes.cancelled(step, became);
    return isCancelled;
  };
  const endWait = waits.begin(step.title, step.effect === 'read' && step.waitsForChange);
  const begunAt = Date.now();
  try {
    const result = await (step.effect === 'once' ? step.run(sendOnce) : step.run());
    keepWarnings(context, step.title, result);
    ended('done');
    return { result };
  } catch (error) {
    if (isCancellation(error)) {
      // An earlier attempt of a write that may be repeated may have taken effect. So may one that has timed out: when the server
      // cancels a write between two attempts, it does not report the mark.
      const mayHaveTimedOut = Date.now() - begunAt >= WRITE_ATTEMPT_MS;
      ended(step.effect === 'idempotent' || mayHaveTimedOut ? 'unknown' : 'not-sent');
      throw error;
    }
    const failure =
      error instanceof Rejected
        ? ownFailure('Rejected', step.title, error.message, error.problems)
        : partnerFailure(error);
    const mayHaveEffect = failure.kind === 'Uncertain' || failure.saved !== undefined;
    const became = mayHaveEffect ? 'unknown' : failure.kind === 'Rejected' ? 'rejected' : 'not-sent';
    if (ended(became)) throw new CancelledFailure('canceled while it was in flight');
    return { failure };
  } finally {
    endWait();
  }
}

/** A partner's warning does not fail a step. The timeline keeps it for people. */
function keepWarnings({ timeline }: StepContext, title: string, result: unknown): void {
  const { warnings = [] } = (result ?? {}) as { readonly warnings?: readonly string[] };
  for (const warning of warnings) timeline.add('partner-warned', { detail: `${title}: ${masked(warning)}` });
}

interface Correctable {
  readonly title: string;
  readonly advice?: string | undefined;
  readonly correct?: OnceWrite<unknown>['correct'] | undefined;
  readonly replace?: OnceWrite<unknown>['replace'] | undefined;
  /** The person may adopt what was done by hand, by an id of this format. */
  readonly adopts?: 'digits' | 'text' | undefined;
}

/** Asks a person to correct what the partner, or our own check, rejected. Undefined when the question became moot first. */
export async function askForCorrection(
  { ask, blankFor }: Pick<StepContext, 'ask' | 'blankFor'>,
  { title, advice, correct, replace, adopts }: Correctable,
  problems: readonly FieldProblem[],
  isMoot?: () => boolean,
): Promise<Answer | undefined> {
  const fields = problems.flatMap(({ field }) => field || []);
  const blank = correct && (await blankFor(fields));
  const answer = await ask(
    {
      kind: 'rejected-input',
      title: `Rejected: ${title}`,
      detail: [describeProblems(problems), ...(advice ? [advice] : [])].join('\n'),
      ...(fields.length > 0 && { fields }),
      ...(blank && { blank }),
      answers: [
        ...(correct ? (['correction'] as const) : []),
        ...(replace ? (['documents'] as const) : []),
        ...(adopts ? (['adopt'] as const) : []),
        'retry',
        'abandon',
      ],
      ...(adopts === 'text' && { idFormat: adopts }),
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
  step: OnceWrite<Result>,
  doubt: Before | undefined,
  failure: Before,
): Promise<Found<Result>> {
  if (step.readEvidence === 'none') return undefined;
  const { baseline, phase } = doubt ?? failure;
  const effect = await step.readEvidence(doubt !== undefined, defined({ baseline, phase }));
  if (effect && doubt) timeline.add('write-adopted', { detail: `${step.title}: found at the partner` });
  return effect;
}

const IF_NOT_THERE =
  'If not, look again a few minutes later, and retry only if it is still not there: retrying too early does it twice.';

/** Finds out whether a write took effect: by evidence at the partner, or from a person. Undefined to try again. */
async function resolveUncertain<Result>(
  context: StepContext,
  step: OnceWrite<Result>,
  failure: PartnerErrorDetails,
  doubt: Before,
): Promise<{ result: Result } | undefined> {
  const { timeline, ask, writes } = context;
  const { system, operation, reason, sentAt, unreadable, fields, saved } = failure;
  const { title, idFormat } = step;
  writes.doubt(step);
  const at = sentAt === undefined ? '' : ` at ${momentOf(sentAt)}`;
  const isSent = sentAt !== undefined || step.mayBeDone === undefined;
  const what = masked(fields.map(problemText).join('; '));
  const why = (unreadable ?? saved) === undefined || what === '' ? '' : `: ${what}`;
  const sign = saved === undefined ? '' : `${signInWords(saved)} `;
  const sent = isSent ? `sent${at}` : 'perhaps sent before';
  timeline.add('write-uncertain', { detail: `${title}, ${sent}: ${reason}` }, { system, operation });
  const effect = await findEvidence(context, step, doubt, failure);
  const known = effect
    ? { result: effect.found }
    : await askUntilKnown(context, step, (notAdopted, isMoot) =>
        ask(
          {
            kind: 'uncertain-write',
            title: `Outcome unknown: ${title}`,
            detail: `${notAdopted && `${notAdopted}\n`}The request was ${sent}. Whether it took effect is unknown (${reasonInWords(reason)}${why}). ${sign}${step.whereToLook} ${IF_NOT_THERE}`,
            answers: ['adopt', 'retry', 'abandon'],
            ...(idFormat && { idFormat }),
          },
          isMoot,
        ),
      );
  writes.resolve(step);
  return known;
}
