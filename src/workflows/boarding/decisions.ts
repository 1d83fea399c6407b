/**
 * All rules of underwriting, as functions of values. They take what a boarding remembers, what the partner shows and what people
 * answered. They return what to ask, what to close, what to send next, how it ends, and what to remember. `journey/until-decided.ts` applies it.
 */
import type { Note, Seen, StatusSnapshot } from '../../messages/boarding-activities.js';
import type { MerchantBoardingOutcome } from '../../messages/onboardings.js';
import { merchantOutcome } from '../../messages/outcomes.js';
import type { RequirementKind } from '../../messages/requirements.js';
import {
  isDecided,
  isUnderReview,
  MERCHANT_PHASES,
  type MerchantPhase,
} from '../../partners/boarding/phases.js';
import { masked } from '../../platform/privacy/masked.js';
import {
  type Asked,
  answeredOf,
  closeMoot,
  type Decision,
  type Ended,
  isRestless,
  MOVED_ON,
  type Next,
  nextTime,
  only,
  openOf,
  type Reaction,
  timesOf,
  when,
} from '../journey/rules.js';
import type { Answered, Question } from '../journey/state.js';
import { CALM, calmed, comparable, type Restless, seenOf, tracked } from './restless.js';

export type StatusMark = Pick<StatusSnapshot, 'status' | 'statusDate'>;

/** The status in which an answer was delivered. If the partner lists the note under a later status, it asks again. */
export interface Delivered extends StatusMark {
  /** In milliseconds since 1970: a note that is still listed at this time is asked again. The partner may have lost the answer. */
  readonly until: number;
}

/** A boarding's memory of underwriting. A run passes it to the next one. */
export interface Remembered {
  readonly seen: Seen;
  /** null when nobody knows, because the merchant was adopted. */
  readonly submitted: boolean | null;
  /** In milliseconds since 1970: the latest time at which the partner should show our submission. */
  readonly shownBy?: number;
  /** It did not. A person says whether to submit again. */
  readonly isLost?: boolean;
  /** The phase in which nobody knows whether somebody has submitted the merchant. A person is asked meanwhile. */
  readonly unclearIn?: MerchantPhase;
  /** By the IDs of the notes. */
  readonly delivered: Readonly<Record<string, Delivered>>;
  /** Documents that the partner has, of answers that are not delivered as a whole. */
  readonly uploaded: readonly string[];
  /** The answers that wait because the partner did not take them in this status. */
  readonly notTaken?: StatusMark & { readonly answers: string };
  readonly restless: Restless;
}

export const NOTHING: Remembered = {
  seen: { phase: null },
  submitted: null,
  delivered: {},
  uploaded: [],
  restless: CALM,
};

export const UNSUBMITTED: Remembered = { ...NOTHING, seen: { phase: 'not-submitted' }, submitted: false };

/** The kinds of requirements that these rules raise; steps raise others, which end the boarding themselves when they are abandoned. */
export const KINDS = ['underwriting-note', 'request-changes', 'not-submitted', 'unclear-mid'] as const;

