/**
 * The rules of underwriting, as pure functions. They take the state of a boarding, the partner's status and people's answers, and
 * return the next state, commands (ask, close, set), the next task and the outcome. `runtime/until-decided.ts` applies them.
 */
import type { SeenStatus, StatusSnapshot } from '../../messages/boarding-activities.js';
import type { MerchantBoardingOutcome } from '../../messages/onboardings.js';
import { merchantOutcome } from '../../messages/outcomes.js';
import type { Requirement, RequirementKind } from '../../messages/requirements.js';
import {
  isDecided,
  isMerchantUnderReview,
  MERCHANT_PHASES,
  type MerchantPhase,
} from '../../partners/boarding/phases.js';
import { redact } from '../../platform/privacy/masked.js';
import {
  answeredOfKind,
  askOnce,
  type Command,
  closeSuperseded,
  commandsIf,
  deadlinesOf,
  type End,
  filterRecord,
  isAskedTooOften,
  nextTime,
  openOfKind,
  PARTNER_MOVED_ON,
  type Plan,
  type Questions,
  type Reduction,
} from '../runtime/reducer.js';
import type { PendingAnswer } from '../runtime/state.js';
import { changesQuestion, midQuestion, noteQuestion, submissionQuestion } from './questions.js';
import {
  comparable,
  NO_CHANGES,
  toSeen,
  trackChanges,
  type VolatileFields,
  volatileFields,
} from './volatile-fields.js';

/** Identifies one occurrence of a status: the partner can set a status of the same name again, with a new date. */
export type StatusVersion = Pick<StatusSnapshot, 'status' | 'statusDate'>;

/** The status in which an answer was delivered. */
export interface DeliveredAnswer extends StatusVersion {
  /**
   * In milliseconds since 1970. If the partner still lists the note by then, a person is asked again: it may have lost the answer.
   */
  readonly until: number;
}

/** The partner state of a boarding: the last status read, and the submission and answers sent. */
export interface BoardingState {
  readonly seen: SeenStatus;
  /** null if unknown, because the merchant was imported or a person confirmed its create. */
  readonly submitted: boolean | null;
  /** When the partner should show our submission at the latest, in milliseconds since 1970. */
  readonly dueAt?: number;
  /** The status in which the partner asked for the changes that were submitted last. */
  readonly changesSentIn?: StatusVersion;
  /** The submission did not show in time, so a person decides whether to submit again. */
  readonly isSubmissionLost?: boolean;
  /** The phase in which Gangway asked whether the merchant was submitted. Absent once a person has answered. */
  readonly unclearPhase?: MerchantPhase;
  /** Delivered answers, by note ID. */
  readonly delivered: Readonly<Record<string, DeliveredAnswer>>;
  /** IDs of uploaded documents whose review has not been requested yet. */
  readonly uploaded: readonly string[];
  /**
   * Sets of answers that the partner refused in this status, each by {@link requirementIdsOf}. Gangway sends them again in another
   * status, or at `until` (in milliseconds since 1970), if the partner only did not list their notes.
   */
  readonly refusedAnswers?: StatusVersion & { readonly answers: readonly string[]; readonly until?: number };
  readonly volatile: VolatileFields;
}

export const INITIAL_BOARDING_STATE: BoardingState = {
  seen: { phase: null },
  submitted: null,
  delivered: {},
  uploaded: [],
  volatile: NO_CHANGES,
};

export const UNSUBMITTED_STATE: BoardingState = {
  ...INITIAL_BOARDING_STATE,
  seen: { phase: 'not-submitted' },
  submitted: false,
};

/** The kinds of requirements that these rules raise. Steps raise others, and handle their answers themselves. */
export const BOARDING_RULE_KINDS = [
  'underwriting-note',
  'changes-requested',
  'not-submitted',
  'unclear-mid',
] as const;

export interface BoardingContext extends Questions {
  readonly merchantProfileId: number;
  readonly dba: string;
  /** Gangway sends only what a person asks for. */
  readonly isFollowed: boolean;
  /** A write is in flight. It may contain answers. */
  readonly isWriting: boolean;
  readonly consecutiveChanges: number;
  /** In milliseconds since 1970. */
  readonly now: number;
}

