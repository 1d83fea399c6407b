/**
 * The rules for a business at the bank, as pure functions. They take the state, the latest read and people's answers, and return
 * the next state, commands, pending tasks and the outcome. `tickets.ts` has the rules for tickets; `runtime/until-decided.ts`
 * applies the commands.
 */
import type { ProfileSnapshot, SeenProfile } from '../../messages/banking-activities.js';
import type { Stage } from '../../messages/onboarding-state.js';
import type { BusinessOnboardingOutcome } from '../../messages/onboardings.js';
import { businessOutcome } from '../../messages/outcomes.js';
import type { Requirement } from '../../messages/requirements.js';
import { PROFILE_PHASES, UNKNOWN_STATUS } from '../../partners/banking/phases.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import {
  answeredOfKind,
  askOnce,
  type Command,
  commandsIf,
  deadlinesOf,
  nextTime,
  PARTNER_MOVED_ON,
  type Plan,
  type Questions,
  type Reduction,
} from '../runtime/reducer.js';
import type { PendingAnswer } from '../runtime/state.js';
import { lockQuestion, notSubmittedQuestion } from './questions.js';
import { NO_TICKETS, reduceTickets, type Tickets, type TicketWording, withAnswer } from './tickets.js';

export interface BusinessState extends Tickets {
  readonly seen: ProfileSnapshot | null;
  /** Open problems that the bank has with the holder; null until they are read. */
  readonly problems: readonly FieldProblem[] | null;
}

/** The initial state. A profile that reads as new is either not submitted yet, or its submission was rejected. */
export const INITIAL_BUSINESS_STATE: BusinessState = { ...NO_TICKETS, seen: null, problems: null };

/** The kinds of requirements that these rules raise. Abandoning one of them ends the onboarding. */
export const BUSINESS_RULE_KINDS = ['ticket', 'locked-profile', 'not-submitted'] as const;

export interface BusinessContext extends Questions {
  readonly profileId: number;
  readonly dba: string;
  /** Gangway sends only what a person asks for. */
  readonly isFollowed: boolean;
  readonly wantsAccount: boolean;
  readonly financialAccountId?: string | undefined;
  readonly running: readonly string[];
  /** In milliseconds since 1970. */
  readonly now: number;
  /** How long a person has to answer, and how long the bank has to show the effect of an answer, in milliseconds. */
  readonly dueInMs: number;
}

const ASKING: TicketWording = {
  answers: ['text', 'correction', 'abandon'],
  whenGone: 'the partner no longer asks',
};

export function reduceBusiness(
  before: BusinessState,
  { isWithoutTickets, ...read }: ProfileSnapshot,
  context: BusinessContext,
): Reduction<BusinessState> {
  const now = isWithoutTickets ? { ...read, tickets: before.seen?.tickets ?? [] } : read;
  const tickets = reduceTickets(before, now.tickets, context, ASKING);
  const problems = hasMovedOn(now) ? (before.problems ?? []) : before.problems;
  const state = { ...tickets.state, seen: now, problems };
  const isOver = outcomeOf(state, context) !== undefined;
  const commands = [
    ...statusCommands(before.seen, now),
    ...accountCommands(now.financialAccountId, context),
    ...tickets.commands,
    ...lockCommands(now, context),
    ...submissionCommands(now, context),
    ...commandsIf(!isOver, { set: { stage: stageOf(state, context) } }),
  ];
  return { state, commands };
}

function statusCommands(
  seen: BusinessState['seen'],
  { bankingStatus, isLocked }: ProfileSnapshot,
): readonly Command[] {
  return [
    { set: { partnerStatus: bankingStatus } },
    ...commandsIf(bankingStatus !== seen?.bankingStatus, { record: 'status-changed', detail: bankingStatus }),
    ...commandsIf(isLocked !== (seen?.isLocked ?? false), {
      record: isLocked ? 'profile-locked' : 'profile-unlocked',
    }),
  ];
}

export function accountCommands(
  id: string | null,
  { financialAccountId }: Pick<BusinessContext, 'financialAccountId'>,
): readonly Command[] {
  if (id === null || id === financialAccountId) return [];
  return [{ set: { financialAccountId: id } }, { record: 'financial-account-opened', detail: id }];
}

function lockCommands({ isLocked }: ProfileSnapshot, context: BusinessContext): readonly Command[] {
  const question = isLocked ? lockQuestion(context.profileId) : undefined;
  return askOnce('locked-profile', question, context, {
    isCurrent: () => isLocked,
    dropsAnswer: false,
    why: () => 'the partner unlocked the profile',
  });
}

function submissionCommands(
  { phase, bankingStatus }: ProfileSnapshot,
  context: BusinessContext,
): readonly Command[] {
  const isAsked = PROFILE_PHASES[phase].holder === 'missing';
  const { isFollowed, running } = context;
  const isNew = isAsked && isFollowed && !running.includes('holder');
  const question = isNew ? notSubmittedQuestion(context, bankingStatus) : undefined;
  return askOnce('not-submitted', question, context, {
    isCurrent: () => isAsked,
    dropsAnswer: running.length === 0,
    why: () => PARTNER_MOVED_ON,
  });
}

