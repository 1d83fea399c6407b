import type { BankingClient } from '../../partners/banking/client.js';
import { once, repeatable } from '../failures.js';
import { nudgeOwnPoll } from '../poll.js';
import { type BankingCalls, untilCancelled } from './access.js';

/** Answers the partner's tickets. */
export function ticketActivities(client: BankingClient): Pick<BankingCalls, 'replyToTicket' | 'hasReply'> {
  return {
    replyToTicket: ({ ticketId, topic, text }) =>
      once(async () => {
        await client.createTicket({ ...(topic !== null && { topic }), text, parentTicketId: ticketId });
        nudgeOwnPoll();
      }),

    hasReply: ({ ticketId, text }) =>
      repeatable(async () => {
        const tickets = await client.listTickets({}, untilCancelled());
        return tickets.some(
          (ticket) => ticket.parentTicketId === ticketId && ticket.text?.trim() === text.trim(),
        );
      }),
  };
}
