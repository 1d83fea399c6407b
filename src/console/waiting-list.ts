import type { Client } from '@temporalio/client';
import type { RequirementKind } from '../messages/requirements.js';
import { byDue, INBOX_TYPES, type InboxItem, itemsOf } from '../operators/inbox.js';
import type { SystemName } from '../partners/names.js';
import { listedBy, mostUrgent, visibilityQuery } from '../temporal/search.js';
import { SharedReads } from './sharing.js';

/** Who answers or claims sees it at once. A change that comes from elsewhere may show this much later. */
const SHARED_MS = 5_000;

/** While somebody looks at the inbox, nobody waits for a list: the one before is shown, and a new one is read for the next look. */
const SHOWN_MS = 15_000;

/** Which onboardings are listed. The server applies it. */
export interface WaitingFilter {
  readonly kind?: RequirementKind | undefined;
  readonly system?: SystemName | undefined;
  /** '' for the one without a name. */
  readonly accounts?: readonly string[] | undefined;
  /** Only what is due after this time. */
  readonly dueAfter?: Date | undefined;
}

/** How long a list is. */
export interface WaitingLength {
  /** How many requirements it has at least, if so many are open at the onboardings that are listed. */
  readonly rows: number;
  /** How many onboardings are listed at most: the most urgent ones. */
  readonly most: number;
}

/** The most urgent requirements. */
export interface WaitingList {
  /** The first due first. */
  readonly items: readonly InboxItem[];
  /** How many onboardings wait, with those that are not in this list. */
  readonly total: number;
  /** How many onboardings are not in this list, all of them due later. */
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
  const { accounts, ...others } = filter;
  const wanted = { ...others, types: INBOX_TYPES, actionRequired: true, partnerAccounts: accounts };
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