export function stageOf(state: BusinessState, context: BusinessContext): Stage {
  if (needsHolder(state)) return 'applying';
  return needsAccount(state, context) ? 'opening' : 'underwriting';
}

function needsHolder({ seen, problems }: BusinessState): boolean {
  return problems === null
    ? seen !== null && PROFILE_PHASES[seen.phase].holder === 'missing'
    : problems.length > 0;
}

function needsAccount(state: BusinessState, context: BusinessContext): boolean {
  return state.seen?.phase === 'approved' && context.wantsAccount && accountOf(state, context) === null;
}

function accountOf({ seen }: BusinessState, { financialAccountId }: BusinessContext): string | null {
  return financialAccountId ?? seen?.financialAccountId ?? null;
}

/** Reports whether the bank has accepted the holder since it reported problems or a missing submission. */
export function isAccepted({ seen }: BusinessState): boolean {
  return seen !== null && hasMovedOn(seen);
}

/** A response without a status proves nothing. */
function hasMovedOn({ phase, bankingStatus }: Pick<ProfileSnapshot, 'phase' | 'bankingStatus'>): boolean {
  return PROFILE_PHASES[phase].holder === 'accepted' && bankingStatus !== UNKNOWN_STATUS;
}

export type PendingTask =
  | { readonly begin: 'reply'; readonly answered: PendingAnswer; readonly text: string }
  /** Sends the holder, with a person's corrections of the problems that the bank reported. */
  | { readonly begin: 'problems' }
  | { readonly begin: 'correction'; readonly answered: PendingAnswer }
  | { readonly begin: 'account' }
  | { readonly begin: 'late tickets' };

export function planBusiness(
  state: BusinessState,
  context: BusinessContext,
): Plan<SeenProfile, PendingTask, BusinessOnboardingOutcome> {
  const { running, open, now } = context;
  const { seen } = state;
  // While a person is asked about opening the account, the bank may still change anything.
  const kinds: readonly string[] = BUSINESS_RULE_KINDS;
  const isListening = !running.includes('account') || open.some(({ kind }) => !kinds.includes(kind));
  const outcome = outcomeOf(state, context);
  return {
    pending: pendingTasks(state, context),
    baseline: isListening ? seen && comparable(seen) : undefined,
    wakeAt: nextTime(deadlinesOf(state.answered), now),
    end: outcome && { outcome, commands: [] },
  };
}

function comparable({ tickets, ...profile }: ProfileSnapshot): SeenProfile {
  return { ...profile, tickets: Object.fromEntries(tickets.map(({ ticketId, asks }) => [ticketId, asks])) };
}

function outcomeOf(state: BusinessState, context: BusinessContext): BusinessOnboardingOutcome | undefined {
  const { seen } = state;
  if (!seen || needsAccount(state, context)) return undefined;
  return businessOutcome(seen, context.profileId, accountOf(state, context));
}

/** Each reply is its own task. All work on the holder is one task, so corrections are sent one at a time. */
function pendingTasks(
  state: BusinessState,
  context: BusinessContext,
): readonly (PendingTask & { readonly task: string })[] {
  const tickets = answeredOfKind(context, 'ticket');
  const replies = tickets.flatMap((answered) => {
    const { requirement, resolution } = answered;
    const { answer } = resolution;
    if (answer.kind !== 'text') return [];
    return [{ task: requirement.id, begin: 'reply', answered, text: answer.text } as const];
  });
  const answered = [...tickets, ...answeredOfKind(context, 'not-submitted')].find(
    ({ resolution }) => resolution.answer.kind === 'correction',
  );
  const correction = answered ? [{ task: 'holder', begin: 'correction', answered } as const] : [];
  const isAfterDeadline = deadlinesOf(state.answered).some((time) => time <= context.now);
  return [
    ...replies,
    ...(needsHolder(state) ? [{ task: 'holder', begin: 'problems' } as const] : correction),
    ...(needsAccount(state, context) ? [{ task: 'account', begin: 'account' } as const] : []),
    ...(isAfterDeadline ? [{ task: 'late tickets', begin: 'late tickets' } as const] : []),
  ];
}

/** Handles the delivery of an answer, by a reply or otherwise. The ticket's text may have changed since. */
export function reduceDelivery(
  before: BusinessState,
  requirement: Requirement,
  replyId: number | null,
  context: BusinessContext,
): Reduction<BusinessState> {
  const { id } = requirement;
  const answered = context.answered.filter((each) => each.requirement.id !== id);
  const { state, commands } = reduceTickets(
    withAnswer(before, requirement, replyId, context.now + context.dueInMs),
    before.seen?.tickets ?? [],
    { ...context, answered },
    ASKING,
  );
  return { state, commands: [{ remove: id }, { record: 'ticket-answered', detail: id }, ...commands] };
}
