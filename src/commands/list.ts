import type { WorkflowExecutionInfo } from '@temporalio/client';
import { type Command, Option } from 'commander';
import { ACCOUNTS, ONBOARDINGS, OPERATIONS, type WorkflowType } from '../messages/ids.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { positiveInteger } from './arguments.js';
import type { CommandLine } from './command-line.js';
import { withTemporal } from './context.js';
import { shortDate } from './output.js';
import type { PartnerAccountOptions } from './partner-account.js';

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
