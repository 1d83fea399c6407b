import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { CancelledFailure, isCancellation } from '@temporalio/workflow';
import {
  ATTEMPT_MS,
  type NextStep,
  type Outcome,
  type Proof,
  resolveUncertainWrite,
  sendUntilResolved,
  type Verdict,
} from '../../at-most-once/workflow.js';
import { omitUndefined } from '../../messages/objects.js';
import type { UnfinishedWrite } from '../../messages/onboarding-state.js';
import type { Answer, AnswerKind } from '../../messages/requirements.js';
import type { PartnerErrorDetails } from '../../partners/partner-error.js';
import { redact } from '../../platform/privacy/masked.js';
import {
  describeSavedRecord,
  describeSending,
  permissionQuestion,
  rejectedWriteAdvice,
  uncertainWriteQuestion,
} from './questions.js';
import {
  askForCorrection,
  type EarlierAttempts,
  type IdempotentWrite,
  type IdentifiedWrite,
  knownFailureOf,
  type OnceWrite,
  ownFailure,
  partnerFailureOf,
  type ReadOptions,
  Rejected,
  type StepContext,
} from './step.js';

/**
 * Makes a read, however long it takes. While the partner is unavailable or rejects our credentials, the server retries, which adds
 * nothing to the history. A rejection becomes a question to a person. A missing permission becomes a question of this step in an
 * operation, and of the account in an onboarding, whose step is retried (`partner-account.ts`).
 */
export async function runRead<Result>(
  context: StepContext,
  title: string,
  run: () => Promise<Result>,
  { waitsForChange, ...options }: ReadOptions = {},
): Promise<Result> {
  const step = { title, ...options };
  for (;;) {
    requireNotCancelled(context);
    const outcome = await attempt(context, title, run, { waitsForChange });
    if (outcome.is === 'done') return outcome.result;
    await askAbout(context, step, outcome);
  }
}

/** Makes an idempotent write. Handles failures as {@link runRead} does. A cancellation waits for a write in flight. */
export async function runIdempotent<Result>(
  context: StepContext,
  step: IdempotentWrite<Result>,
): Promise<Result> {
  for (let isAnswered = false; ; isAnswered = true) {
    try {
      await step.prepare?.();
      requireNotCancelled(context);
    } catch (error) {
      throw withNotSent(context, step, isAnswered, error);
    }
    // If canceled, the outcome is uncertain, because an earlier attempt may have taken effect.
    const outcome = await attemptWrite(context, step, step.run, () => 'uncertain');
    if (outcome.is === 'done') return outcome.result;
    await askAbout(context, step, outcome);
  }
}

/** Makes a write at most once. Evidence or a person resolves an uncertain outcome. */
export function runOnce<Result>(context: StepContext, step: OnceWrite<Result>): Promise<Result> {
  let earlier: EarlierAttempts = { isUncertain: false };
  return sendUntilResolved<Result, PartnerErrorDetails>({
    send: async (send, isFirst) => {
      const inherited = isFirst ? inheritedOutcome(step) : undefined;
      try {
        await step.prepare?.();
        if (!inherited) requireNotCancelled(context);
      } catch (error) {
        throw withNotSent(context, step, !isFirst, error);
      }
      if (inherited) return inherited;
      const startedAt = Date.now();
      // A write that is canceled between two attempts fails without the earlier attempt's intent. That attempt sent nothing, unless
      // it timed out. Of a write with evidence, the timeline does not claim so much: a look at the partner can tell.
      const hasEvidence = step.readEvidence !== 'none';
      const outcomeIfCanceled = () =>
        hasEvidence || Date.now() - startedAt >= ATTEMPT_MS ? 'uncertain' : 'none';
      const outcome = await attemptWrite(context, step, () => step.run(send, earlier), outcomeIfCanceled);
      if (outcome.is !== 'done') step.onFailure?.(outcome.failure);
      return outcome;
    },
    rejected: async (failure) => {
      earlier = afterFailure(earlier, failure);
      // An earlier request, or somebody else, may already have done this write.
      const proof = await findEvidence(context, step, earlier);
      if (proof) return proof;
      if (step.endsWhenRejected) throw new Rejected(failure.fields, failure.status);
      return askAfterRejection(context, step, earlier, failure);
    },
    forbidden: async (failure) => {
      await context.ask(permissionQuestion(step.title, failure));
      return 'again';
    },
    uncertain: (failure) => {
      earlier = { ...afterFailure(earlier, failure), isUncertain: true };
      return resolveUncertain(context, step, earlier, failure);
    },
  });
}

/** Adds a failure. Keeps the baseline from just before the first uncertain request. */
function afterFailure(earlier: EarlierAttempts, failure: PartnerErrorDetails): EarlierAttempts {
  const { isUncertain } = earlier;
  const { baseline, phase = earlier.phase } = isUncertain ? earlier : failure;
  return { isUncertain, ...omitUndefined({ baseline, phase }), failure };
}

