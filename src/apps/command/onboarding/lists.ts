import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { OUR_SOFTWARE_FAILS } from '../../../messages/activities.js';
import { omitUndefined } from '../../../messages/objects.js';
import type { Stage } from '../../../messages/onboarding-state.js';
import type { Requirement, RequirementKind } from '../../../messages/requirements.js';
import { ACCOUNTS, ASKING, ONBOARDINGS, OPERATIONS } from '../../../messages/workflow-types.js';
import {
  compareDueDates,
  type InboxItem,
  inboxItems,
  isLate,
  isMine,
  isRaisedIn,
  shortIds,
  toDo,
  type WaitFilter,
} from '../../../services/inbox/inbox.js';
import { queryState } from '../../../temporal/find-onboarding.js';
import {
  count,
  type Listed,
  listOnboardings,
  mostUrgent,
  typesOf,
  visibilityQuery,
} from '../../../temporal/search.js';
import { UnreadableOnboarding } from '../../../temporal/unreadable.js';
import { explainQuery, partnerAccountOf } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { describeRequirement } from '../cli/descriptions.js';
import type { Flags, ListFilter, Texts } from '../cli/options.js';
import type { RecordFormat, TableColumns } from '../cli/output.js';
import { actorFrom } from './claim.js';

interface ListOptions
  extends ListFilter,
    WaitFilter,
    RecordFormat,
    Flags<'operations' | 'accounts' | 'actionRequired' | 'running'>,
    Texts<'query'> {
  readonly stage?: Stage;
  readonly startedBefore?: Date;
  readonly endedSince?: Date;
  readonly limit: number;
}

export async function printList(
  cli: CommandLine,
  words: readonly string[],
  options: ListOptions,
): Promise<void> {
  const { operations, accounts, limit, json, csv, waitingOver, raisedSince, ...filter } = options;
  const isSearched = waitingOver !== undefined || raisedSince !== undefined;
  const types = typesOf(accounts ? ACCOUNTS : operations ? OPERATIONS : ONBOARDINGS);
  const query = visibilityQuery({
    ...filter,
    types,
    find: words.join(' '),
    ...(isSearched && { actionRequired: true }),
  });
  partnerAccountOf(cli.config(), options, 'list', 'nothing was read');
  await withTemporal(cli, async ({ client }) => {
    // The server cannot search for the time of a question.
    const all = await Array.fromAsync(listOnboardings(client, query, isSearched ? undefined : limit)).catch(
      explainQuery(client, query, options.query),
    );
    const isAsked = ({ requirements }: Listed) => requirements.some((each) => isRaisedIn(options, each));
    const matches = isSearched ? all.filter(isAsked) : all;
    const onboardings = matches.slice(0, limit);
    const total = isSearched || matches.length < limit ? matches.length : await count(client, query);
    const shortOf = shortIds(onboardings.map(({ workflowId }) => workflowId));
    const columns: Columns = {
      ...(operations || accounts ? {} : NAME),
      ...COMMON_COLUMNS,
      ...(options.endedSince ? { ended: ({ endedAt }) => endedAt } : {}),
      id: { value: ({ workflowId }) => shortOf(workflowId), keep: true },
    };
    const below = { columns: ['id'], line: ({ workflowId }: Listed) => shortOf(workflowId) };
    cli.records(onboardings, { columns, below, json, csv, fields: LIST_FIELDS, total });
    const failing = { types: typesOf(ACCOUNTS), kind: 'software-error', running: true } as const;
    if ((await count(client, visibilityQuery(failing))) > 0)
      cli.note(`${OUR_SOFTWARE_FAILS}, and onboardings wait for it: gangway inbox --kind ${failing.kind}`);
  });
}

type Columns = TableColumns<Listed>;

const NAME: Columns = { dba: ({ dba }) => dba };

const COMMON_COLUMNS: Columns = {
  stage: ({ stage }) => stage,
  'partner status': { value: ({ partnerStatus }) => partnerStatus, priority: 5 },
  'to do': { value: toDo, style: (row) => (isLate(row) ? 'red' : undefined) },
  merchant: { value: ({ merchantProfileId }) => merchantProfileId, priority: 7 },
  mid: { value: ({ mid }) => mid, keep: true, priority: 2 },
  profile: { value: ({ bankingProfileId }) => bankingProfileId, priority: 8 },
  account: { value: ({ partnerAccount }) => partnerAccount, priority: 9 },
  started: { value: ({ startedAt }) => startedAt, priority: 6 },
  'started by': { value: ({ startedBy }) => startedBy, priority: 10 },
  state: {
    value: ({ state }) => state,
    priority: 4,
    style: ({ state }) => (['failed', 'timed_out', 'terminated'].includes(state) ? 'red' : undefined),
  },
};

