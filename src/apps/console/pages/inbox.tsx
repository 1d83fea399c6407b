import type { VNode } from 'preact';
import { isSamePerson } from '../../../messages/actors.js';
import { type InboxItem, isMine } from '../../../services/inbox/inbox.js';
import { type Column, Table, tooltip } from '../../../services/reports/page.js';
import { displayName } from '../../../services/texts/display-names.js';
import { readState } from '../onboarding-view.js';
import { address, Fields, inboxOf, pathOf, ROW, withList } from '../query.js';
import { withQuestions } from '../questions.js';
import { hasRole, type RequestContext, type RouteResponse, useRequest } from '../route.js';
import { AnswerForms } from './answer-forms.js';
import { redirectWithoutSearchText } from './filters.js';
import { ChooseCell, ClaimChosen, chosenAs, INBOX } from './handling.js';
import {
  type Choices,
  choicesIn,
  chosenItems,
  countWaiting,
  FILTER,
  groupByBusiness,
  isByMerchant,
  isNewSince,
  isSearched,
  onboardingsIn,
  questionLabel,
  splitQuestion,
  waitingList,
} from './inbox-filter.js';
import { BusinessCell, Due, Empty, Pages, Person } from './parts.js';
import { Avatar, Chip, Icon } from './pieces.js';
import { Detail, ObstacleNote, Remarks } from './requirement.js';

export interface InboxSizes {
  readonly page: number;
  /** The number of onboardings to search, sort, and show on all pages together, the most urgent first. */
  readonly list: number;
}

export async function showInbox(
  context: RequestContext,
  sizes: InboxSizes,
  isPart = false,
): Promise<RouteResponse> {
  const { fields } = context;
  const choices = choicesIn(fields);
  const instead = redirectWithoutSearchText(fields, '/', choices);
  if (instead && !isPart) return instead;
  const inbox = await readInbox(context, choices, sizes, isPart);
  const part = <InboxList {...inbox} />;
  if (isPart) return { part };
  const page = (
    <>
      <div class="head">
        <h1>Inbox</h1>
        <FILTER.Form chosen={choices} />
      </div>
      {part}
    </>
  );
  return { title: 'Inbox', page, waiting: inbox.waiting };
}

/** Returns the number in the navigation, for a script; empty if unknown. */
export async function showWaiting(context: RequestContext): Promise<RouteResponse> {
  return { part: <>{await countWaiting(context)}</> };
}

async function readInbox(context: RequestContext, choices: Choices, sizes: InboxSizes, isPart: boolean) {
  const { client, fields } = context;
  // Read one more than the page shows, to know whether there is a next page.
  const rows = isSearched(choices) ? sizes.list : choices.page * sizes.page + 1;
  const list = await waitingList(context, choices, rows, sizes.list);
  const items = groupByBusiness(chosenItems(list.items, choices, context));
  const pages = Math.max(1, Math.ceil(items.length / sizes.page));
  const page = Math.min(choices.page, pages);
  const pageItems = await withQuestions(client, items.slice((page - 1) * sizes.page, page * sizes.page));
  // Later requirements are new. For a part, that is after its page was opened; for a closed row, after it was opened.
  const now = new Date().toISOString();
  const since = fields.text('since') || now;
  // The list already shows requirements that came before this time.
  const seen = fields.text('seen') || (isPart ? since : now);
  const open = await openRow(context, pageItems, fields.text('answer'), {
    ...choices,
    page: page > 1 ? page : '',
    since,
  });
  const mine = await countOwn(context, sizes);
  // A whole list need not be counted again.
  const isAll = !isFiltered(choices) && !choices.after && list.later === 0;
  const waiting = isAll ? onboardingsIn(list.items) : await countWaiting(context);
  const times = { now, since, seen };
  return { list, items, pageItems, open, times, page, pages, choices, size: sizes.page, mine, waiting };
}

