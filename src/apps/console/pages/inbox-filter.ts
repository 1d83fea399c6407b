import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isSamePerson } from '../../../messages/actors.js';
import { partsOfId } from '../../../messages/ids.js';
import { isMerchant } from '../../../messages/links.js';
import { TASKS } from '../../../messages/requirements.js';
import { ASKING } from '../../../messages/workflow-types.js';
import { capitalize } from '../../../partners/text-limits.js';
import {
  compareDueDates,
  type InboxItem,
  inboxItems,
  isMine,
  isRaisedIn,
} from '../../../services/inbox/inbox.js';
import { displayName } from '../../../services/texts/display-names.js';
import {
  count,
  type Filter,
  mostUrgent,
  searchOnboardings,
  visibilityQuery,
} from '../../../temporal/search.js';
import { SharedReads } from '../../../temporal/shared-reads.js';
import { Fields, inboxOf, pathOf, withList } from '../query.js';
import type { RequestContext } from '../route.js';
import { ACCOUNT, choice, FIND, filterOf, listedAccounts, OVER, RAISED, SYSTEM, waitIn } from './filters.js';

/** The server applies a part of it to its list, and the console the rest. */
export const FILTER = filterOf('Filter the inbox', '/', {
  find: FIND,
  kind: choice('Task', 'Any task', TASKS),
  system: SYSTEM,
  account: ACCOUNT,
  due: choice('Due', 'Due any time', {
    overdue: 'overdue',
    today: 'due today or before',
    week: 'due this week or before',
  }),
  over: OVER,
  raised: RAISED,
  taken: choice('Claimed', 'Claimed or not', {
    untaken: 'nobody has it',
    taken: 'somebody has it',
    mine: 'mine: I have it, or am mentioned',
  }),
  sort: choice('Sort', 'Sorted by due date', { waiting: 'by longest waiting', dba: 'by business' }),
});

export function choicesIn(fields: Fields) {
  const after = fields.text('after');
  return {
    ...FILTER.read(fields),
    page: fields.page('page'),
    /** Only what is due later: the next part of a very long list. */
    after: Number.isNaN(Date.parse(after)) ? undefined : new Date(after).toISOString(),
  };
}

export type Choices = ReturnType<typeof choicesIn>;

const NEXT_OF = 1_000;

/** The requirement to answer after this one in a filtered inbox: the first one that nobody else has. */
export async function nextIn(context: RequestContext, list: string): Promise<string> {
  const choices = choicesIn(new Fields(Object.fromEntries(new URLSearchParams(list))));
  const { items } = await waitingList(context, choices, NEXT_OF, NEXT_OF);
  const next = chosenItems(items, choices, context).find(
    ({ id, claimedBy, proposedBy }) =>
      id !== undefined &&
      proposedBy === undefined &&
      (claimedBy === undefined || isSamePerson(claimedBy, context.user.actor)),
  );
  if (next?.id === undefined) return inboxOf(list);
  return withList(pathOf(next.workflowId, 'requirements', next.id), list);
}

/** Reports whether the console itself filters and sorts, which needs the whole list. */
export function isSearched({ due, over, raised, taken, sort }: Choices): boolean {
  return [due, over, raised, taken, sort].some((each) => each !== undefined);
}

/** How many onboardings wait for a person, among those that this one may see; undefined while that is not known. */
export async function countWaiting({ client, user }: Pick<RequestContext, 'client' | 'user'>) {
  const query = visibilityQuery({ types: ASKING, actionRequired: true, partnerAccounts: user.accounts });
  const read = async (before: number | undefined) => {
    const number = await count(client, query);
    // A list from before the change would show the previous number again.
    if (before !== undefined && before !== number) lists.forget(client);
    return number;
  };
  const counted = counts.get(client, query, read).catch(() => undefined);
  return Promise.race([counted, pause(COUNT_MS, undefined, { ref: false })]);
}

/** No page waits longer for the number in its navigation. */
const COUNT_MS = 300;

/** By query. A list brings its number too, so that no other page shows an older one. */
const counts = new SharedReads<number>(5_000, 15_000);

export function onboardingsIn(items: readonly InboxItem[]): number {
  return new Set(items.map(({ workflowId }) => workflowId)).size;
}

/** The part of the list that the server cannot choose, sorted. */
export function chosenItems(
  items: readonly InboxItem[],
  { due, over, raised, taken, sort }: Choices,
  { times, user }: Pick<RequestContext, 'times' | 'user'>,
): InboxItem[] {
  // `2026-03-01`, in the zone of the person.
  const dayOf = (time: string | Date) => times.at(time).slice(0, 10);
  const today = dayOf(new Date());
  const last = due === 'week' ? sundayAfter(today) : today;
  const isDue = ({ dueAt, overdue }: InboxItem) =>
    dueAt !== undefined && (due === 'overdue' ? overdue : dayOf(dueAt) <= last);
  const isTaken = (item: InboxItem) =>
    taken === 'mine' ? isMine(item, user.actor) : (item.claimedBy !== undefined) === (taken === 'taken');
  const wait = waitIn({ over, raised });
  const chosen = items.filter(
    (item) => (!due || isDue(item)) && (!taken || isTaken(item)) && isRaisedIn(wait, item),
  );
  const by = { waiting: ({ raisedAt = '' }: InboxItem) => raisedAt, dba: displayName };
  return sort ? chosen.sort((one, other) => by[sort](one).localeCompare(by[sort](other))) : chosen;
}

