import { hash } from 'node:crypto';
import { activityInfo, getClient, log, sleep } from '@temporalio/activity';
import type { BankingActivities, OpenTicket, UnmatchedTicket } from '../../messages/banking-activities.js';
import { workflowTaskQueue } from '../../messages/ids.js';
import type { FourEyes } from '../../messages/requirements.js';
import type { BankingClient } from '../../partners/banking/client.js';
import { type BankingProfile, isResolved, type Ticket } from '../../partners/banking/responses.js';
import type { CallOptions } from '../../partners/client.js';
import { withoutEntities } from '../../partners/encoding.js';
import { reportTickets } from '../../temporal/partner-accounts.js';
import { callOptions, ifFound, ifNotRejected, withRetries } from '../failures.js';
import { awaitChange, nudgeOwnPoll, type PollBounds } from '../poll.js';
import type { Reservations } from '../reservations.js';
import { sendOnce } from '../write.js';

/** How long visibility can lag behind a workflow's published state, in milliseconds. */
const LISTED_WITHIN_MS = 3_000;

export function ticketActivities(
  client: BankingClient,
  shownAmong: (profileIds: readonly number[]) => Promise<ReadonlySet<number>>,
  { ensureReserved }: Reservations,
  poll: PollBounds,
) {
  async function repliesTo(ticketId: number, options: CallOptions) {
    const tickets = await client.listTickets({}, options);
    return tickets.filter(({ parentTicketId }) => parentTicketId === ticketId);
  }

  const replyWith = (text: string, baseline: readonly number[], replies: readonly Ticket[]) =>
    replies.find((reply) => !baseline.includes(reply.ticketId) && reply.text?.trim() === text.trim());

  async function notShown(tickets: readonly TicketOfProfile[]): Promise<TicketOfProfile[]> {
    const profileIds = new Set(tickets.flatMap(({ profileId }) => profileId ?? []));
    const ticketIds = await shownAmong([...profileIds]);
    return tickets.filter(({ profileId }) => profileId === null || !ticketIds.has(profileId));
  }

  async function unmatched(seen: Readonly<Record<number, string>> | null): Promise<UnmatchedTicket[]> {
    let others = await notShown(await ticketsOfProfiles(client, callOptions()));
    // The profile's onboarding may have just begun. Without the wait, two people would be asked.
    if (others.some(({ ticket, profileId }) => profileId !== null && seen?.[ticket.ticketId] === undefined)) {
      await sleep(LISTED_WITHIN_MS);
      others = await notShown(others);
    }
    return others.map(({ ticket }) => {
      const { createdDate, userProfileId, parentTicketId } = ticket;
      return { ...toOpenTicket(ticket), createdDate, userProfileId, parentTicketId };
    });
  }

  return {
    replyToTicket: ({ ticketId, topic, text, profileId }) =>
      sendOnce(async (options) => {
        if (profileId !== undefined) await ensureReserved(profileId);
        const before = await repliesTo(ticketId, { signal: options.signal });
        options.compareWith({ baseline: before.map((reply) => reply.ticketId) });
        const reply = { ...(topic !== null && { topic }), text, parentTicketId: ticketId };
        const { ticketId: replyId } = await client.createTicket(reply, options);
        nudgeOwnPoll();
        return { replyId };
      }),

    findReply: ({ ticketId, text, baseline }) =>
      withRetries(async () => {
        const replies = await repliesTo(ticketId, callOptions());
        return replyWith(text, baseline, replies)?.ticketId ?? null;
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

/** Stands for the profile of a user that this account may not see. */
const HIDDEN_PROFILE = 0;

/** `profile 3001`, `Profile ID: 3001`, `profileId #3001`; not `user profile 13001`, which is a different kind of ID. */
const NAMED_PROFILE = /(?<!user\s)\bprofile\s*(?:(?:id|no\.?|number)\s*)?(?:[:#]\s*)?(\d{1,15})(?!\d)/gi;

/** Returns the new and unresolved tickets (E6) about a profile, the IDs of all other tickets, and all IDs. */
export async function ticketsAbout(
  client: BankingClient,
  { id, userProfileId }: Pick<BankingProfile, 'id' | 'userProfileId'>,
  options: CallOptions,
): Promise<{ tickets: OpenTicket[]; others: number[]; listed: number[] }> {
  const ofUsers = new Map(userProfileId ? [[userProfileId, id]] : []);
  const { all, firstOf, isReply, profileOf } = await newTickets(client, options, ofUsers);
  const mayBe = (ticket: Ticket): boolean => {
    const first = firstOf(ticket);
    const isOwn = userProfileId !== null && first.userProfileId === userProfileId;
    return isOwn || namedIn(first).includes(id);
  };
  const about = new Map<number, OpenTicket>();
  for (const ticket of all.filter(mayBe))
    if (!isReply(ticket) && (await profileOf(ticket)) === id)
      about.set(ticket.ticketId, toOpenTicket(ticket));
  const listed = all.map(({ ticketId }) => ticketId);
  return { tickets: [...about.values()], others: listed.filter((each) => !about.has(each)), listed };
}

/** An open ticket, and the profile that it is about; null if unknown. */
interface TicketOfProfile {
  readonly ticket: Ticket;
  readonly profileId: number | null;
}

async function ticketsOfProfiles(client: BankingClient, options: CallOptions): Promise<TicketOfProfile[]> {
  const { all, parentOf, isReply, profileOf } = await newTickets(client, options);
  const tickets: TicketOfProfile[] = [];
  for (const ticket of all) {
    const profileId = await profileOf(ticket);
    const isContinued = ticket.parentTicketId !== null && !parentOf(ticket) && profileId === null;
    if (isContinued || !isReply(ticket)) tickets.push({ ticket, profileId });
  }
  return tickets;
}

/**
 * Lists the new and unresolved tickets (E6), and finds the profile of each: its parent ticket's profile, the only profile that it
 * names, or the profile of the user who opened it. Another customer's ticket is never about the profile that it names. Business
 * names are ignored, because one may be part of another, or belong to a franchise.
 *
 * @param ofUsers the profile of each known user profile; null for a user without one, such as the partner's staff
 */
async function newTickets(
  client: BankingClient,
  options: CallOptions,
  ofUsers = new Map<number, number | null>(),
) {
  const rows = await client.listNewTickets({}, options);
  const byId = new Map(rows.map((ticket) => [ticket.ticketId, ticket]));
  // A page may repeat a row of the one before.
  const all = [...byId.values()];
  const firsts = new Map<Ticket | undefined, Ticket>();
  for (const ticket of all.toSorted((one, other) => one.ticketId - other.ticketId))
    firsts.set(ticket, firsts.get(parentOf(ticket)) ?? ticket);

  /** Accept only an older parent, so that a cycle ends. */
  function parentOf({ ticketId, parentTicketId }: Ticket): Ticket | undefined {
    const parent = byId.get(parentTicketId ?? Number.NaN);
    return parent && parent.ticketId < ticketId ? parent : undefined;
  }

  /** Returns the first ticket of a thread. All tickets of a thread are about one profile. */
  function firstOf(ticket: Ticket): Ticket {
    return firsts.get(ticket) ?? ticket;
  }

  /** Reports whether a ticket is a reply, which asks nothing. A follow-up from anyone but the ticket's author may ask something. */
  function isReply(ticket: Ticket): boolean {
    if (ticket.parentTicketId === null) return false;
    const parent = parentOf(ticket);
    return parent === undefined || parent.userProfileId === ticket.userProfileId;
  }

  async function profileOf(ticket: Ticket): Promise<number | null> {
    const first = firstOf(ticket);
    const { userProfileId } = first;
    if (userProfileId !== null && !ofUsers.has(userProfileId)) {
      const search = ifFound(client.findProfileByUser({ userProfileId }, options), null);
      const profileId = search.then((profile) => profile?.id ?? null);
      ofUsers.set(userProfileId, await ifNotRejected(profileId, HIDDEN_PROFILE));
    }
    const opener = userProfileId === null ? null : (ofUsers.get(userProfileId) ?? null);
    const [named, ...more] = namedIn(first);
    return opener === null && named !== undefined && more.length === 0 ? named : opener;
  }

  // A thread may begin with a resolved ticket.
  return { all: all.filter((ticket) => !isResolved(ticket)), parentOf, firstOf, isReply, profileOf };
}

export function isSameAsked(before: Readonly<Record<number, string>>, now: readonly OpenTicket[]): boolean {
  const isSame = ({ ticketId, asks }: OpenTicket) => before[ticketId] === asks;
  return Object.keys(before).length === now.length && now.every(isSame);
}

export function toOpenTicket({ ticketId, topic, text, updateFieldRequest }: Ticket): OpenTicket {
  const asks = hash('sha256', JSON.stringify([topic, text, updateFieldRequest]));
  const ticket = { topic: topic && withoutEntities(topic), text: withoutEntities(text ?? '') };
  return { ticketId, asks: asks.slice(0, 12), ...ticket, updateFieldRequest };
}

function namedIn({ topic, text }: Ticket): number[] {
  const named = [...`${topic ?? ''}\n${text ?? ''}`.matchAll(NAMED_PROFILE)].map(([, id]) => Number(id));
  return [...new Set(named)];
}

/** The minimum time between two reports, in milliseconds. A later poll reports tickets that arrive in between. */
const REPORT_EVERY_MS = 60_000;

/** Reports other profiles' tickets in a poll, once each. The account's workflow checks whether an onboarding shows them. */
export class OtherTickets {
  #reported = new Set<number>();
  #nextAt = 0;

  constructor(
    private readonly partnerAccount: string | undefined,
    private readonly fourEyes: FourEyes,
  ) {}

  /** Reports the tickets that are not about the profile. Runs in the background, because the poll must not wait. */
  seen(others: readonly number[], listed: readonly number[]): void {
    const { partnerAccount, fourEyes } = this;
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
      fourEyes,
    }).catch((error: unknown) => {
      for (const id of fresh) this.#reported.delete(id);
      log.warn('could not report tickets', { error });
    });
  }
}