export interface Situation extends Asked {
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

export function onRead(before: Remembered, now: StatusSnapshot, situation: Situation): Reaction<Remembered> {
  const restless = tracked(before.restless, before.seen, now, situation.inARow);
  const shown = [...showStatus(before.seen, now), ...showRestless(restless)];
  const seen = seenOf(now, before.seen);
  const outcome = merchantOutcome(seen, situation.merchantProfileId);
  if (outcome) {
    const known = outcome.outcome === 'boarded' ? [{ know: { mid: outcome.mid } }] : [];
    return { remember: { ...before, restless, seen }, decisions: [...shown, ...known] };
  }
  const delivered = stillDelivered(before.delivered, now, restless);
  const decisions = [
    ...shown,
    ...onNotes(delivered, now, situation),
    ...onChangesRequested({ seen: before.seen, restless }, now, situation),
    ...onNotSubmitted(before, now, situation),
    ...onUnclearMid(now, situation),
    ...when(!isUnsubmitted(before, now.phase), {
      know: { stage: now.phase === 'approved' ? 'boarding' : 'underwriting' },
    }),
  ];
  return { remember: { ...before, restless, delivered, seen }, decisions };
}

/** A new status goes into the timeline, and so does a `mid` that is not final. */
function showStatus(
  seen: Seen,
  { status, phase, comment, mid, unclearMid }: StatusSnapshot,
): readonly Decision[] {
  const isKnown = status === seen.status || (seen.status === undefined && phase === seen.phase);
  const isSaid = isKnown && comment === (seen.comment ?? null);
  const said = comment === null ? status : `${status}: ${masked(comment)}`;
  const shown = mid ?? unclearMid;
  const isTemporary = shown !== null && shown !== (seen.mid ?? seen.unclearMid) && phase !== 'approved';
  return [
    { know: { partnerStatus: status } },
    ...when(!isSaid, { record: 'status-changed', detail: said }),
    ...when(isTemporary, { record: 'temporary-mid', detail: `${shown}, not final before approval` }),
  ];
}

function showRestless(restless: Restless): readonly Decision[] {
  const fields = calmed(restless).join(', ');
  const detail = `changes with each read, no longer compared: ${fields}`;
  return when(fields !== '', { record: 'restless', detail });
}

/**
 * A note listed in a status set after its delivery is asked again. While `in-review`, the partner may still list a note that was
 * answered.
 */
function stillDelivered(
  delivered: Remembered['delivered'],
  { status, phase, statusDate, notes, isWithoutNotes }: StatusSnapshot,
  restless: Restless,
): Remembered['delivered'] {
  if (MERCHANT_PHASES[phase].answerToGoneNote === 'waits' || isWithoutNotes) return delivered;
  const isStill = ([id, mark]: [string, Delivered]) => {
    // The status is read before the notes. If a review takes effect in between, the old status comes without the note.
    const mayBeListed = notes.some((note) => note.id === id) || !restless.hasRestlessDate;
    return mayBeListed && isSame(mark, { status, statusDate }, restless);
  };
  return Object.fromEntries(Object.entries(delivered).filter(isStill));
}

/**
 * Asks a person about each listed note without a delivered answer. When a note disappears, its question closes and its undelivered
 * answer is dropped; while `in-review`, the answer is kept.
 */
function onNotes(
  delivered: Remembered['delivered'],
  { phase, notes, isWithoutNotes }: StatusSnapshot,
  situation: Situation,
): readonly Decision[] {
  if (isWithoutNotes) return [];
  const { closed, kept } = closeMoot('underwriting-note', situation, {
    isAsked: (asked) => notes.some(({ id }) => id === asked.about) || isRestless(asked),
    drops: MERCHANT_PHASES[phase].answerToGoneNote === 'dropped' && !situation.isWriting,
    why: () => 'the underwriters no longer ask',
  });
  if (!isUnderReview(phase)) return closed;
  const isNew = (id: string) => !Object.hasOwn(delivered, id) && !kept.some(({ about }) => about === id);
  return [...closed, ...notes.filter(({ id }) => isNew(id)).map((note) => ({ ask: noteQuestion(note) }))];
}

/**
 * A person is asked once for the changes that the partner wants. When it wants something else, the question closes, the answer is
 * dropped, and a person is asked again. When underwriting continues, the question and its answer end. In other statuses an answer waits.
 */
export function onChangesRequested(
  { seen, restless }: Pick<Remembered, 'seen' | 'restless'>,
  { status, phase, statusDate, comment }: StatusSnapshot,
  situation: Situation,
): readonly Decision[] {
  const { changes } = MERCHANT_PHASES[phase];
  const question = changes === 'submitted' ? changesQuestion(comment) : undefined;
  const { closed, kept } = closeMoot('request-changes', situation, {
    isAsked: ({ detail }) => detail === question?.detail,
    drops: changes !== 'waits' && !situation.isWriting,
    why: () => MOVED_ON,
  });
  const isNew = !isSame(seen, { status, statusDate }, restless) || comment !== seen.comment;
  return question && isNew && kept.length === 0 ? [...closed, { ask: question }] : closed;
}

/** Reports whether the phase may be one before a submission, and nobody has sent or confirmed one. */
function isUnsubmitted(before: Remembered, phase: MerchantPhase): boolean {
  return (
    phase === 'not-submitted' ||
    isUnclear(before, phase) ||
    (before.submitted === false && phase === 'pending')
  );
}

function isUnclear({ submitted, unclearIn }: Remembered, phase: MerchantPhase): boolean {
  if (submitted || unclearIn === undefined) return false;
  return phase === unclearIn || (phase === 'pending' && submitted === false);
}

function onNotSubmitted(
  before: Remembered,
  { phase, status }: StatusSnapshot,
  situation: Situation,
): readonly Decision[] {
  const { isLost = false } = before;
  const isAsked = phase === 'not-submitted' ? situation.isFollowed || isLost : isUnclear(before, phase);
  const { closed, kept } = closeMoot('not-submitted', situation, {
    isAsked: () => isAsked,
    drops: !situation.isWriting,
    why: () => MOVED_ON,
  });
  if (!isAsked || (before.submitted && !isLost) || kept.length > 0) return closed;
  const question = isLost ? lostQuestion : phase === 'not-submitted' ? notSubmittedQuestion : unclearQuestion;
  const ask = question(situation, status);
  return [{ know: { stage: 'applying' } }, { ask }];
}

/** A person is asked about a mid of an unexpected form, once the merchant is approved, until the partner shows another one. */
function onUnclearMid({ phase, unclearMid }: StatusSnapshot, situation: Situation): readonly Decision[] {
  const isUnclear = phase === 'approved' && unclearMid !== null;
  const question = isUnclear ? midQuestion(situation.merchantProfileId, unclearMid) : undefined;
  const { closed, kept } = closeMoot('unclear-mid', situation, {
    isAsked: ({ detail }) => detail === question?.detail,
    drops: true,
    why: () => 'the partner shows another mid',
  });
  return question && kept.length === 0 ? [...closed, { ask: question }] : closed;
}

/** A correction to fill in where nobody knows which field it changes. */
const ANY_OF_APPLICATION = { application: { '': '' } };

export function noteQuestion({ id, text, author, more }: Note): Question {
  const detail = masked(text);
  const from = author === null ? '' : ` from ${masked(author)}`;
  const title = `Note${from}: ${beginningOf(detail)}`;
  return {
    about: id,
    kind: 'underwriting-note',
    title: more === undefined ? title : `${more} more underwriting notes`,
    detail,
    answers: ['text', 'documents', 'abandon'],
  };
}

const IN_TITLE = 100;

function beginningOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= IN_TITLE ? line : `${line.slice(0, IN_TITLE - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function midQuestion(merchantProfileId: number, given: string): Question {
  return {
    kind: 'unclear-mid',
    title: 'Unexpected mid',
    detail:
      `The partner approved merchant ${merchantProfileId} and shows the mid “${given}”, which is not 1 to 20 digits. ` +
      'Look up the mid in the partner’s portal, and adopt the correct one. ' +
      'This requirement closes when the partner shows a mid of digits.',
    answers: ['adopt', 'abandon'],
    idFormat: 'text',
  };
}

function changesQuestion(comment: string | null): Question {
  return {
    kind: 'request-changes',
    title: 'Changes requested',
    detail: masked(comment ?? 'The partner gave no comment.'),
    answers: ['correction', 'retry', 'abandon'],
    blank: ANY_OF_APPLICATION,
  };
}

function notSubmittedQuestion(
  { merchantProfileId, dba }: Pick<Situation, 'merchantProfileId' | 'dba'>,
  status: string,
): Question {
  return {
    kind: 'not-submitted',
    title: 'Not submitted to underwriting',
    detail:
      `Merchant ${merchantProfileId} (“${masked(dba)}”) reads as ${status}. Gangway follows it, and submits nothing by itself. ` +
      'Submit it in the partner’s portal: this requirement then closes by itself. Or retry: Gangway submits it as the ' +
      'partner has it. A correction is sent with the submission.',
    answers: ['correction', 'retry', 'abandon'],
    blank: ANY_OF_APPLICATION,
  };
}

function lostQuestion(
  { merchantProfileId, dba }: Pick<Situation, 'merchantProfileId' | 'dba'>,
  status: string,
): Question {
  return {
    kind: 'not-submitted',
    title: 'Submitted, and not shown',
    detail:
      `The partner has accepted the submission of merchant ${merchantProfileId} (“${masked(dba)}”), and still shows it as ${status}. ` +
      'Ask the partner whether underwriting has the application. If it has, wait: this requirement closes by itself when the status ' +
      'shows it. If it has not, retry: Gangway submits it again. A correction is sent with the submission.',
    answers: ['correction', 'retry', 'abandon'],
    blank: ANY_OF_APPLICATION,
  };
}

function unclearQuestion(
  { merchantProfileId, dba }: Pick<Situation, 'merchantProfileId' | 'dba'>,
  status: string,
): Question {
  return {
    kind: 'not-submitted',
    title: 'Submitted to underwriting?',
    detail:
      `Merchant ${merchantProfileId} (“${masked(dba)}”) reads as ${status}. Gangway has not submitted it, and this status does not show ` +
      'whether somebody else has. Look in the partner’s portal whether underwriting has the application. ' +
      `If it has, adopt ${merchantProfileId}: Gangway then waits for the underwriters. If it has not, retry: Gangway submits it. ` +
      'A correction is sent with the submission.',
    answers: ['adopt', 'correction', 'retry', 'abandon'],
    blank: ANY_OF_APPLICATION,
  };
}

export type Due =
  | { readonly send: 'application' }
  | { readonly send: 'submission'; readonly answers: readonly Answered[] }
  | { readonly send: 'answers'; readonly answers: readonly Answered[] }
  /** Nothing. The status is read once more, because something that the partner accepted should show by now. */
  | { readonly send: 'late read' };

/**
 * Returns what the status calls for: the application once, and again when a person has answered what the partner wants changed; the
 * answers to notes, once all are answered, unless the partner has already declined exactly these answers in this status.
 */
export function due(remembered: Remembered, situation: Situation): Due | undefined {
  const { seen, submitted, isLost, notTaken, restless } = remembered;
  const { phase } = seen;
  if (phase === null) return undefined;
  const submission = (kind: RequirementKind): Due | undefined => {
    const answers = answeredOf(situation, kind);
    return answers.length > 0 ? { send: 'submission', answers } : undefined;
  };
  if (MERCHANT_PHASES[phase].changes === 'submitted') return submission('request-changes');
  if (phase === 'not-submitted') {
    if (submitted && !isLost) return lateRead(remembered, situation);
    return situation.isFollowed || isLost ? submission('not-submitted') : { send: 'application' };
  }
  const confirmed = isUnclear(remembered, phase) ? submission('not-submitted') : undefined;
  if (confirmed) return confirmed;
  const answers = answeredOf(situation, 'underwriting-note');
  const isComplete = answers.length > 0 && openOf(situation, 'underwriting-note').length === 0;
  if (!isComplete || MERCHANT_PHASES[phase].answer === 'waits') return lateRead(remembered, situation);
  const isNotTaken =
    notTaken !== undefined && isSame(notTaken, seen, restless) && notTaken.answers === idsOf(answers);
  return isNotTaken ? undefined : { send: 'answers', answers };
}

function lateRead(remembered: Remembered, { now }: Situation): Due | undefined {
  return awaited(remembered).some((time) => time <= now) ? { send: 'late read' } : undefined;
}

/** The times by which the partner should show what it accepted: our submission, and answers to notes that it still lists. */
function awaited({ delivered, submitted, isLost, shownBy, seen }: Remembered): readonly number[] {
  const { phase, noteIds = [] } = seen;
  if (phase === 'not-submitted') return submitted && !isLost && shownBy !== undefined ? [shownBy] : [];
  // While the partner reviews answers, it may list their notes.
  if (phase === null || MERCHANT_PHASES[phase].proves === 'review') return [];
  return timesOf(only(delivered, (id) => noteIds.includes(id)));
}

/** Returns the next action, as one task, because the partner accepts one change of a merchant at a time. */
export function next(remembered: Remembered, situation: Situation): Next<Seen, Due, MerchantBoardingOutcome> {
  const sent = due(remembered, situation);
  const { phase } = remembered.seen;
  const outcome = merchantOutcome(remembered.seen, situation.merchantProfileId);
  // A decision ends a question, and the partner may take a decision back: only a read shows either.
  const mayChange = situation.open.length > 0 || (phase !== null && isDecided(phase));
  return {
    due: sent ? [{ task: 'write', ...sent }] : [],
    wakeAt: nextTime(awaited(remembered), situation.now),
    compared:
      !situation.isWriting || mayChange ? comparable(remembered.restless, remembered.seen) : undefined,
    ended: outcome ? { outcome, decisions: [] } : endedByConfirmedMid(situation),
  };
}

function endedByConfirmedMid(situation: Situation): Ended<MerchantBoardingOutcome> | undefined {
  const answered = answeredOf(situation, 'unclear-mid');
  const answer = answered[0]?.resolution.answer;
  if (answer?.kind !== 'adopt') return undefined;
  const { id: mid } = answer;
  const removed = answered.map(({ requirement: { id } }) => ({ remove: id }));
  return {
    outcome: { outcome: 'boarded', mid, merchantProfileId: situation.merchantProfileId },
    decisions: [{ know: { mid } }, ...removed, { record: 'mid-confirmed', detail: mid }],
  };
}

export function idsOf(answers: readonly Answered[]): string {
  return answers.map(({ requirement }) => requirement.id).join();
}

/** Reports whether the partner has not set another status since. */
function isSame(
  one: Partial<StatusMark>,
  other: Partial<StatusMark>,
  { hasRestlessDate }: Restless,
): boolean {
  return one.status === other.status && (hasRestlessDate || one.statusDate === other.statusDate);
}
