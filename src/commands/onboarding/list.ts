import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { type Command, Option } from 'commander';
import {
  ACCOUNTS,
  ONBOARDINGS,
  OPERATIONS,
  WORKFLOW_ID_PREFIXES,
  type WorkflowType,
} from '../../messages/ids.js';
import type { Requirement } from '../../messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { stateOf } from '../../temporal/onboardings.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';
import { positiveInteger } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import { isOverdue, shortDate } from '../cli/output.js';
import type { PartnerAccountOptions } from '../cli/partner-account.js';

interface Filter extends PartnerAccountOptions {
  readonly stage?: string;
  readonly agent?: string;
  readonly actionRequired?: true;
  readonly running?: true;
  readonly query?: string;
}

interface ListOptions extends Filter {
  readonly operations?: true;
  readonly accounts?: true;
  readonly limit: number;
  readonly json?: true;
}

export function listCommand(program: Command, cli: CommandLine): void {
  program
    .command('list')
    .summary('list onboardings, operations, or partner accounts that need a person')
    .description(
      'List onboardings, newest first, by the search attributes that the Web UI filters by as well.',
    )
    .option('--operations', 'list single operations at the bank instead')
    .addOption(
      new Option(
        '--accounts',
        'list our accounts at the partners instead that refused our credentials',
      ).conflicts('operations'),
    )
    .option('--stage <stage>', 'only those in this stage')
    .option('--agent <agentProfileId>', 'only those of this agent profile')
    .option('--partner-account <name>', 'only those of this one of our accounts at the partners')
    .option('--action-required', 'only those that wait for a person')
    .option('--running', 'only those that have not ended')
    .option('--query <query>', 'and this visibility query: "PartnerStatus = \'Pending\'"')
    .option('--limit <n>', 'at most this many', positiveInteger, 50)
    .option('--json', 'print JSON lines')
    .action((options: ListOptions) => list(cli, options));
}

async function list(cli: CommandLine, options: ListOptions): Promise<void> {
  const { operations, accounts, limit, json, ...filter } = options;
  const types = typesOf(accounts ? ACCOUNTS : operations ? OPERATIONS : ONBOARDINGS);
  await withTemporal(cli, async ({ client }) => {
    const found: WorkflowExecutionInfo[] = [];
    for await (const workflow of client.workflow.list({ query: visibilityQuery(types, filter) })) {
      found.push(workflow);
      if (found.length >= limit) break;
    }
    const rows = found.map(describe);
    if (json) {
      for (const row of rows) cli.json(row);
      return;
    }
    if (rows.length === 0) return cli.line('none');
    const columns = operations || accounts ? OPERATION_COLUMNS : ONBOARDING_COLUMNS;
    cli.table(
      Object.keys(columns),
      rows.map((row) => Object.values(columns).map((column) => text(row[column]))),
    );
  });
}

type Column = keyof ReturnType<typeof describe>;

const ONBOARDING_COLUMNS: Readonly<Record<string, Column>> = {
  workflow: 'workflowId',
  state: 'state',
  stage: 'stage',
  'partner status': 'partnerStatus',
  merchant: 'merchantProfileId',
  mid: 'mid',
  profile: 'bankingProfileId',
  'needs action': 'actionRequired',
  started: 'startedAt',
};

const OPERATION_COLUMNS: Readonly<Record<string, Column>> = {
  workflow: 'workflowId',
  state: 'state',
  stage: 'stage',
  'needs action': 'actionRequired',
  started: 'startedAt',
};

/** The workflow types of a record that has one entry for each. */
export function typesOf(kinds: Readonly<Partial<Record<WorkflowType, string>>>): WorkflowType[] {
  return Object.keys(kinds) as WorkflowType[];
}

