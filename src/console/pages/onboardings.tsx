import type { OnboardingType } from '../../messages/ids.js';
import { ACCOUNTS, ONBOARDINGS, OPERATIONS } from '../../messages/ids.js';
import { STAGES } from '../../messages/onboarding-state.js';
import { TASKS } from '../../messages/requirements.js';
import { isOverdue } from '../../operators/inbox.js';
import { SYSTEM_NAMES } from '../../partners/names.js';
import { count, type Filter, type Listed, listed, typesOf, visibilityQuery } from '../../temporal/search.js';
import { address, Fields, pathOf } from '../query.js';
import type { Route, Shown, Visit } from '../route.js';
import { accountChoices, listedAccounts } from './inbox.js';
import { Choice, Pages, When } from './parts.js';

/** The list of onboardings, with the filters of `gangway list`. */

const PAGE_SIZE = 50;

/** Temporal lists from the start only, so a later page costs as much as all before it. */
const MOST_PAGES = 40;

const WHAT = { onboardings: ONBOARDINGS, operations: OPERATIONS, accounts: ACCOUNTS } as const;
const WHAT_NAMES = { operations: 'single operations', accounts: 'partner accounts' } as const;
const STATES = { running: 'running', waiting: 'waits for a person', ended: 'ended' } as const;

