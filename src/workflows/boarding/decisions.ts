/**
 * All rules of underwriting, as functions of values. They take the state of a boarding, the partner's status and people's answers.
 * They return the next state, what to ask and close, what to send next, and the outcome. `runtime/until-decided.ts` applies it.
 */
import type { Seen, StatusSnapshot } from '../../messages/boarding-activities.js';
import type { MerchantBoardingOutcome } from '../../messages/onboardings.js';
import { merchantOutcome } from '../../messages/outcomes.js';
import type { RequirementKind } from '../../messages/requirements.js';
import {
  isDecided,
  isUnderReview,
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
  isVolatile,
  MOVED_ON,
  nextTime,
  openOfKind,
  type Plan,
  type Questions,
  type Reduction,
} from '../runtime/rules.js';
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

export type StatusMark = Pick<StatusSnapshot, 'status' | 'statusDate'>;

/** The status in which an answer was delivered. If the partner lists the note under a later status, it asks again. */
export interface DeliveryMark extends StatusMark {
  /** In milliseconds since 1970: a note that is still listed at this time is asked again. The partner may have lost the answer. */
  readonly until: number;
}

/** What a boarding knows about underwriting. Each run passes it to the next. */
export interface BoardingState {
  readonly seen: Seen;
  /** null when unknown: the merchant was imported, or a person confirmed its create. */
  readonly submitted: boolean | null;
  /** In milliseconds since 1970: the latest time at which the partner should show our submission. */
  readonly shownBy?: number;
  /** It did not. A person says whether to submit again. */
  readonly isLost?: boolean;
  /** The phase in which nobody knows whether somebody has submitted the merchant. A person is asked meanwhile. */
  readonly unclearIn?: MerchantPhase;
  /** By the IDs of the notes. */
  readonly delivered: Readonly<Record<string, DeliveryMark>>;
  /** Documents that the partner has, of answers that are not delivered as a whole. */
  readonly uploaded: readonly string[];
  /** The answers that wait because the partner did not take them in this status. */
  readonly notTaken?: StatusMark & { readonly answers: string };
  readonly volatile: VolatileFields;
}

export const INITIAL_STATE: BoardingState = {
  seen: { phase: null },
  submitted: null,
  delivered: {},
  uploaded: [],
  volatile: NO_CHANGES,
};

export const UNSUBMITTED_STATE: BoardingState = {
  ...INITIAL_STATE,
  seen: { phase: 'not-submitted' },
  submitted: false,
};

/** The kinds of requirements that these rules raise; steps raise others, which end the boarding themselves when they are abandoned. */
export const RAISED_KINDS = [
  'underwriting-note',
  'changes-requested',
  'not-submitted',
  'unclear-mid',
] as const;

export interface BoardingContext extends Questions {
  readonly merchantProfileId: number;
  readonly dba: string;
  /** Nothing is sent unless a person asked for it. */
  readonly isFollowed: boolean;
  /** A write is in flight, perhaps with answers. */
  readonly isWriting: boolean;
  readonly inARow: number;
  /** In milliseconds since 1970. */
  readonly now: number;
}

export function reduce(
  before: BoardingState,
  now: StatusSnapshot,
  context: BoardingContext,
): Reduction<BoardingState> {
  const volatile = trackChanges(before.volatile, before.seen, now, context.inARow);
  const statusCommands = [...showStatus(before.seen, now), ...showVolatile(volatile)];
  const seen = toSeen(now, before.seen);
  const outcome = merchantOutcome(seen, context.merchantProfileId);
  if (outcome) {
    const midChange = outcome.outcome === 'boarded' ? [{ set: { mid: outcome.mid } }] : [];
    return { state: { ...before, volatile, seen }, commands: [...statusCommands, ...midChange] };
  }
  const delivered = currentDeliveries(before.delivered, now, volatile);
  const commands = [
    ...statusCommands,
    ...onNotes(delivered, now, context),
    ...onChangesRequested({ seen: before.seen, volatile }, now, context),
    ...onNotSubmitted(before, now, context),
    ...onUnclearMid(now, context),
    ...commandsIf(!isUnsubmitted(before, now.phase), {
      set: { stage: now.phase === 'approved' ? 'boarding' : 'underwriting' },
    }),
  ];
  return { state: { ...before, volatile, delivered, seen }, commands };
}