/** Brings together what a business is asked, where the first of it is. The parts of a customer are one business. */
export function groupByBusiness(items: readonly InboxItem[]): InboxItem[] {
  const businessOf = ({ workflowId }: InboxItem) => {
    const { key = workflowId, account = '' } = partsOfId(workflowId) ?? {};
    return `${key}@${account}`;
  };
  return [...Map.groupBy(items, businessOf).values()].flat();
}

/** Reports whether the merchant has answered through a link. */
export function isByMerchant({ proposedBy = '' }: InboxItem): boolean {
  return isMerchant(proposedBy);
}

/** Reports whether it was raised, or answered by the merchant, after this time. */
export function isNewSince(item: InboxItem, since: string): boolean {
  return (item.raisedAt ?? '') > since || (isByMerchant(item) && (item.proposedAt ?? '') > since);
}

/** What the partner asks, without the words before it, and what it is; the task while its question is not known. */
export function splitQuestion({ kind: of, title, detail, task }: InboxItem) {
  const [, author, note] = /^Note(?: from ([^:]{1,100}))?: (.+)$/s.exec(title ?? '') ?? [];
  if (note !== undefined) return { sentence: note, kind: ['Note', author].filter(Boolean).join(' · ') };
  // What the partner wants says more than that it wants something.
  const isExplained = of === 'rejected-input' || of === 'changes-requested' || of === 'ticket';
  if (isExplained && title && detail) return { sentence: detail.replaceAll('\n', ' · '), kind: title };
  return { sentence: title || capitalize(task), kind: capitalize(task) };
}

/** The beginning of a question, to tell two controls of one business apart by their names. */
export function questionLabel(sentence: string): string {
  return sentence.slice(0, 30).toWellFormed();
}

/** The last day of a week, which may be this one. */
function sundayAfter(today: string): string {
  const day = new Date(`${today}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + ((7 - day.getUTCDay()) % 7));
  return day.toISOString().slice(0, 10);
}

/** People who answer or claim see it at once. Other changes may appear this much later. */
const SHARED_MS = 5_000;

/** Nobody waits for a list while the inbox is in use: it shows the previous list, and reads a new one for the next request. */
const SHOWN_MS = 15_000;

/**
 * What is one's own is searched for in as many onboardings. No search attribute has the people, because anybody who can read the
 * namespace would see them.
 */
const OWN_OF = 20_000;

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

/** Those that were answered a moment ago: the server may still list them. */
const answered = new Set<string>();

const keyOf = ({ workflowId, id }: Pick<InboxItem, 'workflowId' | 'id'>) => `${workflowId} ${id}`;

/** Somebody has just answered or claimed: the next list is a new one, without what was answered. */
export function forgetInboxLists(client: Client, workflowId: string, id: string | undefined): void {
  lists.forget(client);
  counts.forget(client);
  if (id === undefined) return;
  const key = keyOf({ workflowId, id });
  answered.add(key);
  setTimeout(() => answered.delete(key), SHARED_MS).unref();
}

/**
 * The most urgent requirements of all onboardings, from the list of workflows alone. Several people share one list.
 *
 * @param usualRows the least number of requirements, if the listed onboardings have that many
 * @param usualMost the maximum number of onboardings: the most urgent ones. `mine` searches more
 */
export function waitingList(
  { client, user }: Pick<RequestContext, 'client' | 'user'>,
  { kind, system, find, account, after, taken }: Choices,
  usualRows: number,
  usualMost: number,
): Promise<WaitingList> {
  const [rows, most] = taken === 'mine' ? [OWN_OF, OWN_OF] : [usualRows, usualMost];
  const wanted: Filter = {
    kind,
    system,
    find,
    partnerAccounts: listedAccounts(user, account),
    types: ASKING,
    actionRequired: true,
    dueAfter: after === undefined ? undefined : new Date(after),
  };
  const query = visibilityQuery(wanted);
  return lists.get(client, `${rows} of ${most} ${query}`, async (before) => {
    // At least half as many are found as may be.
    for (let tried = 2 * rows; ; tried *= 2) {
      const atMost = Math.min(tried, most);
      const urgent = await mostUrgent(client, wanted, atMost, before?.until);
      const onboardings = await Array.fromAsync(searchOnboardings(client, urgent.filter));
      const items = onboardings
        .flatMap(inboxItems)
        .filter((item) => (kind === undefined || item.kind === kind) && !answered.has(keyOf(item)))
        .sort(compareDueDates);
      const isAll = urgent.filter === wanted;
      const later = isAll ? 0 : Math.max(0, urgent.total - onboardings.length);
      if (isAll) void counts.get(client, query, async () => onboardingsIn(items), 0);
      if (later === 0 || items.length >= rows || atMost === most)
        return {
          items,
          total: onboardings.length + later,
          later,
          until: later > 0 ? urgent.filter.dueUntil : undefined,
        };
    }
  });
}