/** The fields of each record; CSV has `stageSeconds` by stage after them. */
const LIST_FIELDS = [
  'workflowId',
  'runId',
  'type',
  'dba',
  'system',
  'partnerAccount',
  'state',
  'stage',
  'partnerStatus',
  'merchantProfileId',
  'mid',
  'bankingProfileId',
  'agentProfileId',
  'requirements',
  'moreRequirements',
  'startedAt',
  'startedBy',
  'endedAt',
];

interface InboxOptions
  extends ListFilter,
    WaitFilter,
    RecordFormat,
    Flags<'overdue' | 'unclaimed' | 'details'> {
  readonly kind?: RequirementKind;
  /** `true` if no name is typed. */
  readonly mine?: string | true;
  readonly dueAfter?: Date;
  readonly limit: number;
}

export async function printInbox(cli: CommandLine, words: readonly string[], options: InboxOptions) {
  const { overdue, unclaimed, mine, limit, json, csv, ...others } = options;
  const actor = mine && actorFrom(cli, mine === true ? {} : { actor: mine });
  partnerAccountOf(cli.config(), options, 'inbox', 'nothing was read');
  const everything = { types: ASKING, actionRequired: true };
  const find = words.join(' ');
  await withTemporal(cli, async ({ client }) => {
    const wanted = { ...others, ...everything, find, ...(overdue && { dueUntil: new Date() }) };
    // The server cannot search for people, nor for the time of a question.
    const isSearched = actor || unclaimed || options.waitingOver !== undefined || options.raisedSince;
    const { filter: page, total } = await mostUrgent(client, wanted, isSearched ? Infinity : limit);
    // Requirements that do not fit into the list of workflows have no kind, so they may be of this kind.
    const isWanted = (item: InboxItem) =>
      (options.kind === undefined || item.kind === undefined || item.kind === options.kind) &&
      isRaisedIn(options, item) &&
      (!overdue || item.overdue) &&
      (!unclaimed || item.claimedBy === undefined) &&
      (!actor || isMine(item, actor));
    const matches: InboxItem[] = [];
    for await (const onboarding of listOnboardings(client, visibilityQuery(page)))
      matches.push(...inboxItems(onboarding).filter(isWanted));
    matches.sort(compareDueDates);
    const onboardings = [...new Set(matches.map(({ workflowId }) => workflowId))];
    const listed = new Set(onboardings.slice(0, limit));
    const items = matches.filter(({ workflowId }) => listed.has(workflowId));
    const none =
      items.length > 0
        ? ''
        : nothing({ ...options, actor }, await count(client, visibilityQuery(everything)));
    const details: Details = options.details ? await detailsOf(cli, client, items) : new Map();
    const shortOf = shortIds(items.map(({ workflowId }) => workflowId));
    const below = { columns: ['requirement', 'id'], line: commandOf(shortOf) };
    const how = { columns: columnsOf(cli, shortOf, items), json, csv, fields: INBOX_FIELDS, none, below };
    const inFull = items.map((item) => {
      const { title, detail, answers } = details.get(item) ?? {};
      return { ...item, ...omitUndefined({ title, detail, answers }) };
    });
    if (options.details && !json && !csv && items.length > 0) printDetails(cli, items, details, shortOf);
    else cli.records(inFull, how);
    const all = isSearched ? onboardings.length : total;
    const next =
      page.dueUntil && page !== wanted
        ? `; the next: gangway inbox --due-after ${page.dueUntil.toISOString()}`
        : '';
    if (next || listed.size < onboardings.length)
      cli.note(`${listed.size} of ${all} onboardings, the most urgent${next}; all: --limit 0`);
  });
}

