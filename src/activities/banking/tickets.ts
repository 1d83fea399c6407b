import type { BankingActivities } from '../../messages/banking-activities.js';
import type { BankingClient } from '../../partners/banking/client.js';
import { repeatable, untilCancelled } from '../failures.js';
import { nudgeOwnPoll } from '../poll.js';
import { write } from '../write.js';

/** Answers the partner's tickets. */
export function ticketActivities(
  client: BankingClient,
): Pick<BankingActivities, 'replyToTicket' | 'hasReply'> {
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