/** Counts the requirements that colleagues assigned to this person, or that mention them. Returns 0 if there are no colleagues. */
async function countOwn(context: RequestContext, sizes: InboxSizes): Promise<number> {
  const { settings, user } = context;
  if (settings.people().length === 0) return 0;
  const everyOwn = choicesIn(new Fields({ taken: 'mine' }));
  const { items } = await waitingList(context, everyOwn, sizes.list, sizes.list);
  return items.filter((item) => {
    const { claimedBy, assignedBy, ...others } = item;
    return isMine(assignedBy === undefined ? others : item, user.actor);
  }).length;
}

function isFiltered({ kind, system, account, due, over, raised, find, taken }: Choices): boolean {
  return [kind, system, account, due, over, raised, find, taken].some(Boolean);
}

/**
 * Returns the row in which a person answers, with the form of the requirement's page.
 *
 * @param place the inbox filter and page number
 */
async function openRow(
  context: RequestContext,
  pageItems: readonly InboxItem[],
  answer: string,
  place: Parameters<typeof address>[1],
) {
  const index = pageItems.findIndex((each) => takesText(each, context) && chosenAs(each) === answer);
  const item = pageItems[index];
  if (!item) return undefined;
  // Return to a row nearby, because this row may be gone after the answer.
  const near = pageItems[index + 1] ?? pageItems[index - 1];
  const list = address('', { ...place, [ROW]: near && rowId(near) }).slice(1);
  const { workflowId } = item;
  const { state, obstacle } = await readState(context.client, workflowId);
  const requirement = state?.requirements.find(({ id }) => id === item.id);
  const form = (
    <>
      {obstacle && <ObstacleNote obstacle={obstacle} />}
      {state && requirement && (
        <div>
          <div data-notice={requirement.id} role="status" />
          <Detail requirement={requirement} />
          <Remarks state={state} requirementId={requirement.id} />
          <AnswerForms {...{ workflowId, requirement, list, page: INBOX, autoFocus: true }} />
        </div>
      )}
    </>
  );
  return { item, form, list };
}

function rowId({ workflowId, id = 'more' }: InboxItem): string {
  return `r-${workflowId}-${id}`;
}

/** Reports whether this person can answer in the row. A proposed answer is confirmed on the requirement's page. */
function takesText({ answers = [], proposedBy }: InboxItem, { user }: Pick<RequestContext, 'user'>): boolean {
  return answers.includes('text') && proposedBy === undefined && hasRole(user, 'operator');
}

type Inbox = Awaited<ReturnType<typeof readInbox>>;

function InboxList(inbox: Inbox) {
  const { list, pageItems, items, open, times, page, pages, choices, size, mine, waiting } = inbox;
  const { now, since, seen } = times;
  const context = useRequest();
  const { page: _, ...others } = choices;
  const isWhole = list.later === 0 || isSearched(choices);
  const to = (number: number, answer?: string) =>
    address('/', { ...others, page: number > 1 ? number : '', answer });
  const answer = open && chosenAs(open.item);
  const ifSeen = seen === since ? '' : seen;
  const source = address('/inbox/part', { ...others, page, since, answer, seen: ifSeen });
  const filter = address('', others).slice(1);
  const isNew = (item: InboxItem) => isNewSince(item, since);
  const recent = items.filter((item) => isNewSince(item, seen));
  const hereFor = (item: InboxItem) =>
    item !== open?.item && takesText(item, context) && to(page, chosenAs(item));
  return (
    <section
      {...{ id: 'inbox', 'data-live': source, 'data-seconds': 10 }}
      {...{ 'data-new': recent.length, 'data-mine': mine, 'data-waiting': waiting, 'data-now': now }}
      aria-label="Open requirements"
    >
      <div id="inbox-new">
        <span role="status">{recent.length > 0 && describeNew(recent)}</span>
        <button type="button" hidden>
          Show
        </button>
      </div>
      {items.length === 0 ? (
        <NothingHere list={list} choices={choices} />
      ) : (
        <Table
          caption={summaryOf(list, items, isWhole)}
          rows={pageItems}
          columns={columnsFor(context, filter, hereFor, isNew)}
          rowOf={(item) => ({
            id: rowId(item),
            class: [item.overdue && 'late', isNew(item) && 'new'].filter(Boolean).join(' ') || undefined,
          })}
          inLines
          groupOf={(item) => ({ key: item.workflowId, heading: <BusinessCell {...item} /> })}
          below={(item) => item === open?.item && <AnswerRow {...open} />}
        />
      )}
      {pageItems.some((item) => isFree(item, context)) && <ClaimChosen list={filter} />}
      {(page === pages || isSearched(choices)) && <Later list={list} choices={choices} />}
      <Pages page={page} pages={pages} atLeast={isWhole ? undefined : Math.ceil(list.total / size)} to={to} />
    </section>
  );
}