export function reduceBoarding(
  before: BoardingState,
  now: StatusSnapshot,
  context: BoardingContext,
): Reduction<BoardingState> {
  const volatile = trackChanges(before.volatile, before.seen, now, context.consecutiveChanges);
  const statusChanges = [...statusCommands(before.seen, now), ...volatileCommands(volatile)];
  const seen = toSeen(now, before.seen);
  const outcome = merchantOutcome(seen, context.merchantProfileId);
  if (outcome) {
    const midChange = outcome.outcome === 'boarded' ? [{ set: { mid: outcome.mid } }] : [];
    return { state: { ...before, volatile, seen }, commands: [...statusChanges, ...midChange] };
  }
  const delivered = currentDeliveries(before.delivered, now, volatile);
  const commands = [
    ...statusChanges,
    ...notesCommands({ ...before, delivered }, now, context),
    ...changesCommands({ ...before, volatile }, now, context),
    ...submissionCommands(before, now, context),
    ...midCommands(now, context),
    ...commandsIf(!isUnsubmitted(before, now.phase), {
      set: { stage: now.phase === 'approved' ? 'boarding' : 'underwriting' },
    }),
  ];
  return { state: { ...before, volatile, delivered, seen }, commands };
}

/** Publishes the status. Records a new status in the timeline, and a `mid` that is not final yet. */
function statusCommands(
  seen: SeenStatus,
  { status, phase, comment, mid, unclearMid }: StatusSnapshot,
): readonly Command[] {
  const isKnown = status === seen.status || (seen.status === undefined && phase === seen.phase);
  const isRecorded = isKnown && comment === (seen.comment ?? null);
  const detail = comment === null ? status : `${status}: ${redact(comment)}`;
  const visibleMid = mid ?? unclearMid;
  const isTemporary =
    visibleMid !== null && visibleMid !== (seen.mid ?? seen.unclearMid) && phase !== 'approved';
  return [
    { set: { partnerStatus: status } },
    ...commandsIf(!isRecorded, { record: 'status-changed', detail: detail }),
    ...commandsIf(isTemporary, {
      record: 'temporary-mid',
      detail: `${visibleMid}, not final before approval`,
    }),
  ];
}

function volatileCommands(volatile: VolatileFields): readonly Command[] {
  const fields = volatileFields(volatile).join(', ');
  const detail = `changes with each read, no longer compared: ${fields}`;
  return commandsIf(fields !== '', { record: 'volatile', detail });
}

/**
 * Returns the deliveries that still count. A delivery counts until the partner sets a new status: if the note is still listed then,
 * a person is asked again. A volatile date can hide a new status of the same name, so a delivery also ends when its note
 * disappears. If notes cannot be read, or the partner may still list answered notes (`in-review`), all deliveries count.
 */
function currentDeliveries(
  delivered: BoardingState['delivered'],
  { status, phase, statusDate, notes, isWithoutNotes }: StatusSnapshot,
  volatile: VolatileFields,
): BoardingState['delivered'] {
  if (MERCHANT_PHASES[phase].answerToGoneNote === 'waits' || isWithoutNotes) return delivered;
  const isCurrent = ([id, delivery]: [string, DeliveredAnswer]) => {
    // A note can disappear without a new status: a review may take effect after the status is read and before the notes are.
    const mayBeListed = notes.some((note) => note.id === id) || !volatile.hasVolatileDate;
    return mayBeListed && isSameStatus(delivery, { status, statusDate }, volatile);
  };
  return Object.fromEntries(Object.entries(delivered).filter(isCurrent));
}

/**
 * Asks a person about each listed note without a delivered answer. When a note disappears, closes its question and drops its
 * undelivered answer, except while `in-review`, or if the answer's document is uploaded: an older read may lack the note, and a
 * person who is asked again uploads the document twice.
 */
function notesCommands(
  { delivered, uploaded }: Pick<BoardingState, 'delivered' | 'uploaded'>,
  { phase, notes, isWithoutNotes }: StatusSnapshot,
  context: BoardingContext,
): readonly Command[] {
  if (isWithoutNotes) return [];
  const answered = answeredOfKind(context, 'underwriting-note').map(({ requirement: { id } }) => id);
  const { closed, remaining } = closeSuperseded('underwriting-note', context, {
    isCurrent: (requirement) =>
      notes.some(({ id }) => id === requirement.about) ||
      isAskedTooOften(requirement) ||
      (answered.includes(requirement.id) && isUploaded(uploaded, requirement)),
    dropsAnswer: MERCHANT_PHASES[phase].answerToGoneNote === 'dropped' && !context.isWriting,
    why: () => 'the underwriters no longer ask',
  });
  if (!isMerchantUnderReview(phase)) return closed;
  const isNew = (id: string) => !Object.hasOwn(delivered, id) && !remaining.some(({ about }) => about === id);
  return [...closed, ...notes.filter(({ id }) => isNew(id)).map((note) => ({ ask: noteQuestion(note) }))];
}

