import type { Client } from '@temporalio/client';
import { STAGES } from '../../../messages/onboarding-state.js';
import {
  ACCOUNTS,
  ASKING,
  EACH_ONBOARDING,
  ONBOARDINGS,
  type OnboardingType,
  OPERATIONS,
} from '../../../messages/workflow-types.js';
import { isLate, isRaisedIn, toDo } from '../../../services/inbox/inbox.js';
import { Table } from '../../../services/reports/page.js';
import { firstStartsOf } from '../../../services/reports/report.js';
import { stageBegan } from '../../../services/reports/statistics.js';
import { all, isNot } from '../../../temporal/query.js';
import {
  count,
  type Filter,
  isInAccounts,
  type Listed,
  listOnboardings,
  typesOf,
  visibilityQuery,
} from '../../../temporal/search.js';
import { address } from '../query.js';
import type { RequestContext, RouteResponse } from '../route.js';
import {
  ACCOUNT,
  AGENT,
  choice,
  FIND,
  filterOf,
  IN_STAGE,
  listedAccounts,
  OVER,
  periodOf,
  RAISED,
  rare,
  redirectWithoutSearchText,
  SYSTEM,
  textFilter,
  waitIn,
} from './filters.js';
import { BusinessCell, Empty, Id, Pages, partnerStatusLabel, When } from './parts.js';
import { Chip, StageChip } from './pieces.js';

const PAGE_SIZE = 50;

/** The maximum page number. Temporal lists only from the start, so a page costs as much as all pages before it. */
const MOST_PAGES = 40;

/** The workflow types that a report counts: the parts of a customer, not the customer itself. */
const PARTS = typesOf(ONBOARDINGS).filter((type) => ASKING.includes(type));

const WHAT = { onboardings: ONBOARDINGS, operations: OPERATIONS, accounts: ACCOUNTS } as const;
const KINDS = Object.fromEntries(
  EACH_ONBOARDING.map(([type, { idPrefix }]) => [type, idPrefix.replace('-', ' ')]),
) as Readonly<Record<OnboardingType, string>>;

const day = (label: string) => ({
  ...rare(textFilter(label, { type: 'date' })),
  read: dayIn,
  show: (name: string, value: string | undefined) =>
    textFilter(label, { type: 'date' }).show(name, value?.slice(0, 10) ?? ''),
});

/** Returns a valid day (`2026-03-01`), or a valid time as in a report's links. */
function dayIn(value: string): string | undefined {
  return /^\d{4}-\d{2}-\d{2}(T[\d:.]{8,12}Z)?$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;
}

const FILTER = filterOf('Filter the onboardings', '/onboardings', {
  find: FIND,
  what: choice('Show', 'Onboardings', { operations: 'single operations', accounts: 'partner accounts' }),
  type: choice('Kind', 'Any kind', { ...KINDS, part: 'merchants and businesses' }),
  stage: choice('Stage', 'Any stage', STAGES),
  state: choice('State', 'Running or ended', {
    running: 'running',
    waiting: 'waits for a person',
    ended: 'ended',
  }),
  system: SYSTEM,
  account: ACCOUNT,
  agent: AGENT,
  over: OVER,
  raised: RAISED,
  inStage: IN_STAGE,
  before: day('Started before'),
  since: day('Ended since'),
});

export async function showOnboardings(context: RequestContext): Promise<RouteResponse> {
  const { client, user, fields } = context;
  const choices = FILTER.read(fields);
  const instead = redirectWithoutSearchText(fields, '/onboardings', choices);
  if (instead) return instead;
  const page = Math.min(fields.page('page'), MOST_PAGES);
  const filter = filterFrom(choices, user);
  const query = visibilityQuery(filter);
  const isSearched = [choices.over, choices.raised, choices.inStage].some((each) => each !== undefined);
  const read = (isSearched ? MOST_PAGES : page) * PAGE_SIZE;
  const rows = await Array.fromAsync(listOnboardings(client, query, read));
  const isShown = await shownBy(client, choices, filter);
  // A person may have started a workflow by hand, with an ID of another account.
  const onboardings = rows.filter((each) => isInAccounts(each, filter.partnerAccounts) && isShown(each));
  const isWhole = rows.length < read;
  const counted = isSearched ? onboardings.length : isWhole ? rows.length : await count(client, query);
  const total = isSearched ? counted : counted - (rows.length - onboardings.length);
  const pages = Math.min(MOST_PAGES, Math.max(1, Math.ceil(counted / PAGE_SIZE)));
  const to = (number: number) => address('/onboardings', { ...choices, page: number > 1 ? number : '' });
  return {
    title: 'Onboardings',
    page: (
      <>
        <div class="head">
          <h1>Onboardings</h1>
          <FILTER.Form chosen={choices} without={choices.what && 'type'} />
        </div>
        {isSearched && !isWhole && <p class="advice">Only the {read} newest were searched.</p>}
        <List
          {...choices}
          onboardings={onboardings.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)}
          total={total}
        />
        <Pages page={page} pages={pages} to={to} />
      </>
    ),
  };
}