const MOST_NAMED = 3;

/** Describes new requirements for screen readers, which read each change. Counts onboardings, like the navigation. */
export function describeNew(recent: readonly InboxItem[]): string {
  const businesses = [...Map.groupBy(recent, ({ workflowId }) => workflowId).values()].flatMap(
    ([item]) => item ?? [],
  );
  const named = businesses
    .slice(0, MOST_NAMED)
    .map((item) => `${displayName(item)}, ${isByMerchant(item) ? 'merchant answered' : item.task}`);
  const more = businesses.length > MOST_NAMED ? [`and ${businesses.length - MOST_NAMED} others`] : [];
  const number = `${businesses.length} ${businesses.length === 1 ? 'onboarding has' : 'onboardings have'}`;
  return `${number} something new since you opened this page: ${[...named, ...more].join('; ')}.`;
}

/** Returns the summary above the list, overdue first. Counts onboardings, because their total is known without reading them all. */
function summaryOf({ total, until }: Inbox['list'], items: readonly InboxItem[], isWhole: boolean): string {
  const late = onboardingsIn(items.filter(({ overdue }) => overdue));
  const isMore = until !== undefined && until.getTime() < Date.now();
  const overdue =
    late === 0 ? 'None is' : late === 1 && !isMore ? '1 is' : `${isMore ? 'More than ' : ''}${late} are`;
  return `${waitingOf(isWhole ? onboardingsIn(items) : total)} for a person. ${overdue} overdue.`;
}

function waitingOf(number: number, other = ''): string {
  return `${number} ${other}${number === 1 ? 'onboarding waits' : 'onboardings wait'}`;
}

/** Reports whether this person can claim or assign a requirement in the inbox. */
function isFree({ id, claimedBy = '' }: InboxItem, { user }: Pick<RequestContext, 'user'>): boolean {
  const isTheirs = claimedBy !== '' && !isSamePerson(claimedBy, user.actor);
  return id !== undefined && !isTheirs && hasRole(user, 'operator');
}

function columnsFor(
  { times, user }: RequestContext,
  list: string,
  hereFor: (item: InboxItem) => string | false,
  isNew: (item: InboxItem) => boolean,
): readonly Column<InboxItem>[] {
  const choose: Column<InboxItem> = {
    title: 'Select',
    at: 'select',
    cell: (item) => isFree(item, { user }) && <ChooseCell item={item} />,
  };
  return [
    ...(hasRole(user, 'operator') ? [choose] : []),
    {
      title: 'What to do',
      at: 'both',
      cell: (item) => <TaskCell item={item} list={list} isNew={isNew(item)} />,
    },
    {
      title: 'Due',
      at: 'first-end',
      cell: (item) => (
        <>
          {item.dueAt && <Due at={item.dueAt} />}
          <AnswerLink here={hereFor(item)} item={item} />
        </>
      ),
    },
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
      at: 'second-end',
      cell: (item) => <HolderCell {...item} />,
    },
  ];
}

function HolderCell({ claimedBy: by, assignedBy }: InboxItem) {
  const { user } = useRequest();
  return (
    <>
      {by !== undefined && (
        <span class="person">
          <Avatar actor={by} />
          {isSamePerson(by, user.actor) ? <strong>you</strong> : <Person actor={by} />}
        </span>
      )}
      {assignedBy !== undefined && (
        <small>
          assigned by <Person actor={assignedBy} />
        </small>
      )}
    </>
  );
}