/**
 * Asks a person once for the changes that the partner wants. If the partner then wants other changes, drops the answer and asks
 * again. In any other phase, closes the question, and drops its answer if underwriting has resumed (`pending`, `in-review`).
 */
export function changesCommands(
  { seen, volatile, isSubmissionLost }: Pick<BoardingState, 'seen' | 'volatile' | 'isSubmissionLost'>,
  { status, phase, statusDate, comment }: StatusSnapshot,
  context: BoardingContext,
): readonly Command[] {
  const { changes } = MERCHANT_PHASES[phase];
  const question = changes === 'submitted' ? changesQuestion(comment) : undefined;
  const isCurrent = ({ detail }: Requirement) => detail === question?.detail;
  const isNew =
    isSubmissionLost ||
    !isSameStatus(seen, { status, statusDate }, volatile) ||
    comment !== seen.comment ||
    // The partner asked for other changes while this answer was in flight.
    answeredOfKind(context, 'changes-requested').some(({ requirement }) => !isCurrent(requirement));
  return askOnce('changes-requested', isNew ? question : undefined, context, {
    isCurrent,
    dropsAnswer: changes !== 'waits' && !context.isWriting,
    why: () => PARTNER_MOVED_ON,
  });
}

/** Reports whether the partner has a document of an answer whose review is not requested yet. */
function isUploaded(uploaded: BoardingState['uploaded'], { id }: Requirement): boolean {
  return uploaded.some((key) => key.startsWith(`${id}/`));
}

/** Reports whether the merchant may be unsubmitted: the partner says so, it is unclear, or it is `pending` without a submission. */
function isUnsubmitted(before: BoardingState, phase: MerchantPhase): boolean {
  return (
    phase === 'not-submitted' ||
    isUnclear(before, phase) ||
    (before.submitted === false && phase === 'pending')
  );
}

function isUnclear({ submitted, unclearPhase }: BoardingState, phase: MerchantPhase): boolean {
  if (submitted || unclearPhase === undefined) return false;
  return phase === unclearPhase || (phase === 'pending' && submitted === false);
}

function submissionCommands(
  before: BoardingState,
  { phase, status }: StatusSnapshot,
  context: BoardingContext,
): readonly Command[] {
  const { isSubmissionLost = false } = before;
  const isAsked =
    phase === 'not-submitted' ? context.isFollowed || isSubmissionLost : isUnclear(before, phase);
  const { closed, remaining } = closeSuperseded('not-submitted', context, {
    isCurrent: () => isAsked,
    dropsAnswer: !context.isWriting,
    why: () => PARTNER_MOVED_ON,
  });
  if (!isAsked || (before.submitted && !isSubmissionLost) || remaining.length > 0) return closed;
  const why = isSubmissionLost ? 'lost' : phase === 'not-submitted' ? 'missing' : 'unclear';
  return [{ set: { stage: 'applying' } }, { ask: submissionQuestion(why, context, status) }];
}

/** Asks a person to confirm an approved merchant's mid that has an unexpected form. Asks again if the mid changes. */
function midCommands({ phase, unclearMid }: StatusSnapshot, context: BoardingContext): readonly Command[] {
  const isUnclear = phase === 'approved' && unclearMid !== null;
  const question = isUnclear ? midQuestion(context.merchantProfileId, unclearMid) : undefined;
  return askOnce('unclear-mid', question, context, {
    isCurrent: ({ detail }) => detail === question?.detail,
    dropsAnswer: true,
    why: () => 'the partner shows another mid',
  });
}

export type PendingTask =
  | { readonly send: 'application' }
  | { readonly send: 'submission'; readonly answers: readonly PendingAnswer[] }
  | { readonly send: 'answers'; readonly answers: readonly PendingAnswer[] }
  /** Only reads the status, because an accepted write should show by now. */
  | { readonly send: 'nothing' };

/**
 * Returns the next task:
 * - `application`, once; later a `submission` of requested changes, or because a person asks for it
 * - `answers`, once all notes are answered, unless the partner has refused the same answers in this status
 * - `nothing`, a read, when an accepted write should show by now
 */