/** A new status goes into the timeline, and so does a `mid` that is not final. */
function showStatus(
  seen: Seen,
  { status, phase, comment, mid, unclearMid }: StatusSnapshot,
): readonly Command[] {
  const isKnown = status === seen.status || (seen.status === undefined && phase === seen.phase);
  const isSaid = isKnown && comment === (seen.comment ?? null);
  const said = comment === null ? status : `${status}: ${redact(comment)}`;
  const visibleMid = mid ?? unclearMid;
  const isTemporary =
    visibleMid !== null && visibleMid !== (seen.mid ?? seen.unclearMid) && phase !== 'approved';
  return [
    { set: { partnerStatus: status } },
    ...commandsIf(!isSaid, { record: 'status-changed', detail: said }),
    ...commandsIf(isTemporary, {
      record: 'temporary-mid',
      detail: `${visibleMid}, not final before approval`,
    }),
  ];
}

function showVolatile(volatile: VolatileFields): readonly Command[] {
  const fields = volatileFields(volatile).join(', ');
  const detail = `changes with each read, no longer compared: ${fields}`;
  return commandsIf(fields !== '', { record: 'volatile', detail });
}

/**
 * A note listed in a status set after its delivery is asked again. While `in-review`, the partner may still list a note that was
 * answered.
 */
function currentDeliveries(
  delivered: BoardingState['delivered'],
  { status, phase, statusDate, notes, isWithoutNotes }: StatusSnapshot,
  volatile: VolatileFields,
): BoardingState['delivered'] {
  if (MERCHANT_PHASES[phase].answerToGoneNote === 'waits' || isWithoutNotes) return delivered;
  const isStill = ([id, mark]: [string, DeliveryMark]) => {
    // The status is read before the notes. If a review takes effect in between, the old status comes without the note.
    const mayBeListed = notes.some((note) => note.id === id) || !volatile.hasVolatileDate;
    return mayBeListed && isSame(mark, { status, statusDate }, volatile);
  };
  return Object.fromEntries(Object.entries(delivered).filter(isStill));
}

/**
 * Asks a person about each listed note without a delivered answer. When a note disappears, its question closes and its undelivered
 * answer is dropped; while `in-review`, the answer is kept.
 */
function onNotes(
  delivered: BoardingState['delivered'],
  { phase, notes, isWithoutNotes }: StatusSnapshot,
  context: BoardingContext,
): readonly Command[] {
  if (isWithoutNotes) return [];
  const { closed, remaining } = closeSuperseded('underwriting-note', context, {
    isCurrent: (requirement) => notes.some(({ id }) => id === requirement.about) || isVolatile(requirement),
    drops: MERCHANT_PHASES[phase].answerToGoneNote === 'dropped' && !context.isWriting,
    why: () => 'the underwriters no longer ask',
  });
  if (!isUnderReview(phase)) return closed;
  const isNew = (id: string) => !Object.hasOwn(delivered, id) && !remaining.some(({ about }) => about === id);
  return [...closed, ...notes.filter(({ id }) => isNew(id)).map((note) => ({ ask: noteQuestion(note) }))];
}

/**
 * A person is asked once for the changes that the partner wants. When it wants something else, the question closes, the answer is
 * dropped, and a person is asked again. When underwriting continues, the question and its answer end. In other statuses an answer waits.
 */
export function onChangesRequested(
  { seen, volatile }: Pick<BoardingState, 'seen' | 'volatile'>,
  { status, phase, statusDate, comment }: StatusSnapshot,
  context: BoardingContext,
): readonly Command[] {
  const { changes } = MERCHANT_PHASES[phase];
  const question = changes === 'submitted' ? changesQuestion(comment) : undefined;
  const isNew = !isSame(seen, { status, statusDate }, volatile) || comment !== seen.comment;
  return askOnce('changes-requested', isNew ? question : undefined, context, {
    isCurrent: ({ detail }) => detail === question?.detail,
    drops: changes !== 'waits' && !context.isWriting,
    why: () => MOVED_ON,
  });
}

/** Reports whether the phase may be one before a submission, and nobody has sent or confirmed one. */
function isUnsubmitted(before: BoardingState, phase: MerchantPhase): boolean {
  return (
    phase === 'not-submitted' ||
    isUnclear(before, phase) ||
    (before.submitted === false && phase === 'pending')
  );
}

function isUnclear({ submitted, unclearIn }: BoardingState, phase: MerchantPhase): boolean {
  if (submitted || unclearIn === undefined) return false;
  return phase === unclearIn || (phase === 'pending' && submitted === false);
}

function onNotSubmitted(
  before: BoardingState,
  { phase, status }: StatusSnapshot,
  context: BoardingContext,
): readonly Command[] {
  const { isLost = false } = before;
  const isAsked = phase === 'not-submitted' ? context.isFollowed || isLost : isUnclear(before, phase);
  const { closed, remaining } = closeSuperseded('not-submitted', context, {
    isCurrent: () => isAsked,
    drops: !context.isWriting,
    why: () => MOVED_ON,
  });
  if (!isAsked || (before.submitted && !isLost) || remaining.length > 0) return closed;
  const why = isLost ? 'lost' : phase === 'not-submitted' ? 'missing' : 'unclear';
  return [{ set: { stage: 'applying' } }, { ask: submissionQuestion(why, context, status) }];
}

