import type { InboxItem } from '../../inbox/inbox.js';
import { isSamePerson } from '../../messages/claims.js';
import { REQUIREMENT_KINDS, TASKS } from '../../messages/requirements.js';
import { SYSTEM_NAMES } from '../../partners/names.js';
import { type Column, Table } from '../../reports/page.js';
import { nameOf } from '../../texts/names.js';
import type { Times } from '../../texts/time.js';
import { address, Fields, inboxOf, pathOf, withList } from '../query.js';
import { withQuestions } from '../questions.js';
import type { Route, Shown, Visit } from '../route.js';
import { hasRole, type Visitor } from '../visitor.js';
import { type WaitingFilter, type WaitingList, waitingList } from '../waiting-list.js';
import {
  AccountChoice,
  Choice,
  Filters,
  FindField,
  findIn,
  listedAccounts,
  SystemChoice,
  withoutPrivate,
} from './filters.js';
import { ChooseCell, ClaimChosen } from './handling.js';
import { BusinessCell, capitalized, Due, Empty, Pages, Person } from './parts.js';

export interface InboxSizes {
  readonly page: number;
  /** The most urgent onboardings, which all pages together show, and which are searched and sorted. */
  readonly list: number;
}

const REFRESH_SECONDS = 10;

const DUE = { overdue: 'overdue', today: 'due today or before', week: 'due this week or before' } as const;
const TAKEN = { untaken: 'nobody has it', taken: 'somebody has it', mine: 'I have it' } as const;
const SORT = { waiting: 'longest waiting', dba: 'business' } as const;

const keysOf = <Name extends string>(record: Readonly<Record<Name, string>>) => Object.keys(record) as Name[];