export function pendingTask(state: BoardingState, context: BoardingContext): PendingTask | undefined {
  const { seen, submitted, isSubmissionLost, refusedAnswers, volatile } = state;
  const { phase } = seen;
  if (phase === null) return undefined;
  const submission = (kind: RequirementKind): PendingTask | undefined => {
    const answers = answeredOfKind(context, kind);
    return answers.length > 0 ? { send: 'submission', answers } : undefined;
  };
  if (MERCHANT_PHASES[phase].changes === 'submitted')
    return submission('changes-requested') ?? readAtDeadline(state, context);
  if (phase === 'not-submitted') {
    if (submitted && !isSubmissionLost) return readAtDeadline(state, context);
    return context.isFollowed || isSubmissionLost ? submission('not-submitted') : { send: 'application' };
  }
  const confirmed = isUnclear(state, phase) ? submission('not-submitted') : undefined;
  if (confirmed) return confirmed;
  // An answer that was kept for its document is sent once its note is listed again.
  const isListed = ({ about }: Requirement) => (seen.noteIds ?? []).some((id) => id === about);
  const answers = answeredOfKind(context, 'underwriting-note').filter(
    ({ requirement }) =>
      isListed(requirement) || isAskedTooOften(requirement) || !isUploaded(state.uploaded, requirement),
  );
  const isComplete = answers.length > 0 && openOfKind(context, 'underwriting-note').length === 0;
  if (!isComplete || MERCHANT_PHASES[phase].answer === 'waits') return readAtDeadline(state, context);
  const isDeferred =
    refusedAnswers !== undefined &&
    isSameStatus(refusedAnswers, seen, volatile) &&
    (refusedAnswers.until ?? Number.POSITIVE_INFINITY) > context.now &&
    refusedAnswers.answers.includes(requirementIdsOf(answers));
  return isDeferred ? undefined : { send: 'answers', answers };
}

/** Reports whether the partner shows what it showed before our last submission. */
export function isUnchangedSinceSubmission(
  { changesSentIn, volatile }: BoardingState,
  { phase, ...status }: Pick<SeenStatus, 'phase'> & Partial<StatusVersion>,
): boolean {
  if (phase !== 'changes-requested') return phase === 'not-submitted';
  return changesSentIn !== undefined && isSameStatus(changesSentIn, status, volatile);
}

function readAtDeadline(state: BoardingState, { now }: BoardingContext): PendingTask | undefined {
  return pendingDeadlines(state).some((time) => time <= now) ? { send: 'nothing' } : undefined;
}

/** The times by which the partner should show our submission, and should no longer list answered notes. */
function pendingDeadlines(state: BoardingState): readonly number[] {
  const { delivered, submitted, isSubmissionLost, dueAt, seen } = state;
  const { phase, noteIds = [] } = seen;
  if (isUnchangedSinceSubmission(state, seen))
    return submitted && !isSubmissionLost && dueAt !== undefined ? [dueAt] : [];
  // During a review, the partner may list answered notes.
  if (phase === null || MERCHANT_PHASES[phase].proves === 'review') return [];
  return deadlinesOf(filterRecord(delivered, (id) => noteIds.includes(id)));
}

/** Returns at most one pending task, because the partner accepts one change of a merchant at a time. */
export function planBoarding(
  state: BoardingState,
  context: BoardingContext,
): Plan<SeenStatus, PendingTask, MerchantBoardingOutcome> {
  const pending = pendingTask(state, context);
  const { phase } = state.seen;
  const outcome = merchantOutcome(state.seen, context.merchantProfileId);
  // Keep reading during a write while a person is asked, because a decision closes the question, and after a decision, because the
  // partner may take it back.
  const mayChange = context.open.length > 0 || (phase !== null && isDecided(phase));
  return {
    pending: pending ? [{ task: 'write', ...pending }] : [],
    wakeAt: nextTime([...pendingDeadlines(state), state.refusedAnswers?.until ?? 0], context.now),
    baseline: !context.isWriting || mayChange ? comparable(state.volatile, state.seen) : undefined,
    end: outcome ? { outcome, commands: [] } : endByConfirmedMid(context),
  };
}

function endByConfirmedMid(context: BoardingContext): End<MerchantBoardingOutcome> | undefined {
  const answered = answeredOfKind(context, 'unclear-mid');
  const answer = answered[0]?.resolution.answer;
  if (answer?.kind !== 'confirm') return undefined;
  const { id: mid } = answer;
  const removed = answered.map(({ requirement: { id } }) => ({ remove: id }));
  return {
    outcome: { outcome: 'boarded', mid, merchantProfileId: context.merchantProfileId },
    commands: [{ set: { mid } }, ...removed, { record: 'mid-confirmed', detail: mid }],
  };
}

export function requirementIdsOf(answers: readonly PendingAnswer[]): string {
  return answers.map(({ requirement }) => requirement.id).join();
}

/** Reports whether both are the same occurrence of a status. */
function isSameStatus(
  one: Partial<StatusVersion>,
  other: Partial<StatusVersion>,
  { hasVolatileDate }: VolatileFields,
): boolean {
  return one.status === other.status && (hasVolatileDate || one.statusDate === other.statusDate);
}
