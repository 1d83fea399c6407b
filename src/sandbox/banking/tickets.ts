/** A ticket that is about to be opened. */
export interface NewTicket {
  readonly text: string;
  readonly topic?: string | undefined;
  readonly topicId?: number | undefined;
  /** The field of the profile that the partner asks about. */
  readonly updateFieldRequest?: string | undefined;
  /** Who opens it: null where nobody is named. Default: the owner. */
  readonly userProfileId?: number | null | undefined;
}

export const NEW = 'New';
export const RESOLVED = 'Resolved';

/** A ticket as the sandbox keeps it. */
export interface Ticket {
  readonly partnerId: number;
  readonly ticketId: number;
  readonly createdDate: string;
  status: string;
  text: string;
  readonly topic: string;
  readonly topicId: number;
  /** Of the profile that the ticket is about; its creator's otherwise. */
  readonly userProfileId: number | null;
  readonly parentTicketId: number | null;
  readonly updateFieldRequest: string | null;
}

const FIRST_TICKET_ID = 9_001;

/** Tickets between the partner and its clients. */
export class Tickets {
  readonly #tickets: Ticket[] = [];

  /** @param now by the partner's clock */
  constructor(private readonly now: () => number) {}

  open(owner: { partnerId: number; userProfileId: number }, wanted: NewTicket, parent?: Ticket): Ticket {
    const ticket: Ticket = {
      partnerId: owner.partnerId,
      ticketId: FIRST_TICKET_ID + this.#tickets.length,
      createdDate: new Date(this.now()).toISOString(),
      // A reply asks for nothing.
      status: parent ? RESOLVED : NEW,
      text: wanted.text,
      topic: wanted.topic ?? parent?.topic ?? 'General',
      topicId: wanted.topicId ?? parent?.topicId ?? 1,
      userProfileId:
        wanted.userProfileId === undefined ? (parent ?? owner).userProfileId : wanted.userProfileId,
      parentTicketId: parent?.ticketId ?? null,
      updateFieldRequest: wanted.updateFieldRequest ?? null,
    };
    this.#tickets.push(ticket);
    return ticket;
  }

  /** What was asked, and answered, is asked again. Replies stay as they are. */
  reopen(owner: Pick<Ticket, 'partnerId' | 'userProfileId'>): void {
    for (const ticket of this.of(owner)) if (ticket.parentTicketId === null) ticket.status = NEW;
  }

  find(ticketId: number): Ticket | undefined {
    return this.#tickets.find((ticket) => ticket.ticketId === ticketId);
  }

  of(owner: Partial<Pick<Ticket, 'partnerId' | 'userProfileId'>>): Ticket[] {
    const isOwned = Object.entries(owner) as ['partnerId' | 'userProfileId', number][];
    return this.#tickets.filter((ticket) => isOwned.every(([member, id]) => ticket[member] === id));
  }
}

/** Nobody answered it yet. */
export function isOpen({ status }: Ticket): boolean {
  return status !== RESOLVED && status !== 'Closed';
}

/** A ticket as it travels. */
export function ticketRecord({ partnerId: _, ...ticket }: Ticket) {
  return ticket;
}
