import type { Client } from '@temporalio/client';
import type { RequirementKind } from '../messages/requirements.js';
import { byDue, INBOX_TYPES, type InboxItem, itemsOf } from '../operators/inbox.js';
import type { SystemName } from '../partners/names.js';
import { count, listed, mostUrgent, visibilityQuery } from '../temporal/search.js';
import { SharedReads } from './sharing.js';

/** How many onboardings one list has: the most urgent ones. */
export const MOST_LISTED = 1_000;

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

/** The most urgent requirements. */
export interface WaitingList {
  /** The first due first. */
  readonly items: readonly InboxItem[];
  /** How many onboardings they belong to. */
  readonly onboardings: number;
  /** How many more onboardings wait, all of them due later. */
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
export function waitingList(client: Client, filter: WaitingFilter): Promise<WaitingList> {
  const { accounts, ...others } = filter;
  const wanted = { ...others, types: INBOX_TYPES, actionRequired: true, partnerAccounts: accounts };
  return lists.get(client, visibilityQuery(wanted), async () => {
    const urgent = await mostUrgent(client, wanted, MOST_LISTED);
    const found = await Array.fromAsync(listed(client, visibilityQuery(urgent)));
    const total = urgent === wanted ? found.length : await count(client, visibilityQuery(wanted));
    const { kind } = filter;
    const items = found
      .flatMap(itemsOf)
      .filter((item) => kind === undefined || item.kind === kind)
      .sort(byDue);
    const later = Math.max(0, total - found.length);
    return { items, onboardings: found.length, later, until: later > 0 ? urgent.dueUntil : undefined };
  });
}
