import type { BankingOperations } from '../../partners/banking/operations.js';
import type { Signs } from '../ledger.js';
import { Refusal } from '../refusal.js';
import type { Handlers } from '../routes.js';
import { userProfileIdOf } from './profile.js';
import { isOpen, RESOLVED, type Ticket, type Tickets, ticketRecord } from './tickets.js';
import type { BankingUser } from './users.js';

type TicketHandlers = Pick<
  Handlers<BankingOperations, BankingUser>,
  'listNewTickets' | 'listTickets' | 'createTicket' | 'getTicket' | 'updateTicket'
>;

/** What the desk needs of the rest of the sandbox. */
export interface TicketDeskContext {
  readonly tickets: Tickets;
  record(operation: keyof BankingOperations & string, id: number, signs?: Signs): void;
  /** A ticket about the profile of this user profile was answered. */
  answered(userProfileId: number): void;
}

/** The operations on tickets. A ticket is answered by a reply, by a text put into it, or by the change it asks for. */
export function ticketHandlers({ tickets, record, answered }: TicketDeskContext): TicketHandlers {
  function get(id: number, { partnerId }: BankingUser): Ticket {
    const ticket = tickets.find(id);
    if (!ticket) throw new Refusal(404, `ticket ${id} not found`);
    if (ticket.partnerId !== partnerId) throw new Refusal(403, 'The ticket belongs to another partner');
    return ticket;
  }

  function resolve(ticket: Ticket, status = RESOLVED): void {
    const wasOpen = isOpen(ticket);
    ticket.status = status;
    const { userProfileId } = ticket;
    if (wasOpen && !isOpen(ticket) && userProfileId !== null) answered(userProfileId);
  }

  return {
    listNewTickets: (_, { partnerId }) => tickets.of({ partnerId }).filter(isOpen).map(ticketRecord),
    listTickets: (_, { partnerId }) => tickets.of({ partnerId }).map(ticketRecord),
    getTicket: ({ ticketId }, user) => ticketRecord(get(ticketId, user)),
    createTicket: ({ parentTicketId, ...wanted }, user) => {
      const parent = parentTicketId === undefined ? undefined : get(parentTicketId, user);
      const { partnerId, userId, profileId } = user;
      const userProfileId = profileId === undefined ? userId : userProfileIdOf(profileId);
      const ticket = tickets.open({ partnerId, userProfileId }, wanted, parent);
      record('createTicket', ticket.ticketId, parent && { of: parent.ticketId });
      if (parent) resolve(parent);
      return ticketRecord(ticket);
    },
    updateTicket: ({ ticketId, text, status }, user) => {
      const ticket = get(ticketId, user);
      if (text !== undefined) ticket.text = text;
      record('updateTicket', ticketId);
      if (text !== undefined || status !== undefined) resolve(ticket, status);
      return ticketRecord(ticket);
    },
  };
}
