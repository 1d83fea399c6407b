import type { OpenTicket } from '../../messages/banking-activities.js';
import type { Requirement } from '../../messages/requirements.js';
import { masked } from '../../privacy/masked.js';
import type { Journey } from '../journey/journey.js';
import { ANSWER, partnerActivities, REPEATABLE } from '../journey/partner-activities.js';
import type { Question } from '../journey/requirement-queue.js';
import { runStep } from '../journey/run-step.js';

/** A correction to fill in where nobody knows which field it changes. */
export const ANY_OF_HOLDER = { holder: { '': '' } };

const { replyToTicket, findReply } = partnerActivities('banking')({
  replyToTicket: { ...ANSWER, summary: 'Reply to a ticket' },
  findReply: { ...REPEATABLE, summary: 'Look for the reply to a ticket' },
});

const TICKET = 'ticket-';

/** The `about` of the requirement of a ticket. */
export function aboutTicket(ticketId: number): string {
  return `${TICKET}${ticketId}`;
}

function ticketIdOf({ about = '' }: Requirement): number {
  return Number(about.slice(TICKET.length));
}

export function titleOfReply(requirement: Requirement): string {
  return `reply to ticket ${ticketIdOf(requirement)}`;
}

/** The question of a ticket, for people. */
export function detailOf({ text, updateFieldRequest }: OpenTicket): string {
  const field =
    updateFieldRequest === null ? '' : `\nThe partner asks about the field ${updateFieldRequest}.`;
  return masked(text + field);
}

/** @param remark why the ticket is asked again */
export function ticketQuestion(
  ticket: OpenTicket,
  answers: Question['answers'],
  remark: string | undefined,
): Question {
  const subject = ticket.updateFieldRequest ?? ticket.topic;
  const title = subject === null ? 'Ticket' : `Ticket about ${masked(subject)}`;
  return {
    about: aboutTicket(ticket.ticketId),
    kind: 'ticket',
    title: remark === undefined ? title : `${title}; ${remark}`,
    detail: detailOf(ticket),
    answers,
    ...(answers.includes('correction') && { blank: ANY_OF_HOLDER }),
  };
}

/**
 * Replies to the ticket of a requirement, once.
 *
 * @returns the id of the reply, which is a ticket as well; null when a person adopted it
 * @throws {RejectedByPartner} when the partner rejects it
 * @throws {Abandoned} when its outcome is unknown and a person abandons it
 */
export async function reply(
  journey: Journey,
  requirement: Requirement,
  text: string,
): Promise<number | null> {
  const ticketId = ticketIdOf(requirement);
  const { replyId } = await runStep<{ readonly replyId: number | null }>(journey, {
    effect: 'once',
    title: titleOfReply(requirement),
    run: (send) => send(replyToTicket, { ticketId, topic: null, text }),
    endsWhenRejected: true,
    readEvidence: async (wasInDoubt, baseline) => {
      if (!wasInDoubt || !baseline) return undefined;
      const title = `look for the reply to ticket ${ticketId}`;
      const run = () => findReply({ ticketId, text, baseline });
      const found = await runStep(journey, { effect: 'read', title, run });
      return found === null ? undefined : { found: { replyId: found } };
    },
    polledEvidence: 'none',
    adopt: () => ({ replyId: null }),
    whereToLook: `Look in the partner’s portal whether ticket ${ticketId} has the reply. If it has, adopt ${ticketId}.`,
  });
  return replyId;
}