/**
 * Returns the outcome of a request from before this run, if any. The write then starts with it instead of sending: the request may
 * have been sent before a restore (`mayBeDone`), or its result was not accepted (`earlierProblems`).
 */
function inheritedOutcome({
  title,
  mayBeDone,
  earlierProblems,
}: OnceWrite<unknown>): FailedOutcome | undefined {
  if (mayBeDone !== undefined)
    return { is: 'uncertain', failure: { ...ownFailure('Uncertain', title, mayBeDone), baseline: [] } };
  if (!earlierProblems) return undefined;
  return { is: 'rejected', failure: ownFailure('Rejected', title, 'not believed', earlierProblems) };
}

/** Throws if the step was canceled. A write in flight finishes, but no further request may follow. */
function requireNotCancelled({ isCancelled }: StepContext): void {
  if (isCancelled) throw new CancelledFailure('canceled before it began');
}

/** If a person asked for an attempt that was canceled before it was sent, records that. @returns the error */
function withNotSent(
  { writes }: StepContext,
  step: IdentifiedWrite,
  isAnswered: boolean,
  error: unknown,
): unknown {
  if (isAnswered && isCancellation(error)) writes.cancelled(step, 'none');
  return error;
}

/**
 * Repeats an ownership check until it passes. Returns false if a person was asked meanwhile, because earlier reads may then be
 * stale. The server's own retries do not count.
 */