function choicesIn(fields: Fields) {
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

type Choices = ReturnType<typeof choicesIn>;

function filterFrom({ kind, system, find, account, after }: Choices, { visitor }: Visit): WaitingFilter {
  return {
    ...{ kind, system, find, accounts: listedAccounts(visitor, account) },
    dueAfter: after === undefined ? undefined : new Date(after),
  };
}

async function showInbox(visit: Visit, sizes: InboxSizes, isPart: boolean): Promise<Shown> {
  const { client, visitor, times, request } = visit;
  const fields = Fields.ofQuery(request);
  const choices = choicesIn(fields);
  const instead = withoutPrivate(fields, '/', choices);
  if (instead && !isPart) return instead;
  const filter = filterFrom(choices, visit);
  // One more than the page shows if there is a next one.
  const rows = isSearched(choices) ? sizes.list : choices.page * sizes.page + 1;
  const list = await waitingList(client, filter, { rows, most: sizes.list });
  const items = chosenItems(list.items, choices, { times, visitor });
  const pages = Math.max(1, Math.ceil(items.length / sizes.page));
  const page = Math.min(choices.page, pages);
  const shown = await withQuestions(client, items.slice((page - 1) * sizes.page, page * sizes.page));
  const part = <InboxList {...{ list, items, shown, page, pages, choices, visit }} size={sizes.page} />;
  if (isPart) return { part };
  const all = (
    <>
      <h1>Inbox</h1>
      <InboxFilters choices={choices} visit={visit} />
      {part}
    </>
  );
  return { title: 'Inbox', page: all };
}

/** The requirement to answer after this one in a filtered inbox: the first one that nobody else has. */
export async function nextIn(
  visit: Visit,
  list: string,
  done: Pick<InboxItem, 'workflowId' | 'id'>,
): Promise<string> {
  const filter = new URLSearchParams(list);
  const choices = choicesIn(new Fields(Object.fromEntries(filter)));
  const { items } = await waitingList(visit.client, filterFrom(choices, visit), {
    ...{ rows: NEXT_OF, most: NEXT_OF },
  });
  const next = chosenItems(items, choices, visit).find(
    ({ workflowId, id, claimedBy, proposedBy }) =>
      id !== undefined &&
      !(workflowId === done.workflowId && id === done.id) &&
      proposedBy === undefined &&
      (claimedBy === undefined || isSamePerson(claimedBy, visit.visitor.actor)),
  );
  if (next?.id === undefined) return inboxOf(list);
  return withList(pathOf(next.workflowId, 'requirements', next.id), list);
}

/** The number of onboardings among which the next requirement is searched, the most urgent ones. */
const NEXT_OF = 1_000;

/** Reports whether the console itself filters and sorts, which needs the whole list. */
function isSearched({ due, taken, sort }: Choices): boolean {
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

function InboxFilters({ choices, visit }: { readonly choices: Choices; readonly visit: Visit }) {
  const { kind, system, account, due, find, taken, sort } = choices;
  const isFiltered = [kind, system, account, due, find, taken].some(Boolean);
  return (
    <Filters label="Filter the inbox" action="/" isFiltered={isFiltered}>
      <FindField find={find} />
      <Choice name="kind" label="Task" none="every task" chosen={kind} choices={TASKS} />
      <SystemChoice chosen={system} />
      <AccountChoice visit={visit} chosen={account} />
      <Choice name="due" label="Due" none="whenever" chosen={due} choices={DUE} />
      <Choice name="taken" label="Claimed" none="or not" chosen={taken} choices={TAKEN} />
      <Choice name="sort" label="Sorted by" none="first due" chosen={sort} choices={SORT} />
    </Filters>
  );
}

interface ListProps {
  readonly list: WaitingList;
  readonly items: readonly InboxItem[];
  /** Those on this page, with their questions. */
  readonly shown: readonly InboxItem[];
  readonly page: number;
  readonly pages: number;
  readonly choices: Choices;
  readonly visit: Visit;
  readonly size: number;
}

function InboxList({ list, shown, items, page, pages, choices, visit, size }: ListProps) {
  const { page: _, ...others } = choices;
  const isWhole = list.later === 0 || isSearched(choices);
  const to = (number: number) => address('/', { ...others, page: number > 1 ? number : '' });
  const source = address('/inbox/part', { ...others, page });
  const filter = address('', others).slice(1);
  return (
    <section id="inbox" data-live={source} data-seconds={REFRESH_SECONDS} aria-label="Open requirements">
      {items.length === 0 ? (
        <NothingHere list={list} choices={choices} />
      ) : (
        <Table
          caption={summaryOf(list, items, isWhole)}
          rows={shown}
          columns={columnsFor(visit, filter)}
          rowOf={({ workflowId, id, overdue }) => ({
            id: `row-${workflowId}-${id ?? 'more'}`,
            class: overdue ? 'late' : undefined,
          })}
          isWide
        />
      )}
      {shown.some((item) => isFree(item, visit)) && <ClaimChosen csrf={visit.csrf} list={filter} />}
      {(page === pages || isSearched(choices)) && <Later list={list} choices={choices} />}
      <Pages page={page} pages={pages} atLeast={isWhole ? undefined : Math.ceil(list.total / size)} to={to} />
    </section>
  );
}

/** Counts onboardings, because the list knows the number of all that wait without reading them. It begins with what is overdue. */
function summaryOf({ total, until }: WaitingList, items: readonly InboxItem[], isWhole: boolean): string {
  const late = onboardingsIn(items.filter(({ overdue }) => overdue));
  const isMore = until !== undefined && until.getTime() < Date.now();
  const overdue =
    late === 0 ? 'None is' : late === 1 && !isMore ? '1 is' : `${isMore ? 'More than ' : ''}${late} are`;
  return `${waitingOf(isWhole ? onboardingsIn(items) : total)} for a person. ${overdue} overdue.`;
}

function onboardingsIn(items: readonly InboxItem[]): number {
  return new Set(items.map(({ workflowId }) => workflowId)).size;
}

function waitingOf(number: number, other = ''): string {
  return `${number} ${other}${number === 1 ? 'onboarding waits' : 'onboardings wait'}`;
}

/** Reports whether this person can claim it here. */
function isFree({ id, claimedBy }: InboxItem, { visitor }: Pick<Visit, 'visitor'>): boolean {
  return id !== undefined && claimedBy === undefined && hasRole(visitor, 'operator');
}

function columnsFor({ times, visitor }: Visit, list: string): readonly Column<InboxItem>[] {
  const choose: Column<InboxItem> = {
    title: 'Choose',
    cell: (item) => isFree(item, { visitor }) && <ChooseCell item={item} />,
  };
  return [
    ...(hasRole(visitor, 'operator') ? [choose] : []),
    { title: 'Due', cell: ({ dueAt }) => dueAt && <Due at={dueAt} times={times} /> },
    { title: 'Business', cell: BusinessCell },
    { title: 'What to do', cell: (item) => <TaskCell item={item} list={list} /> },
    { title: 'Waiting', cell: ({ raisedAt }) => raisedAt && times.since(raisedAt) },
    {
      title: 'Partner',
      cell: ({ system, partnerAccount }) => (
        <>
          {system}
          {partnerAccount !== undefined && <small>{partnerAccount}</small>}
        </>
      ),
    },
    {
      title: 'Claimed by',
      cell: ({ claimedBy: by }) => {
        if (by === undefined) return undefined;
        return isSamePerson(by, visitor.actor) ? <strong>you</strong> : <Person actor={by} />;
      },
    },
  ];
}

/** Keeps the place of a question that no worker tells in time. */
const NOT_KNOWN_YET = '\u00a0';

interface TaskProps {
  readonly item: InboxItem;
  /** The filter of the inbox. */
  readonly list: string;
}

function TaskCell({ item: { workflowId, id, task, title, proposedBy }, list }: TaskProps) {
  const path = id === undefined ? pathOf(workflowId) : withList(pathOf(workflowId, 'requirements', id), list);
  return (
    <>
      <a class="task" href={path}>
        {id === undefined ? 'See what else it asks' : capitalized(task)}
      </a>
      {id !== undefined && (
        <small class="question" title={title}>
          {title ?? NOT_KNOWN_YET}
        </small>
      )}
      {proposedBy !== undefined && (
        <small>
          <Person actor={proposedBy} /> proposed an answer
        </small>
      )}
    </>
  );
}

interface LeftOutProps {
  readonly list: WaitingList;
  readonly choices: Choices;
}

function NothingHere({ list: { items }, choices }: LeftOutProps) {
  const { kind, system, account, due, find, taken, after } = choices;
  if (![kind, system, account, due, find, taken, after].some(Boolean))
    return (
      <Empty title="Nothing waits for a person.">Questions from partners appear here automatically.</Empty>
    );
  const others = onboardingsIn(items);
  return (
    <Empty title="Nothing here matches the filter.">
      {others > 0 && `${waitingOf(others, 'other ')}. `}
      <a href="/">Show all</a>
      {find !== '' && (
        <>
          {' '}
          or <a href={address('/onboardings', { find })}>look in all onboardings</a>
        </>
      )}
    </Empty>
  );
}

/** Names the requirements that the list leaves out because they are due later. */
function Later({ list: { total, later, until }, choices }: LeftOutProps) {
  if (later === 0) return null;
  const { page: _, ...others } = choices;
  const next = address('/', { ...others, after: until?.toISOString() });
  return (
    <p id="inbox-later">
      {isSearched(choices)
        ? `Only the ${total - later} most urgent onboardings were searched and sorted. `
        : `These are the ${total - later} most urgent onboardings. `}
      {until && <a href={next}>{later} more are due later</a>}
    </p>
  );
}

export const inboxRoutes = (sizes: InboxSizes): readonly Route[] => [
  { method: 'GET', path: '/', role: 'viewer', show: (visit) => showInbox(visit, sizes, false) },
  {
    ...{ method: 'GET', path: '/inbox/part', role: 'viewer', part: true },
    show: (visit) => showInbox(visit, sizes, true),
  },
];

export const INBOX_ROUTES = inboxRoutes({ page: 50, list: 1_000 });
