import type { Candidate, OpenTicket } from '../../messages/banking-activities.js';
import type { AnswerTo } from '../../messages/requirements.js';
import { redact } from '../../platform/privacy/masked.js';
import type { Question } from '../runtime/state.js';

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

export function notSubmittedQuestion(
  { profileId, dba }: { readonly profileId: number; readonly dba: string },
  bankingStatus: string,
): Question {
  return {
    kind: 'not-submitted',
    title: 'Not submitted, or rejected by the bank',
    detail:
      `Banking profile ${profileId} (“${redact(dba)}”) reads as ${bankingStatus}: nobody has submitted ` +
      'it, or the bank rejected its holder. Gangway follows it, and submits nothing by itself. Submit it at the bank: ' +
      'this requirement then closes by itself. Or correct it with the complete holder, which Gangway then sends.',
    answers: ['correction', 'abandon'],
    blank: ANY_OF_HOLDER,
  };
}

/** A blank correction for a ticket that does not say which field to change. */
const ANY_OF_HOLDER = { holder: { '': '' } };

export function ticketQuestion(
  ticket: OpenTicket,
  answers: readonly AnswerTo<'ticket'>[],
  why: string | undefined,
): Question {
  const subject = ticket.updateFieldRequest ?? ticket.topic;
  const title = subject === null ? 'Ticket' : `Ticket about ${redact(subject)}`;
  return {
    about: aboutTicket(ticket),
    kind: 'ticket',
    title: why === undefined ? title : `${title}; ${why}`,
    detail: detailOf(ticket),
    answers,
    ...(answers.includes('correction') && { blank: ANY_OF_HOLDER }),
  };
}

export function detailOf({ text, updateFieldRequest }: OpenTicket): string {
  const field =
    updateFieldRequest === null ? '' : `\nThe partner asks about the field ${updateFieldRequest}.`;
  return redact(text + field);
}

const TICKET = 'ticket-';

export function aboutTicket({ ticketId }: Pick<OpenTicket, 'ticketId'>): string {
  return `${TICKET}${ticketId}`;
}

export function ticketIdOf({ about = '' }: Pick<Question, 'about'>): number {
  return Number(about.slice(TICKET.length));
}

/**
 * Asks whether a profile of the bank belongs to this business.
 *
 * @param source where the profile comes from
 * @param problem why the last answer was not accepted
 */
export function ownershipQuestion(
  business: { readonly dba: string },
  title: string,
  existing: Candidate,
  source: keyof typeof SOURCES,
  problem: string,
): Question {
  const { profileId, isHidden } = existing;
  const [beginning, otherwise] = SOURCES[source];
  const look = source === 'response' ? `${inPortal(business)} ` : '';
  const ifOurs = isHidden
    ? `${profileId} cannot be confirmed while the bank does not show it. `
    : `If it belongs to this business, confirm ${profileId}. `;
  return {
    kind: 'uncertain-write',
    title: `Whose banking profile? ${title}`,
    detail: `${problem}${beginning} ${describeCandidate(existing)}. ${ifOurs}${look}${otherwise}`,
    answers: ['confirm', 'retry', 'abandon'],
  };
}

/** `banking profile 3001 of “Corner Bakery” (Submitted): its EIN is not shown` */
export function describeCandidate(candidate: Candidate): string {
  const { profileId, dba, bankingStatus, against, unclear, isHidden } = candidate;
  const why = [...against, ...unclear].join(', ');
  const name = dba === null ? 'no dba' : `“${redact(dba)}”`;
  const description = isHidden ? ', which it does not show' : ` of ${name} (${bankingStatus})`;
  return `banking profile ${profileId}${description}${why && `: ${why}`}`;
}

/** For each source of a profile that may belong to another business: where the profile comes from, and what to do about it. */
export const SOURCES = {
  merchant: ['For the merchant, the bank has', 'If not, retry: the business is then submitted as a new one.'],
  earlier: [
    'Since an earlier submission, the bank has',
    'If not, retry: the business is then submitted again.',
  ],
  response: [
    'The bank responded to the submission with',
    'Retry only if it is not there, because the submission may have made it and retrying submits the business again.',
  ],
  followed: ['The bank has', 'If not, abandon. Retry reads the profile again.'],
} as const;

export function inPortal({ dba }: { readonly dba: string }): string {
  return `Look in the partner’s portal for a banking profile of “${redact(dba)}”. If it is there, confirm its profile id.`;
}