/** A person is asked about a mid of an unexpected form, once the merchant is approved, until the partner shows another one. */
function onUnclearMid({ phase, unclearMid }: StatusSnapshot, context: BoardingContext): readonly Command[] {
  const isUnclear = phase === 'approved' && unclearMid !== null;
  const question = isUnclear ? midQuestion(context.merchantProfileId, unclearMid) : undefined;
  return askOnce('unclear-mid', question, context, {
    isCurrent: ({ detail }) => detail === question?.detail,
    drops: true,
    why: () => 'the partner shows another mid',
  });
}

export type PendingSend =
  | { readonly send: 'application' }
  | { readonly send: 'submission'; readonly answers: readonly PendingAnswer[] }
  | { readonly send: 'answers'; readonly answers: readonly PendingAnswer[] }
  /** Nothing. The status is read once more, because something that the partner accepted should show by now. */
  | { readonly send: 'late read' };

/**
 * Returns what the status calls for: the application once, and again when a person has answered what the partner wants changed; the
 * answers to notes, once all are answered, unless the partner has already declined exactly these answers in this status.
 */
export function pendingSend(state: BoardingState, context: BoardingContext): PendingSend | undefined {
  const { seen, submitted, isLost, notTaken, volatile } = state;
  const { phase } = seen;
  if (phase === null) return undefined;
  const submission = (kind: RequirementKind): PendingSend | undefined => {
    const answers = answeredOfKind(context, kind);
    return answers.length > 0 ? { send: 'submission', answers } : undefined;
  };
  if (MERCHANT_PHASES[phase].changes === 'submitted') return submission('changes-requested');
  if (phase === 'not-submitted') {
    if (submitted && !isLost) return readAtDeadline(state, context);
    return context.isFollowed || isLost ? submission('not-submitted') : { send: 'application' };
  }
  const confirmed = isUnclear(state, phase) ? submission('not-submitted') : undefined;
  if (confirmed) return confirmed;
  const answers = answeredOfKind(context, 'underwriting-note');
  const isComplete = answers.length > 0 && openOfKind(context, 'underwriting-note').length === 0;
  if (!isComplete || MERCHANT_PHASES[phase].answer === 'waits') return readAtDeadline(state, context);
  const isNotTaken =
    notTaken !== undefined && isSame(notTaken, seen, volatile) && notTaken.answers === idsOf(answers);
  return isNotTaken ? undefined : { send: 'answers', answers };
}

function readAtDeadline(state: BoardingState, { now }: BoardingContext): PendingSend | undefined {
  return pendingDeadlines(state).some((time) => time <= now) ? { send: 'late read' } : undefined;
}

/** The times by which the partner should show what it accepted: our submission, and answers to notes that it still lists. */
function pendingDeadlines({ delivered, submitted, isLost, shownBy, seen }: BoardingState): readonly number[] {
  const { phase, noteIds = [] } = seen;
  if (phase === 'not-submitted') return submitted && !isLost && shownBy !== undefined ? [shownBy] : [];
  // While the partner reviews answers, it may list their notes.
  if (phase === null || MERCHANT_PHASES[phase].proves === 'review') return [];
  return deadlinesOf(filterRecord(delivered, (id) => noteIds.includes(id)));
}

/** Returns the next action, as one task, because the partner accepts one change of a merchant at a time. */
export function plan(
  state: BoardingState,
  context: BoardingContext,
): Plan<Seen, PendingSend, MerchantBoardingOutcome> {
  const pending = pendingSend(state, context);
  const { phase } = state.seen;
  const outcome = merchantOutcome(state.seen, context.merchantProfileId);
  // A decision ends a question, and the partner may take a decision back: only a read shows either.
  const mayChange = context.open.length > 0 || (phase !== null && isDecided(phase));
  return {
    pending: pending ? [{ task: 'write', ...pending }] : [],
    wakeAt: nextTime(pendingDeadlines(state), context.now),
    baseline: !context.isWriting || mayChange ? comparable(state.volatile, state.seen) : undefined,
    end: outcome ? { outcome, commands: [] } : endedByConfirmedMid(context),
  };
}

function endedByConfirmedMid(context: BoardingContext): End<MerchantBoardingOutcome> | undefined {
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

export function idsOf(answers: readonly PendingAnswer[]): string {
  return answers.map(({ requirement }) => requirement.id).join();
}

/** Reports whether the partner has not set another status since. */
function isSame(
  one: Partial<StatusMark>,
  other: Partial<StatusMark>,
  { hasVolatileDate }: VolatileFields,
): boolean {
  return one.status === other.status && (hasVolatileDate || one.statusDate === other.statusDate);
}
