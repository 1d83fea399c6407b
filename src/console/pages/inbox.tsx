import type { InboxItem } from '../../inbox/inbox.js';
import { isSamePerson } from '../../messages/claims.js';
import { REQUIREMENT_KINDS, TASKS } from '../../messages/requirements.js';
import { SYSTEM_NAMES } from '../../partners/names.js';
import { type Column, Table } from '../../reports/page.js';
import { nameOf } from '../../texts/names.js';
import type { Times } from '../../texts/time.js';
import { address, Fields, pathOf } from '../query.js';
import { withQuestions } from '../questions.js';
import type { Route, Shown, Visit } from '../route.js';
import type { Visitor } from '../visitor.js';
import { type WaitingList, waitingList } from '../waiting-list.js';
import { Field } from './field.js';
import { AccountChoice, Choice, Filters, listedAccounts, SystemChoice } from './filters.js';
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
    text: fields.text('text').trim(),
    taken: fields.oneOf('taken', keysOf(TAKEN)),
    sort: fields.oneOf('sort', keysOf(SORT)),
    page: fields.page('page'),
    /** Only what is due later: the next part of a very long list. */
    after: Number.isNaN(Date.parse(after)) ? undefined : new Date(after).toISOString(),
  };
}

type Choices = ReturnType<typeof choicesIn>;

async function showInbox(visit: Visit, sizes: InboxSizes, isPart: boolean): Promise<Shown> {
  const { client, visitor, times, request } = visit;
  const fields = Fields.ofQuery(request);
  const choices = choicesIn(fields);
  const filter = {
    kind: choices.kind,
    system: choices.system,
    accounts: listedAccounts(visitor, choices.account),
    dueAfter: choices.after === undefined ? undefined : new Date(choices.after),
  };
  // One more than the page shows if there is a next one.
  const rows = isSearched(choices) ? sizes.list : choices.page * sizes.page + 1;
  const list = await waitingList(client, filter, { rows, most: sizes.list });
  const items = chosenItems(list.items, choices, { times, visitor });
  const part = <InboxList list={list} items={items} choices={choices} visit={visit} size={sizes.page} />;
  if (isPart) return { part };
  const page = (
    <>
      <h1>Inbox</h1>
      <InboxFilters choices={choices} visit={visit} />
      {part}
    </>
  );
  return { title: 'Inbox', page };
}

/** Reports whether the console itself filters and sorts, which needs the whole list. */
function isSearched({ due, text, taken, sort }: Choices): boolean {
  return due !== undefined || text !== '' || taken !== undefined || sort !== undefined;
}

/** The part of the list that the server cannot choose, sorted. */
export function chosenItems(
  items: readonly InboxItem[],
  { due, text, taken, sort }: Choices,
  { times, visitor }: Pick<Visit, 'times' | 'visitor'>,
): InboxItem[] {
  const last = due && lastDay(due, times);
  const wanted = text.toLowerCase();
  const isChosen = (item: InboxItem) =>
    (due === undefined || isDue(item, due, last, times)) &&
    (wanted === '' || `${nameOf(item)} ${item.workflowId}`.toLowerCase().includes(wanted)) &&
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
  const { kind, system, account, due, text, taken, sort } = choices;
  const isFiltered = [kind, system, account, due, text, taken].some(Boolean);
  return (
    <Filters label="Filter the inbox" action="/" isFiltered={isFiltered}>
      <Field label="Business or ID" type="search" name="text" value={text} maxLength={200} />
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
  readonly choices: Choices;
  readonly visit: Visit;
  readonly size: number;
}

function InboxList({ list, items, choices, visit, size }: ListProps) {
  const { page: wanted, ...others } = choices;
  const pages = Math.max(1, Math.ceil(items.length / size));
  const page = Math.min(wanted, pages);
  const isWhole = list.later === 0 || isSearched(choices);
  const shown = withQuestions(visit.client, items.slice((page - 1) * size, page * size));
  const to = (number: number) => address('/', { ...others, page: number > 1 ? number : '' });
  const source = address('/inbox/part', { ...others, page });
  return (
    <section id="inbox" data-live={source} data-seconds={REFRESH_SECONDS} aria-label="Open requirements">
      {items.length === 0 ? (
        <NothingHere list={list} choices={choices} />
      ) : (
        <Table
          caption={isWhole ? summaryOf(items) : summaryOfMany(list)}
          rows={shown}
          columns={columnsFor(visit)}
          rowOf={({ workflowId, id, overdue }) => ({
            id: `row-${workflowId}-${id ?? 'more'}`,
            class: overdue ? 'late' : undefined,
          })}
          isWide
        />
      )}
      {(page === pages || isSearched(choices)) && <Later list={list} choices={choices} />}
      <Pages page={page} pages={pages} isOpen={!isWhole} to={to} />
    </section>
  );
}

function summaryOf(items: readonly InboxItem[]): string {
  const late = items.filter(({ overdue }) => overdue).length;
  const waiting = `${items.length} ${items.length === 1 ? 'requirement waits' : 'requirements wait'} for a person`;
  return `${waiting}. ${late === 0 ? 'None is' : late === 1 ? '1 is' : `${late} are`} overdue.`;
}

/** The list begins with what is overdue. */
function summaryOfMany({ items, total, until }: WaitingList): string {
  const late = items.filter(({ overdue }) => overdue).length;
  const isMore = until !== undefined && until.getTime() < Date.now();
  const overdue = `${isMore ? 'More than ' : ''}${late} ${late === 1 ? 'requirement is' : 'requirements are'} overdue.`;
  return `${total} onboardings wait for a person. ${late === 0 ? 'None is overdue.' : overdue}`;
}

function columnsFor({ times, visitor }: Visit): readonly Column<InboxItem>[] {
  return [
    { title: 'Due', cell: ({ dueAt }) => dueAt && <Due at={dueAt} times={times} /> },
    { title: 'Business', cell: BusinessCell },
    { title: 'What to do', cell: TaskCell },
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

/** Keeps the place of the question, so that no row moves when it is there. */
const NOT_KNOWN_YET = '\u00a0';

function TaskCell({ workflowId, id, task, title, proposedBy }: InboxItem) {
  const path = id === undefined ? pathOf(workflowId) : pathOf(workflowId, 'requirements', id);
  return (
    <>
      <a href={path}>{id === undefined ? 'See what else it asks' : capitalized(task)}</a>
      {id !== undefined && <small class="question">{title ?? NOT_KNOWN_YET}</small>}
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
  const { kind, system, account, due, text, taken, after } = choices;
  if (![kind, system, account, due, text, taken, after].some(Boolean))
    return (
      <Empty title="Nothing waits for a person.">Questions from partners appear here automatically.</Empty>
    );
  const { length } = items;
  return (
    <Empty title="Nothing here matches the filter.">
      {length > 0 && `${length} other ${length === 1 ? 'requirement waits' : 'requirements wait'}. `}
      <a href="/">Show all</a>
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
