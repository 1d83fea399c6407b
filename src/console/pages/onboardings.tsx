import { isLate, toDo } from '../../inbox/inbox.js';
import type { OnboardingType } from '../../messages/ids.js';
import { ACCOUNTS, ONBOARDINGS, OPERATIONS } from '../../messages/ids.js';
import { STAGES } from '../../messages/onboarding-state.js';
import { SYSTEM_NAMES } from '../../partners/names.js';
import { Table } from '../../reports/page.js';
import { isNot } from '../../temporal/query.js';
import {
  count,
  type Filter,
  isInAccounts,
  type Listed,
  listed,
  typesOf,
  visibilityQuery,
} from '../../temporal/search.js';
import { address, type Fields } from '../query.js';
import type { Route, Shown, Visit } from '../route.js';
import { Field } from './field.js';
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
import { BusinessCell, Empty, Id, Pages, When } from './parts.js';

const PAGE_SIZE = 50;

/** Temporal lists from the start only, so a later page costs as much as all before it. */
const MOST_PAGES = 40;

const WHAT = { onboardings: ONBOARDINGS, operations: OPERATIONS, accounts: ACCOUNTS } as const;
const WHAT_NAMES = { operations: 'single operations', accounts: 'partner accounts' } as const;
const KINDS = Object.fromEntries(
  Object.entries(ONBOARDINGS).map(([name, words]) => [name, words.replace('-', ' ')]),
);
const STATES = { running: 'running', waiting: 'waits for a person', ended: 'ended' } as const;

function choicesIn(fields: Fields) {
  return {
    what: fields.oneOf('what', ['operations', 'accounts'] as const),
    find: findIn(fields),
    type: fields.oneOf('type', Object.keys(ONBOARDINGS) as OnboardingType[]),
    stage: fields.oneOf('stage', STAGES),
    system: fields.oneOf('system', SYSTEM_NAMES),
    account: fields.text('account'),
    agent: fields.text('agent').trim(),
    state: fields.oneOf('state', ['running', 'waiting', 'ended'] as const),
    since: dayIn(fields.text('since')),
    before: dayIn(fields.text('before')),
  };
}

/** `2026-03-01` */
function dayIn(text: string): string | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

type Choices = ReturnType<typeof choicesIn>;

async function showOnboardings(visit: Visit): Promise<Shown> {
  const { client, visitor, fields } = visit;
  const choices = choicesIn(fields);
  const instead = withoutPrivate(fields, '/onboardings', choices);
  if (instead) return instead;
  const page = Math.min(fields.page('page'), MOST_PAGES);
  const filter = filterFrom(choices, visitor);
  const query = visibilityQuery(filter);
  const read = page * PAGE_SIZE;
  const all = await Array.fromAsync(listed(client, query, read));
  // A person may have started one by hand with an id of another account.
  const found = all.filter((each) => isInAccounts(each, filter.partnerAccounts));
  const counted = all.length < read ? all.length : await count(client, query);
  const total = counted - (all.length - found.length);
  const pages = Math.min(MOST_PAGES, Math.max(1, Math.ceil(counted / PAGE_SIZE)));
  const to = (number: number) => address('/onboardings', { ...choices, page: number > 1 ? number : '' });
  return {
    title: 'Onboardings',
    page: (
      <>
        <h1>Onboardings</h1>
        <OnboardingFilters choices={choices} />
        <List found={found.slice((page - 1) * PAGE_SIZE)} total={total} />
        <Pages page={page} pages={pages} to={to} />
      </>
    ),
  };
}

function filterFrom(choices: Choices, visitor: Visit['visitor']): Filter {
  const { what, find, type, stage, system, account, agent, state, since, before } = choices;
  return {
    types: type && !what ? [type] : typesOf(WHAT[what ?? 'onboardings']),
    ...{ find, stage, system, agent: agent || undefined },
    partnerAccounts: listedAccounts(visitor, account),
    ...(state === 'running' && { running: true }),
    ...(state === 'waiting' && { actionRequired: true }),
    ...(state === 'ended' && { query: isNot('ExecutionStatus', 'Running') }),
    startedBefore: before === undefined ? undefined : new Date(before),
    endedSince: since === undefined ? undefined : new Date(since),
  };
}

function OnboardingFilters({ choices }: { readonly choices: Choices }) {
  const { what, find, type, stage, system, account, agent, state, since, before } = choices;
  const isFiltered = Object.values(choices).some(Boolean);
  return (
    <Filters label="Filter the onboardings" action="/onboardings" isFiltered={isFiltered}>
      <FindField find={find} />
      <Choice name="what" label="Show" none="onboardings" chosen={what} choices={WHAT_NAMES} />
      {!what && <Choice name="type" label="Kind" none="every kind" chosen={type} choices={KINDS} />}
      <Choice name="stage" label="Stage" none="every stage" chosen={stage} choices={STAGES} />
      <Choice name="state" label="State" none="running or ended" chosen={state} choices={STATES} />
      <SystemChoice chosen={system} />
      <AccountChoice chosen={account} />
      <Field label="Agent profile" name="agent" value={agent} inputMode="numeric" maxLength={20} />
      <Field label="Started before" type="date" name="before" value={before} />
      <Field label="Ended since" type="date" name="since" value={since} />
    </Filters>
  );
}

function List({ found, total }: { readonly found: readonly Listed[]; readonly total: number }) {
  const most = MOST_PAGES * PAGE_SIZE;
  const count = `${total === 1 ? '1 is' : `${total} are`} in this list, the newest first.`;
  if (found.length === 0)
    return (
      <Empty title="No onboarding matches.">
        {count} <a href="/onboardings">Show all</a>
      </Empty>
    );
  return (
    <Table
      caption={total > most ? `${count} The first ${most} can be shown: filter for the others.` : count}
      rows={found}
      rowOf={(row) => ({ class: isLate(row) ? 'late' : undefined })}
      isWide
      columns={[
        { title: 'Business', cell: BusinessCell },
        { title: 'Stage', cell: StageCell },
        { title: 'Partner status', cell: ({ partnerStatus }) => partnerStatus },
        { title: 'To do', cell: toDo },
        { title: 'Merchant', cell: ({ merchantProfileId }) => <Id id={merchantProfileId} /> },
        { title: 'mid', cell: ({ mid }) => <Id id={mid} canCopy /> },
        { title: 'Started', cell: ({ startedAt }) => <When time={startedAt} /> },
      ]}
    />
  );
}

function StageCell({ stage, state }: Listed) {
  return (
    <>
      {stage?.replaceAll('-', ' ') ?? state}
      {['failed', 'terminated', 'timed_out'].includes(state) && <small>{state.replace('_', ' ')}</small>}
    </>
  );
}

export const ONBOARDINGS_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/onboardings', role: 'viewer', show: showOnboardings },
];
