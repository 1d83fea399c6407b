/**
 * All rules about a business at the bank, as functions of values. From the remembered state, the last read and the answers, they
 * decide what to ask, close, send and remember, and how the onboarding ends. The rules about tickets are in `tickets.ts`;
 * `journey/until-decided.ts` applies the decisions.
 */
import type { ProfileSnapshot, SeenProfile } from '../../messages/banking-activities.js';
import type { Stage } from '../../messages/onboarding-state.js';
import type { BusinessOnboardingOutcome } from '../../messages/onboardings.js';
import { businessOutcome } from '../../messages/outcomes.js';
import type { Requirement } from '../../messages/requirements.js';
import { PROFILE_PHASES, UNKNOWN } from '../../partners/banking/phases.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { masked } from '../../platform/privacy/masked.js';
import {
  type Asked,
  answeredOf,
  closeMoot,
  type Decision,
  MOVED_ON,
  type Next,
  nextTime,
  type Reaction,
  timesOf,
  when,
} from '../journey/rules.js';
import type { Answered, Question } from '../journey/state.js';
import { ANY_OF_HOLDER, type Asking, NO_TICKETS, onListed, type Tickets, withAnswer } from './tickets.js';

export interface Remembered extends Tickets {
  readonly seen: ProfileSnapshot | null;
  /** Problems that the bank found with the holder and nobody has corrected; null while they are not known. */
  readonly problems: readonly FieldProblem[] | null;
}

/** A profile that reads as new may not be submitted yet, or the bank may have rejected its submission. */
export const NOTHING: Remembered = { ...NO_TICKETS, seen: null, problems: null };

/** The kinds of requirements that these rules raise. Abandoning one of them ends the onboarding. */
export const KINDS = ['ticket', 'locked-profile', 'not-submitted'] as const;

export interface Situation extends Asked {
  readonly profileId: number;
  readonly dba: string;
  /** Nothing is sent that no person asked for. */
  readonly isFollowed: boolean;
  readonly wantsAccount: boolean;
  readonly financialAccountId?: string | undefined;
  readonly running: readonly string[];
  /** In milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds that a person has to answer, and the bank to show the effect of an answer. */
  readonly dueInMs: number;
}

const ASKING: Asking = {
  answers: ['text', 'correction', 'abandon'],
  whenGone: 'the partner no longer asks',
};

export function onRead(
  before: Remembered,
  { isWithoutTickets, ...read }: ProfileSnapshot,
  situation: Situation,
): Reaction<Remembered> {
  const now = isWithoutTickets ? { ...read, tickets: before.seen?.tickets ?? [] } : read;
  const listed = onListed(before, now.tickets, situation, ASKING);
  const problems = hasMovedOn(now) ? (before.problems ?? []) : before.problems;
  const remember = { ...listed.remember, seen: now, problems };
  const isOver = outcomeOf(remember, situation) !== undefined;
  const decisions = [
    ...showStatus(before.seen, now),
    ...onAccount(now.financialAccountId, situation),
    ...listed.decisions,
    ...onLock(now, situation),
    ...onNotSubmitted(now, situation),
    ...when(!isOver, { know: { stage: stageOf(remember, situation) } }),
  ];
  return { remember, decisions };
}

function showStatus(
  seen: Remembered['seen'],
  { bankingStatus, isLocked }: ProfileSnapshot,
): readonly Decision[] {
  return [
    { know: { partnerStatus: bankingStatus } },
    ...when(bankingStatus !== seen?.bankingStatus, { record: 'status-changed', detail: bankingStatus }),
    ...when(isLocked !== (seen?.isLocked ?? false), {
      record: isLocked ? 'profile-locked' : 'profile-unlocked',
    }),
  ];
}

export function onAccount(
  id: string | null,
  { financialAccountId }: Pick<Situation, 'financialAccountId'>,
): readonly Decision[] {
  if (id === null || id === financialAccountId) return [];
  return [{ know: { financialAccountId: id } }, { record: 'financial-account-opened', detail: id }];
}

function onLock({ isLocked }: ProfileSnapshot, situation: Situation): readonly Decision[] {
  const { closed, kept } = closeMoot('locked-profile', situation, {
    isAsked: () => isLocked,
    drops: false,
    why: () => 'the partner unlocked the profile',
  });
  return [...closed, ...when(isLocked && kept.length === 0, { ask: lockQuestion(situation.profileId) })];
}

function onNotSubmitted(
  { phase, bankingStatus }: ProfileSnapshot,
  situation: Situation,
): readonly Decision[] {
  const isAsked = PROFILE_PHASES[phase].holder === 'missing';
  const { isFollowed, running } = situation;
  const { closed, kept } = closeMoot('not-submitted', situation, {
    isAsked: () => isAsked,
    drops: running.length === 0,
    why: () => MOVED_ON,
  });
  const isNew = isAsked && isFollowed && !running.includes('holder') && kept.length === 0;
  return [...closed, ...when(isNew, { ask: notSubmittedQuestion(situation, bankingStatus) })];
}

function lockQuestion(profileId: number): Question {
  return {
    kind: 'locked-profile',
    title: 'The partner locked the profile',
    detail:
      `Banking profile ${profileId} is locked. Ask the partner why, and have it unlocked: ` +
      'this requirement then closes by itself.',
    answers: ['abandon'],
  };
}

