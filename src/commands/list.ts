import type { WorkflowExecutionInfo } from '@temporalio/client';
import { type Command, InvalidArgumentError } from 'commander';
import { WORKFLOW_ID_PREFIXES } from '../messages/ids.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { withTemporal } from './context.js';
import { printJson, printLine, printTable, shortDate } from './output.js';

interface ListOptions {
  readonly stage?: string;
  readonly agent?: string;
  readonly actionRequired?: true;
  readonly running?: true;
  readonly query?: string;
  readonly limit: number;
  readonly json?: true;
}

export function listCommand(program: Command): void {
  program
    .command('list')
    .summary('list onboardings')
    .description(
      'List onboardings, newest first, by the search attributes that the Web UI filters by as well.',
    )
    .option('--stage <stage>', 'only those in this stage')
    .option('--agent <agentProfileId>', 'only those of this agent profile')
    .option('--action-required', 'only those that wait for a person')
    .option('--running', 'only those that have not ended')
    .option('--query <query>', 'and this visibility query: "PartnerStatus = \'Pending\'"')
    .option('--limit <n>', 'at most this many', positiveInteger, 50)
    .option('--json', 'print JSON lines')
    .action(list);
}

async function list(options: ListOptions): Promise<void> {
  await withTemporal(async ({ client }) => {
    const found: WorkflowExecutionInfo[] = [];
    for await (const workflow of client.workflow.list({ query: visibilityQuery(options) })) {
      found.push(workflow);
      if (found.length >= options.limit) break;
    }
    const rows = found.map(describe);
    if (options.json) return rows.forEach(printJson);
    if (rows.length === 0) return printLine('none');
    const columns = [
      'workflowId',
      'state',
      'stage',
      'partnerStatus',
      'merchantProfileId',
      'mid',
      'actionRequired',
    ] as const;
    printTable(
      ['workflow', 'state', 'stage', 'partner status', 'merchant', 'mid', 'needs action', 'started'],
      rows.map((row) => [...columns.map((column) => text(row[column])), shortDate(row.startedAt)]),
    );
  });
}

export function visibilityQuery({
  stage,
  agent,
  actionRequired,
  running,
  query,
}: Partial<ListOptions>): string {
  const types = Object.keys(WORKFLOW_ID_PREFIXES).map(quoted);
  return [
    `WorkflowType IN (${types.join(', ')})`,
    stage && `${SEARCH_ATTRIBUTES.stage.name} = ${quoted(stage)}`,
    agent && `${SEARCH_ATTRIBUTES.agentProfileId.name} = ${quoted(agent)}`,
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
    agentProfileId: attribute('agentProfileId'),
    actionRequired: attribute('actionRequired'),
    actionDueAt: attribute('actionDueAt'),
    startedAt: startTime,
    endedAt: closeTime,
  };
}

function text(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : '';
  return value === undefined ? '' : String(value);
}

function positiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('It must be a positive integer.');
  return number;
}