interface TaskProps {
  readonly item: InboxItem;
  readonly list: string;
  readonly isNew: boolean;
}

/** @param here the address that shows the form in the row; false if the row cannot */
function AnswerLink({ item, here }: { readonly item: InboxItem; readonly here: string | false }) {
  if (!here) return null;
  return (
    <small>
      <a href={here} aria-label={`Answer here: ${questionLabel(splitQuestion(item).sentence)}`}>
        Answer here
      </a>
    </small>
  );
}

/** Shows the question, and below it its kind. The question is missing until its workflow has been queried. */
function TaskCell({ item, list, isNew }: TaskProps) {
  const { workflowId, id, title, proposedBy } = item;
  const path = id === undefined ? pathOf(workflowId) : withList(pathOf(workflowId, 'requirements', id), list);
  const { sentence, kind } = splitQuestion(item);
  const { user } = useRequest();
  const isMentioned = item.mentioned?.some((each) => isSamePerson(each, user.actor));
  return (
    <>
      <a class="task" href={path} title={tooltip(sentence, 60)}>
        {id === undefined ? 'See what else it asks' : sentence}
      </a>
      {id !== undefined && (
        <small class="facts-line">
          {isNew && <Chip tone="main">New</Chip>}
          {title && <span>{kind}</span>}
          {proposedBy !== undefined && (
            <Chip tone="asks">
              {isByMerchant(item) ? (
                <a href={path}>Merchant answered: look and confirm</a>
              ) : (
                <>
                  <Person actor={proposedBy} /> proposed an answer
                </>
              )}
            </Chip>
          )}
          <LinkChip {...item} />
          {isMentioned && <Chip tone="asks">Mentions you</Chip>}
          {item.hasRemark && !isMentioned && <Chip tone="calm">Has a remark</Chip>}
        </small>
      )}
    </>
  );
}

/** Shows the state of a link that has no answer yet. */
function LinkChip({ link }: InboxItem) {
  if (!link) return null;
  if (link.state === 'locked') return <Chip tone="bad">Link locked</Chip>;
  if (link.state === 'closed' || Date.parse(link.until) <= Date.now())
    return <Chip tone="bad">Link expired</Chip>;
  return <Chip tone="calm">{link.state === 'sent-back' ? 'Merchant asked again' : 'Merchant asked'}</Chip>;
}

/** The row with an answer's form, and a link back to the list. */
function AnswerRow({
  item,
  form,
  list,
}: {
  readonly item: InboxItem;
  readonly form: VNode;
  readonly list: string;
}) {
  return (
    <section class="card" aria-label="Answer in the list">
      <div class="actions">
        <strong>{item.title}</strong>
        <a class="close" href={inboxOf(list)}>
          <Icon name="x" /> Close
        </a>
      </div>
      {form}
    </section>
  );
}

function NothingHere({ list: { items }, choices }: Pick<Inbox, 'list' | 'choices'>) {
  const { find, after } = choices;
  if (!isFiltered(choices) && !after)
    return (
      <Empty title="Nothing waits for a person.">Questions from partners appear here automatically.</Empty>
    );
  if (find !== '' && !isFiltered({ ...choices, find: '' }))
    return (
      <Empty title={`Nothing in the inbox matches “${find}”.`}>
        Words match from their beginning.{' '}
        <a href={address('/onboardings', { find })}>Look in all onboardings</a> or{' '}
        <a href="/">show the inbox</a>.
      </Empty>
    );
  const others = onboardingsIn(items);
  return (
    <Empty title="Nothing here matches the filter.">
      {others > 0 && `${waitingOf(others, 'other ')}. `}
      <a href="/">Show all</a>
    </Empty>
  );
}

/** Links to the requirements that the list leaves out because they are due later. */
function Later({ list: { total, later, until }, choices }: Pick<Inbox, 'list' | 'choices'>) {
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