export async function ownershipPassesUnasked(
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

/** Asks a person for a correction or a permission before a read or an idempotent write is tried again. */
async function askAbout(
  context: StepContext,
  step: Pick<IdempotentWrite<unknown>, 'title' | 'correct' | 'endsWhenRejected'>,
  { is, failure }: FailedOutcome,
): Promise<void> {
  if (is === 'uncertain') throw unexpected(step.title, failure);
  if (is === 'forbidden') return void (await context.ask(permissionQuestion(step.title, failure)));
  if (step.endsWhenRejected) throw new Rejected(failure.fields, failure.status);
  await askForCorrection(context, { title: step.title, correct: step.correct }, failure.fields);
}

/** Asks for a correction. If only a person can tell whether the write took effect, also offers to confirm the ID of the record. */
function askAfterRejection<Result>(
  context: StepContext,
  step: OnceWrite<Result>,
  earlier: EarlierAttempts,
  { fields: problems, saved, status }: Pick<PartnerErrorDetails, 'fields' | 'saved' | 'status'>,
): Promise<NextStep<Result>> {
  const { title, correct, replace, readEvidence, idFormat = 'digits', whereToLook } = step;
  // A person can confirm an ID if no read can show the effect, or the rejection names a record.
  const confirmFormat = readEvidence === 'none' || saved !== undefined ? idFormat : undefined;
  const wasSent = status !== undefined || step.earlierProblems !== undefined;
  if (saved !== undefined)
    context.record('write-uncertain', { detail: `${title}, refused: ${describeSavedRecord(saved)}` });
  const advice =
    saved !== undefined || (readEvidence === 'none' && wasSent)
      ? rejectedWriteAdvice(saved, whereToLook)
      : undefined;
  return askUntilDecided(context, step, earlier, (refused, isOver) => {
    const allProblems = refused ? [{ field: '', message: refused }, ...problems] : problems;
    return askForCorrection(context, { title, advice, correct, replace, confirmFormat }, allProblems, isOver);
  });
}

const ANSWERS_TO_SEND_AGAIN: readonly AnswerKind[] = ['retry', 'correction', 'documents'];

// Keeps F5.
/** Asks about a write until a person confirms it or says to send it again, or until the poll shows its effect. */
async function askUntilDecided<Result>(
  { record, until }: StepContext,
  step: OnceWrite<Result>,
  earlier: EarlierAttempts,
  ask: (refused: string, isOver: () => boolean) => Promise<Answer | undefined>,
): Promise<Verdict<Result>> {
  const { title, polledEvidence } = step;
  const isSuperseded = () => step.isSuperseded?.(earlier) === true;
  const verdict = await resolveUncertainWrite<Result>({
    evidence: () => (polledEvidence === 'none' ? undefined : polledEvidence(earlier)),
    isSuperseded,
    untilNeeded: () => until(() => !isSuperseded()),
    ask: async (refused, isOver) => {
      const answer = await ask(refused, isOver);
      if (answer?.kind === 'confirm') return { confirm: answer.id };
      return answer && ANSWERS_TO_SEND_AGAIN.includes(answer.kind) ? 'again' : undefined;
    },
    confirm: async (id) => {
      try {
        return { result: await step.confirm(id) };
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
        return { refused: `${id} cannot be confirmed: ${error.message}` };
      }
    },
  });
  if (typeof verdict === 'object')
    record('write-confirmed', { detail: `${title}: ${verdict.confirmedId ?? 'seen at the partner'}` });
  return verdict;
}

type FailedOutcome = Exclude<Outcome<unknown, PartnerErrorDetails>, { is: 'done' }>;
type WriteOutcome = UnfinishedWrite['outcome'];

interface AttemptOptions {
  readonly waitsForChange?: boolean | undefined;
  /** Called with the outcome of the call; undefined if it was canceled. */
  readonly onEnd?: (outcome: WriteOutcome | undefined) => void;
}

/** Makes one call. While it runs, the state can show that the step waits for the partner. */
async function attempt<Result>(
  context: StepContext,
  title: string,
  run: () => Promise<Result>,
  { waitsForChange, onEnd = () => {} }: AttemptOptions,
): Promise<Outcome<Result, PartnerErrorDetails>> {
  const endWait = context.stalledCalls.start(title, waitsForChange);
  try {
    const result = await run();
    keepWarnings(context, title, result);
    onEnd('done');
    return { is: 'done', result };
  } catch (error) {
    if (isCancellation(error) || (context.isCancelled && isRetriedByServer(error))) {
      onEnd(undefined);
      throw isCancellation(error) ? error : new CancelledFailure('canceled between two attempts');
    }
    const failure =
      error instanceof Rejected
        ? ownFailure('Rejected', title, error.message, error.problems)
        : partnerFailureOf(error);
    onEnd(writeOutcome(failure));
    if (context.isCancelled) throw new CancelledFailure('canceled while it was in flight');
    const is = OUTCOMES[failure.kind];
    // The server retries every other failure.
    if (!is) throw unexpected(title, failure);
    return { is, failure };
  } finally {
    endWait();
  }
}

/** Reports a failure that reaches the workflow only if the activity was canceled: the server then makes no other attempt. */
function isRetriedByServer(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  const isRetryable = cause instanceof ApplicationFailure && cause.nonRetryable !== true;
  return isRetryable && knownFailureOf(error) === undefined;
}

function writeOutcome({ kind, saved, refusesReads }: PartnerErrorDetails): WriteOutcome {
  if (kind === 'Uncertain' || saved !== undefined || refusesReads === false) return 'uncertain';
  return kind === 'Rejected' ? 'rejected' : 'none';
}

const OUTCOMES: Readonly<Partial<Record<PartnerErrorDetails['kind'], FailedOutcome['is']>>> = {
  Rejected: 'rejected',
  Forbidden: 'forbidden',
  Uncertain: 'uncertain',
};

const unexpected = (title: string, { kind }: PartnerErrorDetails) =>
  new Error(`${title}: unexpected ${kind}`);

/** Makes one call of a write. If canceled, records the outcome. */
function attemptWrite<Result>(
  context: StepContext,
  step: IdentifiedWrite,
  run: () => Promise<Result>,
  outcomeIfCanceled: () => WriteOutcome,
): Promise<Outcome<Result, PartnerErrorDetails>> {
  const onEnd = (outcome = outcomeIfCanceled()) => {
    if (context.isCancelled) context.writes.cancelled(step, outcome);
  };
  return attempt(context, step.title, run, { onEnd });
}

/** Records a partner's warning in the timeline. A warning does not fail a step. */
function keepWarnings({ record }: StepContext, title: string, result: unknown): void {
  const { warnings = [] } = (result ?? {}) as { readonly warnings?: readonly string[] };
  for (const warning of warnings) record('partner-warned', { detail: `${title}: ${redact(warning)}` });
}

async function findEvidence<Result>(
  { record }: StepContext,
  { title, readEvidence }: OnceWrite<Result>,
  earlier: EarlierAttempts,
): Promise<Proof<Result>> {
  const proof = readEvidence === 'none' ? undefined : await readEvidence(earlier);
  if (proof && earlier.isUncertain) record('write-confirmed', { detail: `${title}: found at the partner` });
  return proof;
}

/** Finds out whether an uncertain write took effect, from evidence at the partner or from a person. */
async function resolveUncertain<Result>(
  context: StepContext,
  step: OnceWrite<Result>,
  earlier: EarlierAttempts,
  failure: PartnerErrorDetails,
): Promise<Verdict<Result>> {
  const { record, ask, writes } = context;
  const { system, operation, reason } = failure;
  writes.uncertain(step);
  const sent = describeSending(step, failure);
  record('write-uncertain', { detail: `${step.title}, ${sent}: ${reason}` }, { system, operation });
  const proof = await findEvidence(context, step, earlier);
  const verdict =
    proof ??
    (await askUntilDecided(context, step, earlier, (refused, isOver) =>
      ask(uncertainWriteQuestion(step, failure, refused), isOver),
    ));
  writes.resolve(step);
  return verdict;
}