export function visibilityQuery(
  types: readonly WorkflowType[],
  { stage, agent, partnerAccount, actionRequired, running, query }: Filter,
): string {
  return [
    `WorkflowType IN (${types.map(quoted).join(', ')})`,
    stage && `${SEARCH_ATTRIBUTES.stage.name} = ${quoted(stage)}`,
    agent && `${SEARCH_ATTRIBUTES.agentProfileId.name} = ${quoted(agent)}`,
    partnerAccount && `${SEARCH_ATTRIBUTES.partnerAccount.name} = ${quoted(partnerAccount)}`,
    actionRequired && `${SEARCH_ATTRIBUTES.actionRequired.name} = true`,
    (running || actionRequired) && `ExecutionStatus = 'Running'`,
    query && `(${query})`,
  ]
    .filter(Boolean)
    .join(' AND ');
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function describe({
  workflowId,
  runId,
  status,
  startTime,
  closeTime,
  typedSearchAttributes,
}: WorkflowExecutionInfo) {
  const attribute = (name: keyof typeof SEARCH_ATTRIBUTES) =>
    typedSearchAttributes.get(SEARCH_ATTRIBUTES[name]);
  return {
    workflowId,
    runId,
    state: status.name.toLowerCase(),
    stage: attribute('stage'),
    partnerStatus: attribute('partnerStatus'),
    merchantProfileId: attribute('merchantProfileId'),
    mid: attribute('mid'),
    bankingProfileId: attribute('bankingProfileId'),
    agentProfileId: attribute('agentProfileId'),
    partnerAccount: attribute('partnerAccount'),
    actionRequired: attribute('actionRequired'),
    actionDueAt: attribute('actionDueAt'),
    startedAt: startTime,
    endedAt: closeTime,
  };
}

function text(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : '';
  if (value instanceof Date) return shortDate(value);
  return value === undefined ? '' : String(value);
}

interface InboxItem extends Requirement {
  readonly workflowId: string;
  readonly overdue: boolean;
}

export function inboxCommand(program: Command, cli: CommandLine): void {
  program
    .command('inbox')
    .summary('everything that waits for a person')
    .description(
      'List every open requirement of every onboarding, operation and partner account, the most urgent first. ' +
        'Answer with "gangway resolve".',
    )
    .option('--agent <agentProfileId>', 'only merchants of this agent profile')
    .option('--partner-account <name>', 'only those of this one of our accounts at the partners')
    .option('--overdue', 'only what is past its due date')
    .option('--json', 'print JSON lines')
    .action((options: InboxOptions) => inbox(cli, options));
}

interface InboxFilter extends PartnerAccountOptions {
  readonly agent?: string;
}

interface InboxOptions extends InboxFilter {
  readonly overdue?: true;
  readonly json?: true;
}

async function inbox(cli: CommandLine, { overdue, json, ...filter }: InboxOptions): Promise<void> {
  const { items, unreadable } = await withTemporal(cli, ({ client }) => collect(client, filter));
  const shown = items.filter((item) => item.overdue || !overdue);
  if (json) for (const item of shown) cli.json(item);
  else if (shown.length > 0) cli.table(HEAD, shown.map(row));
  else if (unreadable.length === 0) cli.line('nothing waits for a person');
  if (unreadable.length > 0) throw new CommandFailed(gapsOf(unreadable).join('\n'));
}

/** How many workflow ids a line names. */
const IDS_A_LINE = 20;

/** What cannot be read, a line for each reason. */
function gapsOf(unreadable: readonly UnreadableOnboarding[]): string[] {
  const details = new Set(unreadable.map(({ detail }) => detail));
  return [...details].map((detail) => {
    const all = unreadable.filter((each) => each.detail === detail);
    const ids = all.slice(0, IDS_A_LINE).map(({ workflowId }) => workflowId);
    const more = all.length > ids.length ? ` and ${all.length - ids.length} more` : '';
    return `cannot read ${ids.join(', ')}${more}: ${detail}`;
  });
}

/** A customer's requirements are those of its parts, and would show twice. */
const { customerOnboarding: _, ...ASKING } = WORKFLOW_ID_PREFIXES;

/** How many workflows are asked at once. */
const CONCURRENCY = 16;

/** Asks every workflow that waits for a person what for. Those that cannot be read are named, not dropped. */
async function collect(client: Client, filter: InboxFilter) {
  const items: InboxItem[] = [];
  const unreadable: UnreadableOnboarding[] = [];
  /** Task queues on which no worker answers, and why: the next query would only wait as long. */
  const silent = new Map<string, string>();
  const query = visibilityQuery(typesOf(ASKING), { actionRequired: true, ...filter });
  const waiting = client.workflow.list({ query })[Symbol.asyncIterator]();

  async function askNext(): Promise<void> {
    for (let next = await waiting.next(); !next.done; next = await waiting.next()) {
      const { workflowId, taskQueue } = next.value;
      const why = silent.get(taskQueue);
      if (why !== undefined) {
        unreadable.push(new UnreadableOnboarding(workflowId, 'no-worker', why));
        continue;
      }
      try {
        const { requirements } = await stateOf(client, workflowId);
        items.push(...requirements.map((each) => ({ workflowId, ...each, overdue: isOverdue(each.dueAt) })));
      } catch (error) {
        if (!(error instanceof UnreadableOnboarding)) throw error;
        if (error.obstacle === 'no-worker' || error.obstacle === 'no-response')
          silent.set(taskQueue, error.detail);
        unreadable.push(error);
      }
    }
  }

  await Promise.all(Array.from({ length: CONCURRENCY }, askNext));
  return { items: items.sort((a, b) => a.dueAt.localeCompare(b.dueAt)), unreadable };
}

const HEAD = ['workflow', 'requirement', 'kind', 'due', 'title', 'detail'];

function row({ workflowId, id, kind, dueAt, overdue, title, detail }: InboxItem): string[] {
  const short = detail.replace(/\s+/g, ' ');
  const cut = short.length > 60 ? `${short.slice(0, 59)}…` : short;
  return [workflowId, id, kind, shortDate(dueAt) + (overdue ? ' OVERDUE' : ''), title, cut];
}
