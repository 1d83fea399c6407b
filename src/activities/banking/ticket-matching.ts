import { createHash } from 'node:crypto';
import type { OpenTicket } from '../../messages/banking-activities.js';
import type { Ticket } from '../../partners/banking/answers.js';
import type { BankingClient } from '../../partners/banking/client.js';
import type { CallOptions } from '../../partners/client.js';
import { isRefused, orNone } from './refusal.js';

/** Stands for the profile of a user that we may not see. */
const NOT_OURS = 0;

/** `profile 3001`, `Profile ID: 3001`, `profileId #3001`; not `user profile 13001`, which is another number. */
const NAMED_PROFILE = /(?<!user\s)\bprofile\s*(?:id|no\.?|number)?\s*[:#]?\s*(\d+)/gi;

interface ProfileOfTickets {
  readonly id: number;
  readonly userProfileId: number | null;
}

/** The new and unresolved tickets (E6) about a profile; the ids of the others, and of all. */
export async function ticketsAbout(
  client: BankingClient,
  { id, userProfileId }: ProfileOfTickets,
  options: CallOptions,
): Promise<{ tickets: OpenTicket[]; others: number[]; listed: number[] }> {
  const listed = await client.listNewTickets({}, options);
  const isOwn = (ticket: Ticket) => userProfileId !== null && ticket.userProfileId === userProfileId;
  const mayBe = (ticket: Ticket): boolean => {
    const parent = parentOf(ticket, listed);
    return isOwn(ticket) || namedIn(ticket).includes(id) || (parent !== undefined && mayBe(parent));
  };
  const subjects = new Subjects(client, listed, options, new Map(userProfileId ? [[userProfileId, id]] : []));
  const tickets: OpenTicket[] = [];
  for (const ticket of listed.filter(mayBe)) {
    if (!subjects.isReply(ticket) && (await subjects.of(ticket)) === id) tickets.push(opened(ticket));
  }
  const ids = listed.map(({ ticketId }) => ticketId);
  const about = new Set(tickets.map(({ ticketId }) => ticketId));
  return { tickets, others: ids.filter((ticketId) => !about.has(ticketId)), listed: ids };
}

/** All new and unresolved tickets (E6), each with the profile that it is about; null where nothing says so. */
export async function ticketsWithSubjects(
  client: BankingClient,
  options: CallOptions,
): Promise<{ ticket: Ticket; profileId: number | null }[]> {
  const listed = await client.listNewTickets({}, options);
  const subjects = new Subjects(client, listed, options);
  const found: { ticket: Ticket; profileId: number | null }[] = [];
  for (const ticket of listed) {
    const profileId = await subjects.of(ticket);
    const isContinued = ticket.parentTicketId !== null && !parentOf(ticket, listed) && profileId === null;
    if (isContinued || !subjects.isReply(ticket)) found.push({ ticket, profileId });
  }
  return found;
}

/** Whether tickets ask the same as before. */
export function isSameAsked(before: Readonly<Record<number, string>>, now: readonly OpenTicket[]): boolean {
  const isSame = ({ ticketId, asks }: OpenTicket) => before[ticketId] === asks;
  return Object.keys(before).length === now.length && now.every(isSame);
}

export function opened({ ticketId, topic, text, updateFieldRequest }: Ticket): OpenTicket {
  const asks = createHash('sha256')
    .update(JSON.stringify([topic, text, updateFieldRequest]))
    .digest('hex');
  return { ticketId, asks: asks.slice(0, 12), topic, text: text ?? '', updateFieldRequest };
}

/**
 * Finds out which profile a ticket is about: the one that it continues a ticket of, the only one that it names, or that of the
 * user who opened it. What another customer opened is never about the profile that it names. A name of a business decides
 * nothing, because one name may be part of another, or be that of a franchise.
 */
class Subjects {
  constructor(
    private readonly client: BankingClient,
    private readonly listed: readonly Ticket[],
    private readonly options: CallOptions,
    /** Profiles by user profile, as far as they are known. */
    private readonly ofUsers: Map<number, number | null> = new Map(),
  ) {}

  /** A reply asks for nothing. One by somebody else than who opened the ticket may ask for more. */
  isReply(ticket: Ticket): boolean {
    if (ticket.parentTicketId === null) return false;
    const parent = parentOf(ticket, this.listed);
    return parent === undefined || parent.userProfileId === ticket.userProfileId;
  }

  async of(ticket: Ticket): Promise<number | null> {
    const parent = parentOf(ticket, this.listed);
    if (parent) return this.of(parent);
    const opener = await this.#ofUser(ticket.userProfileId);
    const [named, ...more] = namedIn(ticket);
    const isNamed = named !== undefined && more.length === 0 && opener === null;
    return isNamed ? named : opener;
  }

  /** Null for a user without a profile, such as the partner's staff. */
  async #ofUser(userProfileId: number | null): Promise<number | null> {
    if (userProfileId === null) return null;
    const known = this.ofUsers.get(userProfileId);
    if (known !== undefined) return known;
    const found = await this.#lookUp(userProfileId);
    this.ofUsers.set(userProfileId, found);
    return found;
  }

  async #lookUp(userProfileId: number): Promise<number | null> {
    try {
      const profile = await orNone(this.client.findProfileByUser({ userProfileId }, this.options), null);
      return profile?.id ?? null;
    } catch (error) {
      if (isRefused(error)) return NOT_OURS;
      throw error;
    }
  }
}

function parentOf({ ticketId, parentTicketId }: Ticket, listed: readonly Ticket[]): Ticket | undefined {
  // A parent is older, which also ends a circle.
  return listed.find((other) => other.ticketId === parentTicketId && other.ticketId < ticketId);
}

function namedIn({ topic, text }: Ticket): number[] {
  const named = [...`${topic ?? ''}\n${text ?? ''}`.matchAll(NAMED_PROFILE)].map(([, id]) => Number(id));
  return [...new Set(named)];
}