function filterFrom(choices: ReturnType<typeof FILTER.read>, user: RequestContext['user']): Filter {
  const { what, find, type, stage, system, account, agent, state, since, before } = choices;
  const { over, raised, inStage } = choices;
  return {
    types: what || !type ? typesOf(WHAT[what ?? 'onboardings']) : type === 'part' ? PARTS : [type],
    find,
    stage,
    system,
    agent: agent || undefined,
    partnerAccounts: listedAccounts(user, account),
    ...((state === 'running' || inStage) && { running: true }),
    ...((state === 'waiting' || over || raised) && { actionRequired: true }),
    ...(state === 'ended' && {
      query: all(isNot('ExecutionStatus', 'Running'), isNot('ExecutionStatus', 'ContinuedAsNew')),
    }),
    startedBefore: before === undefined ? undefined : new Date(before),
    endedSince: since === undefined ? undefined : new Date(since),
  };
}

/** Returns a filter for the conditions that the server cannot check: when a person was asked, and the time in a stage. */
async function shownBy(
  client: Client,
  { over, raised, inStage }: ReturnType<typeof FILTER.read>,
  filter: Filter,
) {
  const wait = waitIn({ over, raised });
  const isAsked = ({ requirements }: Listed) =>
    (!over && !raised) || requirements.some((each) => isRaisedIn(wait, each));
  const longest = periodOf(inStage);
  if (longest === undefined) return isAsked;
  const firstStarts = await firstStartsOf(client, filter);
  return (row: Listed) => isAsked(row) && Date.now() - stageBegan(row, firstStarts).getTime() > longest;
}

interface ListProps {
  readonly onboardings: readonly Listed[];
  readonly total: number;
  readonly find: string;
}

function List({ onboardings, total, find }: ListProps) {
  const most = MOST_PAGES * PAGE_SIZE;
  const count =
    total === 1 ? '1 onboarding.' : `${total} are in this list: first those that run, then the last ended.`;
  if (onboardings.length === 0)
    return (
      <Empty title="No onboarding matches.">
        {find === '' ? count : 'A search finds names, IDs and mids by how their words begin.'}{' '}
        <a href="/onboardings">Show all</a>
      </Empty>
    );
  return (
    <Table
      caption={total > most ? `${count} The first ${most} can be shown: filter for the others.` : count}
      rows={onboardings}
      rowOf={(row) => ({ class: isLate(row) ? 'late' : undefined })}
      inLines
      columns={[
        { title: 'Business', at: 'first', cell: BusinessCell },
        { title: 'Stage', at: 'first-end', cell: StageCell },
        { title: 'Partner status', cell: ({ partnerStatus }) => partnerStatusLabel(partnerStatus) },
        { title: 'To do', at: 'second', cell: ToDo },
        { title: 'Merchant', cell: ({ merchantProfileId }) => <Id id={merchantProfileId} /> },
        { title: 'mid', cell: ({ mid }) => <Id id={mid} canCopy /> },
        { title: 'Started', at: 'second-end', cell: ({ startedAt }) => <When time={startedAt} /> },
      ]}
    />
  );
}

function ToDo(listed: Listed) {
  const task = toDo(listed);
  return task === '' ? null : <Chip tone="asks">{task}</Chip>;
}

/** Shows the stage, and first the failure of a workflow, which its stage does not mention. */
function StageCell({ stage, state }: Listed) {
  const isBad = ['failed', 'terminated', 'timed_out'].includes(state);
  return (
    <>
      <StageChip stage={isBad ? state : (stage ?? state)} />
      {isBad && <small>{stage?.replaceAll('-', ' ')}</small>}
    </>
  );
}
