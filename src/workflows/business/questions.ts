import type { OpenTicket } from '../../messages/banking-activities.js';
import { masked } from '../../privacy/masked.js';
import type { Question } from '../journey/requirement-queue.js';

/** A correction to fill in when nobody knows which field it changes. */
const ANY_OF_HOLDER = { holder: { '': '' } };

const TICKET = 'ticket-';

/** The `about` of the question of a ticket. */
export function aboutTicket({ ticketId }: OpenTicket): string {
  return `${TICKET}${ticketId}`;
}

export function ticketIdOf({ about = '' }: Pick<Question, 'about'>): number {
  return Number(about.slice(TICKET.length));
}

/** Returns the question of a ticket, for people. */
export function detailOf({ text, updateFieldRequest }: OpenTicket): string {
  const field =
    updateFieldRequest === null ? '' : `\nThe partner asks about the field ${updateFieldRequest}.`;
  return masked(text + field);
}

/** @param why the reason if the ticket is asked again */
export function ticketQuestion(
  ticket: OpenTicket,
  answers: Question['answers'],
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

export function lockQuestion(profileId: number): Question {
  return {
    kind: 'locked-profile',
    title: 'The partner locked the profile',
    detail:
      `Banking profile ${profileId} is locked. Ask the partner why, and have it unlocked: ` +
      'this requirement then closes by itself.',
    answers: ['abandon'],
  };
}

/** Asks about the profile of a followed business that reads as new. */
export function notSubmittedQuestion(
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