function choicesIn(fields: Fields) {
  return {
    what: fields.oneOf('what', ['operations', 'accounts'] as const),
    dba: fields.text('dba').trim(),
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
  const { client, visitor, request } = visit;
  const fields = Fields.ofQuery(request);
  const choices = choicesIn(fields);
  const page = Math.min(fields.page('page'), MOST_PAGES);
  const query = visibilityQuery(filterFrom(choices, visitor));
  const [found, total] = await Promise.all([
    Array.fromAsync(listed(client, query, page * PAGE_SIZE)),
    count(client, query),
  ]);
  const pages = Math.min(MOST_PAGES, Math.max(1, Math.ceil(total / PAGE_SIZE)));
  const to = (number: number) => address('/onboardings', { ...choices, page: number > 1 ? number : '' });
  return {
    title: 'Onboardings',
    page: (
      <>
        <h1>Onboardings</h1>
        <Filters choices={choices} visit={visit} />
        <p class="summary">
          {total === 1 ? '1 is' : `${total} are`} in this list, the newest first.
          {total > MOST_PAGES * PAGE_SIZE &&
            ` The first ${MOST_PAGES * PAGE_SIZE} can be shown: filter for the others.`}
        </p>
        <List found={found.slice((page - 1) * PAGE_SIZE)} visit={visit} />
        <Pages page={page} pages={pages} to={to} />
      </>
    ),
  };
}

function filterFrom(choices: Choices, visitor: Visit['visitor']): Filter {
  const { what, dba, type, stage, system, account, agent, state, since, before } = choices;
  return {
    types: type && !what ? [type] : typesOf(WHAT[what ?? 'onboardings']),
    dba: dba || undefined,
    ...{ stage, system, agent: agent || undefined },
    partnerAccounts: listedAccounts(visitor, account),
    ...(state === 'running' && { running: true }),
    ...(state === 'waiting' && { actionRequired: true }),
    ...(state === 'ended' && { query: `ExecutionStatus != 'Running'` }),
    startedBefore: before === undefined ? undefined : new Date(before),
    endedSince: since === undefined ? undefined : new Date(since),
  };
}

function Filters({ choices, visit }: { readonly choices: Choices; readonly visit: Visit }) {
  const { what, dba, type, stage, system, account, agent, state, since, before } = choices;
  const accounts = accountChoices(visit);
  const isFiltered = Object.values(choices).some(Boolean);
  return (
    <search aria-label="Filter the onboardings">
      <form class="filters" method="get" action="/onboardings">
        <label class="field wide">
          <span>Business, the whole name</span>
          <input type="search" name="dba" value={dba} maxLength={200} />
        </label>
        <Choice
          name="what"
          label="Show"
          none="onboardings"
          chosen={what}
          choices={Object.entries(WHAT_NAMES)}
        />
        {!what && (
          <Choice
            name="type"
            label="Kind"
            none="every kind"
            chosen={type}
            choices={Object.entries(ONBOARDINGS).map(([name, words]) => [name, words.replace('-', ' ')])}
          />
        )}
        <Choice
          name="stage"
          label="Stage"
          none="every stage"
          chosen={stage}
          choices={STAGES.map((name) => [name, name.replaceAll('-', ' ')])}
        />
        <Choice
          name="state"
          label="State"
          none="running or ended"
          chosen={state}
          choices={Object.entries(STATES)}
        />
        <Choice
          name="system"
          label="Partner"
          none="every partner"
          chosen={system}
          choices={SYSTEM_NAMES.map((name) => [name, name])}
        />
        {accounts.length > 0 && (
          <Choice name="account" label="Account" none="every account" chosen={account} choices={accounts} />
        )}
        <label class="field">
          <span>Agent profile</span>
          <input type="text" name="agent" value={agent} inputMode="numeric" maxLength={20} />
        </label>
        <label class="field">
          <span>Started before</span>
          <input type="date" name="before" value={before} />
        </label>
        <label class="field">
          <span>Ended since</span>
          <input type="date" name="since" value={since} />
        </label>
        <div class="actions">
          <button type="submit">Show</button>
          {isFiltered && <a href="/onboardings">Show all</a>}
        </div>
      </form>
    </search>
  );
}

function List({ found, visit: { times } }: { readonly found: readonly Listed[]; readonly visit: Visit }) {
  if (found.length === 0) {
    return (
      <div class="empty">
        <p class="big">No onboarding matches.</p>
        <p>
          <a href="/onboardings">Show all</a>
        </p>
      </div>
    );
  }
  return (
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">Business</th>
          <th scope="col">Stage</th>
          <th scope="col">Partner status</th>
          <th scope="col">To do</th>
          <th scope="col">Merchant</th>
          <th scope="col">mid</th>
          <th scope="col">Started</th>
        </tr>
      </thead>
      <tbody>
        {found.map((each) => {
          const { workflowId, runId, dba, stage, state, partnerStatus, merchantProfileId, mid, startedAt } =
            each;
          return (
            <tr key={runId} class={isLate(each) ? 'late' : undefined}>
              <td data-label="Business" class="name">
                <a href={pathOf(workflowId)}>{dba ?? workflowId}</a>
                {dba !== undefined && <small>{workflowId}</small>}
              </td>
              <td data-label="Stage">
                <span class={`stage-chip ${state}`}>{stage?.replaceAll('-', ' ') ?? state}</span>
                {['failed', 'terminated', 'timed_out'].includes(state) && (
                  <small>{state.replace('_', ' ')}</small>
                )}
              </td>
              <td data-label="Partner status" class={partnerStatus === undefined ? 'none' : undefined}>
                {partnerStatus ?? '–'}
              </td>
              <td data-label="To do">{toDo(each)}</td>
              <td data-label="Merchant" class={merchantProfileId === undefined ? 'none' : undefined}>
                {merchantProfileId ?? '–'}
              </td>
              <td data-label="mid" class={mid === undefined ? 'none' : undefined}>
                {mid ?? '–'}
              </td>
              <td data-label="Started">
                <When time={startedAt} times={times} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function isLate({ requirements: [first] }: Listed): boolean {
  return first !== undefined && isOverdue(first.dueAt);
}

function toDo({ requirements, moreRequirements }: Listed): string {
  const [first, ...others] = requirements;
  if (!first) return '–';
  const more = others.length + moreRequirements;
  return TASKS[first.kind] + (more > 0 ? ` (${more} more)` : '');
}

export const ONBOARDINGS_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/onboardings', role: 'viewer', show: showOnboardings },
];
