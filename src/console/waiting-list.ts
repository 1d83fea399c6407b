import type { Client } from '@temporalio/client';
import { byDue, INBOX_TYPES, type InboxItem, itemsOf } from '../inbox/inbox.js';
import { type Filter, listedBy, mostUrgent, visibilityQuery } from '../temporal/search.js';
import { SharedReads } from './sharing.js';

/** People who answer or claim see it at once. Other changes may show this much later. */
const SHARED_MS = 5_000;

/**
 * While somebody looks at the inbox, nobody waits for a list: the previous one is shown, and a new one is read for the next look.
 */
const SHOWN_MS = 15_000;

export type WaitingFilter = Omit<Filter, 'types' | 'actionRequired'>;

export interface WaitingLength {
  /** The minimum number of requirements, if the listed onboardings have that many. */
  readonly rows: number;
  /** The maximum number of onboardings: the most urgent ones. */
  readonly most: number;
}

export interface WaitingList {
  readonly items: readonly InboxItem[];
  /** The number of waiting onboardings, including those that are not in this list. */
  readonly total: number;
  /** The number of onboardings that are not in this list, all of them due later. */
  readonly later: number;
  /** The list goes on after this time. */
  readonly until: Date | undefined;
}

const lists = new SharedReads<WaitingList>(SHARED_MS, SHOWN_MS);

/** Somebody has just answered or claimed: the next list is a new one. */
export function forgetLists(client: Client): void {
  lists.forget(client);
}

/** The most urgent requirements of all onboardings, from the list of workflows alone. Several people share one list. */
export function waitingList(
  client: Client,
  filter: WaitingFilter,
  { rows, most }: WaitingLength,
): Promise<WaitingList> {
  const wanted = { ...filter, types: INBOX_TYPES, actionRequired: true };
  return lists.get(client, `${rows} of ${most} ${visibilityQuery(wanted)}`, async (before) => {
    // At least half as many are found as may be.
    for (let tried = 2 * rows; ; tried *= 2) {
      const atMost = Math.min(tried, most);
      const urgent = await mostUrgent(client, wanted, atMost, before?.until);
      const found = await Array.fromAsync(listedBy(client, urgent.filter));
      const { kind } = filter;
      const items = found
        .flatMap(itemsOf)
        .filter((item) => kind === undefined || item.kind === kind)
        .sort(byDue);
      const isAll = urgent.filter === wanted;
      const later = isAll ? 0 : Math.max(0, urgent.total - found.length);
      if (later === 0 || items.length >= rows || atMost === most)
        return {
          items,
          total: found.length + later,
          later,
          until: later > 0 ? urgent.filter.dueUntil : undefined,
        };
    }
  });
}
