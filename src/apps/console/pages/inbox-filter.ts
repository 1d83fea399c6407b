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

/** The inbox filter. The server applies some fields to its list, and the console the others. */
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
    /** Leaves out everything due before this time, to show the next part of a very long list. */
    after: Number.isNaN(Date.parse(after)) ? undefined : new Date(after).toISOString(),
  };
}

export type Choices = ReturnType<typeof choicesIn>;

const NEXT_OF = 1_000;

/** Returns the address of the next requirement in a filtered inbox: the first that nobody else has claimed. */
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

/** Counts the onboardings that wait for a person and that this person may see; undefined if unknown. */
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

/** The time that a page waits for the number in its navigation, in milliseconds. */
const COUNT_MS = 300;

/** By query. A list brings its number too, so that no other page shows an older one. */
const counts = new SharedReads<number>(5_000, 15_000);

export function onboardingsIn(items: readonly InboxItem[]): number {
  return new Set(items.map(({ workflowId }) => workflowId)).size;
}

/** Applies the filter fields that the server cannot, and sorts the list. */
export function chosenItems(
  items: readonly InboxItem[],
  { due, over, raised, taken, sort }: Choices,
  { times, user }: Pick<RequestContext, 'times' | 'user'>,
): InboxItem[] {
  // `2026-03-01`, in the person's time zone.
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

/** Moves a business's requirements next to its first one. The parts of a customer are one business. */
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

/** Reports whether a requirement was raised, or answered by the merchant, after this time. */
export function isNewSince(item: InboxItem, since: string): boolean {
  return (item.raisedAt ?? '') > since || (isByMerchant(item) && (item.proposedAt ?? '') > since);
}

/** Splits a title into the partner's question and its kind. Returns the task if the question is unknown. */
export function splitQuestion({ kind: of, title, detail, task }: InboxItem) {
  const [, author, note] = /^Note(?: from ([^:]{1,100}))?: (.+)$/s.exec(title ?? '') ?? [];
  if (note !== undefined) return { sentence: note, kind: ['Note', author].filter(Boolean).join(' · ') };
  // The detail has the partner's request. The title only says that there is one.
  const isExplained = of === 'rejected-input' || of === 'changes-requested' || of === 'ticket';
  if (isExplained && title && detail) return { sentence: detail.replaceAll('\n', ' · '), kind: title };
  return { sentence: title || capitalize(task), kind: capitalize(task) };
}

/** Returns the beginning of a question, which distinguishes the labels of a business's controls. */
export function questionLabel(sentence: string): string {
  return sentence.slice(0, 30).toWellFormed();
}

/** Returns the last day of the week, which may be today. */
function sundayAfter(today: string): string {
  const day = new Date(`${today}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + ((7 - day.getUTCDay()) % 7));
  return day.toISOString().slice(0, 10);
}

/** The delay before other people's changes appear, in milliseconds. People see their own answers and claims at once. */
const SHARED_MS = 5_000;

/** The time for which the inbox shows its previous list, in milliseconds, while it reads a new one for the next request. */
const SHOWN_MS = 15_000;

/** The number of onboardings to search for a person's own. No search attribute has names, which all readers of a namespace see. */
const OWN_OF = 20_000;

export interface WaitingList {
  readonly items: readonly InboxItem[];
  /** The number of waiting onboardings, including those that are not in this list. */
  readonly total: number;
  /** The number of onboardings that are not in this list, all of them due later. */
  readonly later: number;
  /** The due time at which this list ends, if it is not the whole list. */
  readonly until: Date | undefined;
}

const lists = new SharedReads<WaitingList>(SHARED_MS, SHOWN_MS);

/** Requirements answered a moment ago. The server may still list them. */
const answered = new Set<string>();

const keyOf = ({ workflowId, id }: Pick<InboxItem, 'workflowId' | 'id'>) => `${workflowId} ${id}`;

/** Call this after an answer or a claim. The next list is then a new one, without the answered requirement. */
export function forgetInboxLists(client: Client, workflowId: string, id: string | undefined): void {
  lists.forget(client);
  counts.forget(client);
  if (id === undefined) return;
  const key = keyOf({ workflowId, id });
  answered.add(key);
  setTimeout(() => answered.delete(key), SHARED_MS).unref();
}

/**
 * Returns the most urgent requirements, from the list of workflows alone. Several people share one list.
 *
 * @param usualRows the minimum number of requirements to return, if there are so many
 * @param usualMost the maximum number of onboardings to list, the most urgent first. `mine` searches more
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
    // A search for the most urgent finds at least half of the maximum.
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
