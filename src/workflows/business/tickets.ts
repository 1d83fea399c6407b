/** The rules about the bank's tickets, as functions of values: when a person is asked, and when the same ticket is asked again. */
import type { OpenTicket } from '../../messages/banking-activities.js';
import type { AnswerTo, Requirement } from '../../messages/requirements.js';
import { masked } from '../../platform/privacy/masked.js';
import { type Asked, closeMoot, isRestless, notLate, only, type Reaction } from '../journey/rules.js';
import type { Question } from '../journey/state.js';

/** The memory of tickets. Keys are the `about` of their questions. */
export interface Tickets {
  /**
   * Tickets that need no answer. One asks again if it asks something else, if it is listed again after it was gone, or if it is
   * still listed at a time: it may have been closed and opened again between two reads.
   */
  readonly answered: Readonly<Record<string, AnsweredTicket>>;
  readonly again: Readonly<Record<string, string>>;
  /** Our replies, which are tickets as well. */
  readonly replies: readonly number[];
}

interface AnsweredTicket {
  /** What it asked; null for one whose text changes by turns. */
  readonly detail: string | null;
  /** In milliseconds since 1970. Absent where it may be listed forever. */
  readonly until?: number | undefined;
}

export const NO_TICKETS: Tickets = { answered: {}, again: {}, replies: [] };

export interface Asking {
  readonly answers: readonly AnswerTo<'ticket'>[];
  readonly whenGone: string;
}

/** Asks a person about each listed ticket that is neither answered nor a reply. Closes each question whose ticket is gone. */
export function onListed<Remembered extends Tickets>(
  remembered: Remembered,
  listed: readonly OpenTicket[],
  asked: Asked,
  { answers, whenGone }: Asking,
): Reaction<Remembered> {
  const tickets = listed.filter(({ ticketId }) => !remembered.replies.includes(ticketId));
  const details = new Map(tickets.map((ticket) => [aboutTicket(ticket), detailOf(ticket)]));
  const { closed, kept } = closeMoot('ticket', asked, {
    isAsked: (each) => {
      const { about = '', detail } = each;
      return details.get(about) === detail || (details.has(about) && isRestless(each));
    },
    drops: false,
    why: ({ about = '' }) => (details.has(about) ? 'the partner asks something else' : whenGone),
  });
  const answered = only(
    remembered.answered,
    (about, { detail }) => details.has(about) && (detail === null || details.get(about) === detail),
  );
  const isKnown = (about: string) =>
    Object.hasOwn(answered, about) || kept.some((each) => each.about === about);
  const asking = tickets.filter((ticket) => !isKnown(aboutTicket(ticket)));
  const again = only(remembered.again, (about) => isKnown(about) || !details.has(about));
  const questions = asking.map((ticket) => ({
    ask: ticketQuestion(ticket, answers, remembered.again[aboutTicket(ticket)]),
  }));
  return { remember: { ...remembered, answered, again }, decisions: [...closed, ...questions] };
}

/** Returns the memory after the ticket of a question was answered, perhaps by a reply of Gangway. */
export function withAnswer<Remembered extends Tickets>(
  remembered: Remembered,
  requirement: Requirement,
  replyId: number | null,
  until?: number,
): Remembered {
  const { id, about = id } = requirement;
  const detail = isRestless(requirement) ? null : requirement.detail;
  const replies = replyId === null ? remembered.replies : [...remembered.replies, replyId];
  return { ...remembered, replies, answered: { ...remembered.answered, [about]: { detail, until } } };
}

/** Returns the consequences of a rejected answer. If the bank still lists the ticket, a person is asked again. */
export function onRejected<Remembered extends Tickets>(
  remembered: Remembered,
  { id, about = id }: Requirement,
  why: string,
): Reaction<Remembered> {
  const again = { ...remembered.again, [about]: `the last answer was rejected: ${why}` };
  return {
    remember: { ...remembered, again },
    decisions: [{ remove: id }, { record: 'answer-rejected', detail: `${id}: ${why}` }],
  };
}

/** Lets the tickets ask again that should have been gone at this time, if the bank still lists them. */
export function askingAgain<Remembered extends Tickets>(remembered: Remembered, time: number): Remembered {
  const answered = notLate(remembered.answered, time);
  const late = Object.keys(remembered.answered).filter((about) => !Object.hasOwn(answered, about));
  const again = late.map((about) => [about, 'answered, but still listed by the partner']);
  return { ...remembered, answered, again: { ...remembered.again, ...Object.fromEntries(again) } };
}

/** A correction to fill in when nobody knows which field it changes. */
export const ANY_OF_HOLDER = { holder: { '': '' } };

const TICKET = 'ticket-';

function aboutTicket({ ticketId }: OpenTicket): string {
  return `${TICKET}${ticketId}`;
}

export function ticketIdOf({ about = '' }: Pick<Question, 'about'>): number {
  return Number(about.slice(TICKET.length));
}

function detailOf({ text, updateFieldRequest }: OpenTicket): string {
  const field =
    updateFieldRequest === null ? '' : `\nThe partner asks about the field ${updateFieldRequest}.`;
  return masked(text + field);
}

function ticketQuestion(
  ticket: OpenTicket,
  answers: readonly AnswerTo<'ticket'>[],
  why: string | undefined,
): Question {
  const subject = ticket.updateFieldRequest ?? ticket.topic;
  const title = subject === null ? 'Ticket' : `Ticket about ${masked(subject)}`;
  return {
    about: aboutTicket(ticket),
    kind: 'ticket',
    title: why === undefined ? title : `${title}; ${why}`,
    detail: detailOf(ticket),
    answers,
    ...(answers.includes('correction') && { blank: ANY_OF_HOLDER }),
  };
}
