import { createHash } from 'node:crypto';
import { activityInfo, getClient, log, sleep } from '@temporalio/activity';
import type { BankingActivities, OpenTicket, UnmatchedTicket } from '../../messages/banking-activities.js';
import { workflowTaskQueue } from '../../messages/ids.js';
import type { BankingClient } from '../../partners/banking/client.js';
import type { Ticket } from '../../partners/banking/responses.js';
import type { CallOptions } from '../../partners/client.js';
import { reportTickets } from '../../temporal/partner-accounts.js';
import { repeatable, untilCancelled } from '../failures.js';
import { awaitChange, nudgeOwnPoll, type PollBounds } from '../poll.js';
import { writeOnce } from '../write.js';
import type { Candidates } from './holder.js';
import { isRejected, orNone } from './refusal.js';

/** The time within which Temporal lists what a workflow has published, in milliseconds. */
const LISTED_WITHIN_MS = 3_000;

/** Answers the partner's tickets, and polls for those that no onboarding shows. */
export function ticketActivities(client: BankingClient, candidates: Candidates, poll: PollBounds) {
  async function repliesTo(ticketId: number, options: CallOptions) {
    const tickets = await orNone(client.listTickets({}, options), []);
    return tickets.filter(({ parentTicketId }) => parentTicketId === ticketId);
  }

  /** The tickets that no running onboarding shows. */
  async function notShown(tickets: readonly TicketWithSubject[]): Promise<TicketWithSubject[]> {
    const profileIds = new Set(tickets.flatMap(({ profileId }) => profileId ?? []));
    const owners = await candidates.owners([...profileIds]);
    const shown = new Set(owners.flatMap(({ id, isRunning }) => (isRunning ? [id] : [])));
    return tickets.filter(({ profileId }) => profileId === null || !shown.has(profileId));
  }

  async function unmatched(seen: Readonly<Record<number, string>> | null): Promise<UnmatchedTicket[]> {
    let others = await notShown(await ticketsWithSubjects(client, untilCancelled()));
    // The onboarding of a profile may just have begun, and two people would be asked.
    if (others.some(({ ticket, profileId }) => profileId !== null && seen?.[ticket.ticketId] === undefined)) {
      await sleep(LISTED_WITHIN_MS);
      others = await notShown(others);
    }
    return others.map(({ ticket }) => {
      const { createdDate, userProfileId, parentTicketId } = ticket;
      return { ...opened(ticket), createdDate, userProfileId, parentTicketId };
    });
  }

  return {
    replyToTicket: ({ ticketId, topic, text }) =>
      writeOnce(async (options) => {
        const before = await repliesTo(ticketId, { signal: options.signal });
        options.compareWith(before.map((reply) => reply.ticketId));
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
      awaitChange(
        poll,
        pace,
        () => unmatched(seen),
        (now) => seen === null || !isSameAsked(seen, now),
      ),
  } satisfies Partial<BankingActivities>;
}

/** Represents the profile of a user that this account may not see. */
const HIDDEN_PROFILE = 0;

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

interface TicketWithSubject {
  readonly ticket: Ticket;
  readonly profileId: number | null;
}

/** All new and unresolved tickets (E6), each with the profile that it is about; null when that is unknown. */
async function ticketsWithSubjects(
  client: BankingClient,
  options: CallOptions,
): Promise<TicketWithSubject[]> {
  const listed = await client.listNewTickets({}, options);
  const subjects = new Subjects(client, listed, options);
  const found: TicketWithSubject[] = [];
  for (const ticket of listed) {
    const profileId = await subjects.of(ticket);
    const isContinued = ticket.parentTicketId !== null && !parentOf(ticket, listed) && profileId === null;
    if (isContinued || !subjects.isReply(ticket)) found.push({ ticket, profileId });
  }
  return found;
}

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
 * Finds the profile of a ticket: the profile of its parent ticket, the only one that it names, or that of the user who opened it. A
 * ticket of another customer is never about the profile that it names. The name of a business decides nothing, because it may be
 * part of another name, or the name of a franchise.
 */
class Subjects {
  constructor(
    private readonly client: BankingClient,
    private readonly listed: readonly Ticket[],
    private readonly options: CallOptions,
    /** The known profiles, by user profile. */
    private readonly ofUsers: Map<number, number | null> = new Map(),
  ) {}

  /** A reply asks nothing. A follow-up by another user than the one who opened the ticket may ask something. */
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
      if (isRejected(error)) return HIDDEN_PROFILE;
      throw error;
    }
  }
}

function parentOf({ ticketId, parentTicketId }: Ticket, listed: readonly Ticket[]): Ticket | undefined {
  // A parent is older. This also ends a cycle.
  return listed.find((other) => other.ticketId === parentTicketId && other.ticketId < ticketId);
}

function namedIn({ topic, text }: Ticket): number[] {
  const named = [...`${topic ?? ''}\n${text ?? ''}`.matchAll(NAMED_PROFILE)].map(([, id]) => Number(id));
  return [...new Set(named)];
}

/** The minimum time between two reports, in milliseconds. A later poll reports tickets that arrive in between. */
const REPORT_EVERY_MS = 60_000;

/** Reports other tickets that a poll lists, once each. The workflow of the account checks whether an onboarding shows them. */
export class OtherTickets {
  #reported = new Set<number>();
  #nextAt = 0;

  constructor(private readonly partnerAccount: string | undefined) {}

  /** Reports the tickets that are not about the profile, in the background, because the poll must not wait. */
  seen(others: readonly number[], listed: readonly number[]): void {
    const { partnerAccount } = this;
    this.#reported = new Set(listed.filter((id) => this.#reported.has(id)));
    if (others.every((id) => this.#reported.has(id)) || performance.now() < this.#nextAt) return;
    const { workflowExecution, taskQueue } = activityInfo();
    if (!workflowExecution) return;
    this.#nextAt = performance.now() + REPORT_EVERY_MS;
    const fresh = others.filter((id) => !this.#reported.has(id));
    for (const id of fresh) this.#reported.add(id);
    reportTickets(getClient(), {
      system: 'banking',
      account: partnerAccount,
      taskQueue: workflowTaskQueue(taskQueue, 'banking', partnerAccount),
    }).catch((error: unknown) => {
      for (const id of fresh) this.#reported.delete(id);
      log.warn('could not report tickets', { error });
    });
  }
}
