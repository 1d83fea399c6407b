import type { InboxItem } from '../../inbox/inbox.js';
import { isSamePerson } from '../../messages/claims.js';
import { REQUIREMENT_KINDS } from '../../messages/requirements.js';
import { SYSTEM_NAMES } from '../../partners/names.js';
import { nameOf } from '../../texts/names.js';
import type { Times } from '../../texts/time.js';
import { Fields, inboxOf, pathOf, withList } from '../query.js';
import type { Visit } from '../route.js';
import type { Visitor } from '../visitor.js';
import { type WaitingFilter, waitingList } from '../waiting-list.js';
import { findIn, listedAccounts } from './filters.js';

/** The filter of the inbox: the part that the server applies to its list, and the part that the console applies itself. */

export const DUE = {
  overdue: 'overdue',
  today: 'due today or before',
  week: 'due this week or before',
} as const;
export const TAKEN = { untaken: 'nobody has it', taken: 'somebody has it', mine: 'I have it' } as const;
export const SORT = { waiting: 'longest waiting', dba: 'business' } as const;

const keysOf = <Name extends string>(record: Readonly<Record<Name, string>>) => Object.keys(record) as Name[];

export function choicesIn(fields: Fields) {
  const after = fields.text('after');
  return {
    kind: fields.oneOf('kind', REQUIREMENT_KINDS),
    system: fields.oneOf('system', SYSTEM_NAMES),
    account: fields.text('account'),
    due: fields.oneOf('due', keysOf(DUE)),
    find: findIn(fields),
    taken: fields.oneOf('taken', keysOf(TAKEN)),
    sort: fields.oneOf('sort', keysOf(SORT)),
    page: fields.page('page'),
    /** Only what is due later: the next part of a very long list. */
    after: Number.isNaN(Date.parse(after)) ? undefined : new Date(after).toISOString(),
  };
}

export type Choices = ReturnType<typeof choicesIn>;

export function filterFrom(
  { kind, system, find, account, after }: Choices,
  { visitor }: Visit,
): WaitingFilter {
  return {
    ...{ kind, system, find, partnerAccounts: listedAccounts(visitor, account) },
    dueAfter: after === undefined ? undefined : new Date(after),
  };
}

/** The requirement to answer after this one in a filtered inbox: the first one that nobody else has. */
export async function nextIn(visit: Visit, list: string): Promise<string> {
  const filter = new URLSearchParams(list);
  const choices = choicesIn(new Fields(Object.fromEntries(filter)));
  const { items } = await waitingList(visit.client, filterFrom(choices, visit), {
    ...{ rows: NEXT_OF, most: NEXT_OF },
  });
  const next = chosenItems(items, choices, visit).find(
    ({ id, claimedBy, proposedBy }) =>
      id !== undefined &&
      proposedBy === undefined &&
      (claimedBy === undefined || isSamePerson(claimedBy, visit.visitor.actor)),
  );
  if (next?.id === undefined) return inboxOf(list);
  return withList(pathOf(next.workflowId, 'requirements', next.id), list);
}

const NEXT_OF = 1_000;

/** Reports whether the console itself filters and sorts, which needs the whole list. */
export function isSearched({ due, taken, sort }: Choices): boolean {
  return due !== undefined || taken !== undefined || sort !== undefined;
}

/** The part of the list that the server cannot choose, sorted. */
export function chosenItems(
  items: readonly InboxItem[],
  { due, taken, sort }: Choices,
  { times, visitor }: Pick<Visit, 'times' | 'visitor'>,
): InboxItem[] {
  const last = due && lastDay(due, times);
  const isChosen = (item: InboxItem) =>
    (due === undefined || isDue(item, due, last, times)) &&
    (taken === undefined || isTaken(item, taken, visitor));
  const chosen = items.filter(isChosen);
  const by = {
    waiting: ({ raisedAt = '' }: InboxItem) => raisedAt,
    dba: nameOf,
  };
  return sort ? chosen.sort((one, other) => by[sort](one).localeCompare(by[sort](other))) : chosen;
}

function isDue(
  { dueAt, overdue }: InboxItem,
  due: keyof typeof DUE,
  last: string | undefined,
  times: Times,
): boolean {
  if (dueAt === undefined) return false;
  return due === 'overdue' ? overdue : dayOf(times, dueAt) <= (last ?? '');
}

/** `2026-03-01`, in the zone of the person. */
function dayOf(times: Times, time: string | Date): string {
  return times.at(time).slice(0, 10);
}

/** Today, or the Sunday of this week. */
function lastDay(due: keyof typeof DUE, times: Times): string {
  const today = dayOf(times, new Date());
  if (due !== 'week') return today;
  const day = new Date(`${today}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + ((7 - day.getUTCDay()) % 7));
  return day.toISOString().slice(0, 10);
}

function isTaken({ claimedBy: by }: InboxItem, taken: keyof typeof TAKEN, { actor }: Visitor): boolean {
  if (taken === 'mine') return by !== undefined && isSamePerson(by, actor);
  return (by !== undefined) === (taken === 'taken');
}
