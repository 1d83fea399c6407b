import type { BankingClient } from '../../partners/banking/client.js';
import { repeatable } from '../failures.js';
import { nudgeOwnPoll } from '../poll.js';
import { write } from '../write.js';
import { type BankingCalls, untilCancelled } from './access.js';

/** Answers the partner's tickets. */
export function ticketActivities(client: BankingClient): Pick<BankingCalls, 'replyToTicket' | 'hasReply'> {
  return {
    replyToTicket: ({ ticketId, topic, text }) =>
      write(async (options) => {
        const reply = { ...(topic !== null && { topic }), text, parentTicketId: ticketId };
        await client.createTicket(reply, options);
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
