import type { OpenTicket } from '../../messages/banking-activities.js';
import type { Requirement } from '../../messages/requirements.js';
import { runStep } from '../journey/carry-out.js';
import type { Journey } from '../journey/journey.js';
import { masked } from '../journey/masked.js';
import type { Question } from '../journey/requirement-desk.js';
import { findReply, replyToTicket } from './activities.js';

const TICKET = 'ticket-';

/** What the requirement of a ticket is about. */
export function aboutTicket(ticketId: number): string {
  return `${TICKET}${ticketId}`;
}

/** What a ticket asks, for people. */
export function detailOf({ text, updateFieldRequest }: OpenTicket): string {
  const field =
    updateFieldRequest === null ? '' : `\nThe partner asks about the field ${updateFieldRequest}.`;
  return masked(text) + field;
}

/** @param remark why the ticket is asked again */
export function ticketQuestion(
  ticket: OpenTicket,
  answers: Question['answers'],
  remark: string | undefined,
): Question {
  const subject = ticket.updateFieldRequest ?? ticket.topic;
  const title = subject === null ? 'Ticket' : `Ticket about ${subject}`;
  return {
    about: aboutTicket(ticket.ticketId),
    kind: 'ticket',
    title: remark === undefined ? title : `${title}; ${remark}`,
    detail: detailOf(ticket),
    answers,
  };
}

/**
 * Replies to the ticket of a requirement, once.
 *
 * @returns the id of the reply, which is a ticket as well; null when a person adopted it
 * @throws {RejectedByPartner} when the partner does not take it
 * @throws {Abandoned} when it is uncertain whether it was sent, and a person gives it up
 */
export async function reply(
  journey: Journey,
  { about = '' }: Requirement,
  text: string,
): Promise<number | null> {
  const ticketId = Number(about.slice(TICKET.length));
  const { replyId } = await runStep<{ readonly replyId: number | null }>(journey, {
    title: `reply to ticket ${ticketId}`,
    run: () => replyToTicket({ ticketId, topic: null, text }),
    endsWhenRejected: true,
    once: {
      lookForEffect: async (wasInDoubt, baseline) => {
        if (!wasInDoubt || !baseline) return undefined;
        const title = `look for the reply to ticket ${ticketId}`;
        const run = () => findReply({ ticketId, text, baseline });
        const found = await runStep(journey, { title, run });
        return found === null ? undefined : { found: { replyId: found } };
      },
      adopt: () => ({ replyId: null }),
      hint: `Look in the partner’s portal whether ticket ${ticketId} has the reply. If it has, adopt ${ticketId}; if not, retry.`,
    },
  });
  return replyId;
}
