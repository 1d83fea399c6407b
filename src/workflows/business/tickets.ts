/** The rules for the bank's tickets, as pure functions: when to ask a person about a ticket, and when to ask again. */
import type { OpenTicket } from '../../messages/banking-activities.js';
import type { AnswerTo, Requirement } from '../../messages/requirements.js';
import {
  closeSuperseded,
  filterRecord,
  isAskedTooOften,
  type Questions,
  type Reduction,
  withoutExpired,
} from '../runtime/reducer.js';
import { aboutTicket, detailOf, ticketQuestion } from './questions.js';

/** The state of tickets, by the `about` of their questions. */
export interface Tickets {
  /**
   * Answered tickets. A person is asked again if the ticket's text changes, if it disappears and comes back, or if it is still
   * listed at `until`: the bank may have closed and reopened it between two reads.
   */
  readonly answered: Readonly<Record<string, AnsweredTicket>>;
  /** Why a person is asked again about a ticket. */
  readonly again: Readonly<Record<string, string>>;
  /** IDs of our replies, which are also tickets. */
  readonly replies: readonly number[];
}

interface AnsweredTicket {
  /** The text that was answered; null for a ticket whose text keeps changing. */
  readonly detail: string | null;
  /** In milliseconds since 1970. Absent if the bank may list the ticket forever. */
  readonly until?: number | undefined;
}

export const NO_TICKETS: Tickets = { answered: {}, again: {}, replies: [] };

export interface TicketWording {
  readonly answers: readonly AnswerTo<'ticket'>[];
  readonly whenGone: string;
}

/** Asks a person about each listed ticket that is neither answered nor a reply. Closes each question whose ticket is gone. */
export function reduceTickets<State extends Tickets>(
  state: State,
  listed: readonly OpenTicket[],
  requirements: Questions,
  { answers, whenGone }: TicketWording,
): Reduction<State> {
  const tickets = listed.filter(({ ticketId }) => !state.replies.includes(ticketId));
  const details = new Map(tickets.map((ticket) => [aboutTicket(ticket), detailOf(ticket)]));
  const { closed, remaining } = closeSuperseded('ticket', requirements, {
    isCurrent: (each) => {
      const { about = '', detail } = each;
      return details.get(about) === detail || (details.has(about) && isAskedTooOften(each));
    },
    dropsAnswer: false,
    why: ({ about = '' }) => (details.has(about) ? 'the partner asks something else' : whenGone),
  });
  const answered = filterRecord(
    state.answered,
    (about, { detail }) => details.has(about) && (detail === null || details.get(about) === detail),
  );
  const isKnown = (about: string) =>
    Object.hasOwn(answered, about) || remaining.some((each) => each.about === about);
  const asking = tickets.filter((ticket) => !isKnown(aboutTicket(ticket)));
  const again = filterRecord(state.again, (about) => isKnown(about) || !details.has(about));
  const questions = asking.map((ticket) => ({
    ask: ticketQuestion(ticket, answers, state.again[aboutTicket(ticket)]),
  }));
  return { state: { ...state, answered, again }, commands: [...closed, ...questions] };
}

/**
 * Returns the state after a ticket was answered. `replyId` is the ticket that Gangway's reply created, if any. A bank can also respond
 * with the ticket that was answered, which it may open again.
 */
export function withAnswer<State extends Tickets>(
  state: State,
  requirement: Requirement,
  replyId: number | null,
  until?: number,
): State {
  const { id, about = id } = requirement;
  const detail = isAskedTooOften(requirement) ? null : requirement.detail;
  const isNew = replyId !== null && aboutTicket({ ticketId: replyId }) !== about;
  const replies = isNew ? [...state.replies, replyId] : state.replies;
  return { ...state, replies, answered: { ...state.answered, [about]: { detail, until } } };
}

/** Handles a rejected answer. If the bank still lists the ticket, a person is asked again. */
export function reduceRejection<State extends Tickets>(
  state: State,
  { id, about = id }: Requirement,
  why: string,
): Reduction<State> {
  const again = { ...state.again, [about]: `the last answer was rejected: ${why}` };
  return {
    state: { ...state, again },
    commands: [{ remove: id }, { record: 'answer-rejected', detail: `${id}: ${why}` }],
  };
}

/** Reopens answered tickets whose `until` has passed. If the bank still lists them, a person is asked again. */
export function withDeadline<State extends Tickets>(state: State, time: number): State {
  const answered = withoutExpired(state.answered, time);
  const late = Object.keys(state.answered).filter((about) => !Object.hasOwn(answered, about));
  const again = late.map((about) => [about, 'answered, but still listed by the partner']);
  return { ...state, answered, again: { ...state.again, ...Object.fromEntries(again) } };
}