function notSubmittedQuestion(
  { profileId, dba }: { readonly profileId: number; readonly dba: string },
  bankingStatus: string,
): Question {
  return {
    kind: 'not-submitted',
    title: 'Not submitted, or rejected by the bank',
    detail:
      `Banking profile ${profileId} (“${masked(dba)}”) reads as ${bankingStatus}: nobody has submitted ` +
      'it, or the bank rejected its holder. Gangway follows it, and submits nothing by itself. Submit it at the bank: ' +
      'this requirement then closes by itself. Or correct it with the complete holder, which Gangway then sends.',
    answers: ['correction', 'abandon'],
    blank: ANY_OF_HOLDER,
  };
}

export function stageOf(remembered: Remembered, situation: Situation): Stage {
  if (needsHolder(remembered)) return 'applying';
  return needsAccount(remembered, situation) ? 'opening' : 'underwriting';
}

function needsHolder({ seen, problems }: Remembered): boolean {
  return problems === null
    ? seen !== null && PROFILE_PHASES[seen.phase].holder === 'missing'
    : problems.length > 0;
}

function needsAccount(remembered: Remembered, situation: Situation): boolean {
  return (
    remembered.seen?.phase === 'approved' &&
    situation.wantsAccount &&
    accountOf(remembered, situation) === null
  );
}

function accountOf({ seen }: Remembered, { financialAccountId }: Situation): string | null {
  return financialAccountId ?? seen?.financialAccountId ?? null;
}

/** Reports whether the bank has moved on from a holder with problems, or from one that nobody had submitted. */
export function isAccepted({ seen }: Remembered): boolean {
  return seen !== null && hasMovedOn(seen);
}

/** A response without a status shows nothing. */
function hasMovedOn({ phase, bankingStatus }: Pick<ProfileSnapshot, 'phase' | 'bankingStatus'>): boolean {
  return PROFILE_PHASES[phase].holder === 'accepted' && bankingStatus !== UNKNOWN;
}

export type Due =
  | { readonly begin: 'reply'; readonly answered: Answered; readonly text: string }
  /** Sends the holder after a person has corrected the problems that the bank found. */
  | { readonly begin: 'problems' }
  | { readonly begin: 'correction'; readonly answered: Answered }
  | { readonly begin: 'account' }
  | { readonly begin: 'late tickets' };

export function next(
  remembered: Remembered,
  situation: Situation,
): Next<SeenProfile, Due, BusinessOnboardingOutcome> {
  const { running, open, now } = situation;
  const { seen } = remembered;
  // While a person is asked about an account that is being opened, anything may happen.
  const kinds: readonly string[] = KINDS;
  const isListening = !running.includes('account') || open.some(({ kind }) => !kinds.includes(kind));
  const outcome = outcomeOf(remembered, situation);
  return {
    due: dueOf(remembered, situation),
    compared: isListening ? seen && comparable(seen) : undefined,
    wakeAt: nextTime(timesOf(remembered.answered), now),
    ended: outcome && { outcome, decisions: [] },
  };
}

function comparable({ tickets, ...profile }: ProfileSnapshot): SeenProfile {
  return { ...profile, tickets: Object.fromEntries(tickets.map(({ ticketId, asks }) => [ticketId, asks])) };
}

function outcomeOf(remembered: Remembered, situation: Situation): BusinessOnboardingOutcome | undefined {
  const { seen } = remembered;
  if (!seen || needsAccount(remembered, situation)) return undefined;
  return businessOutcome(seen, situation.profileId, accountOf(remembered, situation));
}

/** Every reply is a task of its own. The holder is one task, so that its corrections go out one after the other. */
function dueOf(remembered: Remembered, situation: Situation): readonly (Due & { readonly task: string })[] {
  const tickets = answeredOf(situation, 'ticket');
  const replies = tickets.flatMap((answered) => {
    const { requirement, resolution } = answered;
    const { answer } = resolution;
    if (answer.kind !== 'text') return [];
    return [{ task: requirement.id, begin: 'reply', answered, text: answer.text } as const];
  });
  const answered = [...tickets, ...answeredOf(situation, 'not-submitted')].find(
    ({ resolution }) => resolution.answer.kind === 'correction',
  );
  const correction = answered ? [{ task: 'holder', begin: 'correction', answered } as const] : [];
  const isLate = timesOf(remembered.answered).some((time) => time <= situation.now);
  return [
    ...replies,
    ...(needsHolder(remembered) ? [{ task: 'holder', begin: 'problems' } as const] : correction),
    ...(needsAccount(remembered, situation) ? [{ task: 'account', begin: 'account' } as const] : []),
    ...(isLate ? [{ task: 'late tickets', begin: 'late tickets' } as const] : []),
  ];
}

/** Returns the consequences of a delivered answer, perhaps by a reply. The ticket may ask something else by now. */
export function onDelivered(
  before: Remembered,
  requirement: Requirement,
  replyId: number | null,
  situation: Situation,
): Reaction<Remembered> {
  const { id } = requirement;
  const answered = situation.answered.filter((each) => each.requirement.id !== id);
  const { remember, decisions } = onListed(
    withAnswer(before, requirement, replyId, situation.now + situation.dueInMs),
    before.seen?.tickets ?? [],
    { ...situation, answered },
    ASKING,
  );
  return { remember, decisions: [{ remove: id }, { record: 'ticket-answered', detail: id }, ...decisions] };
}
