import type { BankingActivities, UnmatchedTicket } from '../../messages/banking-activities.js';
import type { BankingClient } from '../../partners/banking/client.js';
import type { CallOptions } from '../../partners/client.js';
import { repeatable, untilCancelled } from '../failures.js';
import { awaitChange, nudgeOwnPoll } from '../poll.js';
import type { PollBounds } from '../poll-delay.js';
import { write } from '../write.js';
import type { Candidates } from './candidates.js';
import { orNone } from './refusal.js';
import { isSameAsked, opened, ticketsWithSubjects } from './ticket-matching.js';

type TicketCalls = Pick<BankingActivities, 'replyToTicket' | 'findReply' | 'awaitUnmatchedTickets'>;

/** Answers the partner's tickets, and waits for those that nobody answers. */
export function ticketActivities(
  client: BankingClient,
  candidates: Candidates,
  poll: PollBounds,
): TicketCalls {
  async function repliesTo(ticketId: number, options: CallOptions) {
    const tickets = await orNone(client.listTickets({}, options), []);
    return tickets.filter(({ parentTicketId }) => parentTicketId === ticketId);
  }

  async function unmatched(): Promise<UnmatchedTicket[]> {
    const tickets = await ticketsWithSubjects(client, untilCancelled());
    const profileIds = new Set(tickets.flatMap(({ profileId }) => profileId ?? []));
    const owners = await candidates.owners([...profileIds]);
    const shown = new Set(owners.flatMap(({ id, isRunning }) => (isRunning ? [id] : [])));
    const others = tickets.filter(({ profileId }) => profileId === null || !shown.has(profileId));
    return others.map(({ ticket }) => {
      const { createdDate, userProfileId, parentTicketId } = ticket;
      return { ...opened(ticket), createdDate, userProfileId, parentTicketId };
    });
  }

  return {
    replyToTicket: ({ ticketId, topic, text }) =>
      write(async (options) => {
        const before = await repliesTo(ticketId, { signal: options.signal });
        options.startFrom(before.map((reply) => reply.ticketId));
        const reply = { ...(topic !== null && { topic }), text, parentTicketId: ticketId };
        const { ticketId: replyId } = await client.createTicket(reply, options);
        nudgeOwnPoll();
        return { replyId };
      }),

    findReply: ({ ticketId, text, baseline }) =>
      repeatable(async () => {
        const replies = await repliesTo(ticketId, untilCancelled());
        const found = replies.find(
          (reply) => !baseline.includes(reply.ticketId) && reply.text?.trim() === text.trim(),
        );
        return found?.ticketId ?? null;
      }),

    awaitUnmatchedTickets: ({ seen, pace }) =>
      awaitChange(poll, pace, unmatched, (now) => seen === null || !isSameAsked(seen, now)),
  };
}