function nothing(
  { kind, overdue, unclaimed, actor }: InboxOptions & { readonly actor: string | undefined },
  total: number,
): string {
  if (total === 0) return 'nothing waits for a person';
  const what =
    (overdue && 'is overdue') ||
    (kind && `is of kind ${kind}`) ||
    (unclaimed && 'is unclaimed') ||
    (actor ? `is assigned to ${actor} or mentions them` : 'matches');
  return `none of the ${total} that ${total === 1 ? 'waits' : 'wait'} for a person ${what}`;
}

type Details = ReadonlyMap<InboxItem, Requirement | undefined>;

/** Reads the question of each requirement. Lists unreadable ones on standard error. */
export async function detailsOf(
  cli: Pick<CommandLine, 'note'>,
  client: Client,
  items: readonly InboxItem[],
): Promise<Details> {
  /** Task queues without a responding worker. Another query would also wait in vain. */
  const silent = new Set<string>();
  const read = async ({ workflowId, taskQueue }: InboxItem): Promise<readonly Requirement[]> => {
    if (silent.has(taskQueue)) return [];
    try {
      return (await queryState(client, workflowId)).requirements;
    } catch (error) {
      if (!(error instanceof UnreadableOnboarding)) throw error;
      const { obstacle } = error;
      const isSilent = obstacle === 'no-worker' || obstacle === 'no-response';
      if (!silent.has(taskQueue)) cli.note(`${error.message}${isSilent ? ', nor any other there' : ''}`);
      if (isSilent) silent.add(taskQueue);
      return [];
    }
  };
  const byWorkflow = Map.groupBy(items, ({ workflowId }) => workflowId).values();
  const pages = await pLimit(16).map(byWorkflow, async (own) => {
    const requirements = await read(own[0] as InboxItem);
    return own.map((item) => [item, requirements.find(({ id }) => id === item.id)] as const);
  });
  return new Map(pages.flat());
}

type NameOf = (workflowId: string) => string;

function printDetails(cli: CommandLine, items: readonly InboxItem[], details: Details, nameOf: NameOf): void {
  let last: string | undefined;
  for (const item of items) {
    const { workflowId, dba, dueAt, task } = item;
    const name = nameOf(workflowId);
    if (workflowId !== last)
      cli.line(`${last === undefined ? '' : '\n'}${dba === undefined ? workflowId : `${dba} (${name})`}`);
    last = workflowId;
    const requirement = details.get(item);
    if (requirement) cli.prose(describeRequirement(cli, name, requirement));
    else cli.prose(`  ${task}${dueAt ? `, ${cli.times.due(dueAt)}` : ''}\n    ${commandOf(nameOf)(item)}`);
  }
}

function commandOf(nameOf: NameOf) {
  return ({ workflowId, id }: InboxItem) =>
    id === undefined ? `gangway status ${nameOf(workflowId)}` : `gangway resolve ${nameOf(workflowId)} ${id}`;
}

/** Columns with relative times, which show what to do first. */
const columnsOf = (
  { times }: CommandLine,
  nameOf: NameOf,
  items: readonly InboxItem[],
): TableColumns<InboxItem> => ({
  due: {
    value: ({ dueAt }) => dueAt && times.due(dueAt),
    keep: true,
    style: ({ overdue }) => (overdue ? 'red' : undefined),
  },
  dba: ({ dba }) => dba,
  'to do': ({ task }) => task,
  ...(items.some((item) => item.claimedBy) && { 'claimed by': (item: InboxItem) => item.claimedBy }),
  ...(items.some((item) => item.proposedBy) && { 'proposed by': (item: InboxItem) => item.proposedBy }),
  waiting: { value: ({ raisedAt }) => raisedAt && times.since(raisedAt), priority: 3 },
  partner: { value: ({ system }) => system, priority: 5 },
  account: { value: ({ partnerAccount }) => partnerAccount, priority: 4 },
  id: { value: ({ workflowId }) => nameOf(workflowId), keep: true },
  requirement: { value: ({ id }) => id, keep: true },
});

const INBOX_FIELDS = [
  'workflowId',
  'dba',
  'system',
  'partnerAccount',
  'stage',
  'id',
  'kind',
  'raisedAt',
  'dueAt',
  'task',
  'overdue',
  'title',
  'detail',
  'answers',
  'claimedBy',
  'claimedUntil',
  'assignedBy',
  'proposedBy',
  'proposedAt',
  'mentioned',
];
