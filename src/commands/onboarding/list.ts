import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
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
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import { shortDate } from '../cli/output.js';
import type { PartnerAccountOptions } from '../cli/partner-account.js';
import { isOverdue } from '../cli/requirements.js';

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

export async function list(cli: CommandLine, options: ListOptions): Promise<void> {
  const { operations, accounts, limit, json, ...filter } = options;
  const types = typesOf(accounts ? ACCOUNTS : operations ? OPERATIONS : ONBOARDINGS);
  await withTemporal(cli, async ({ client }) => {
    const found: WorkflowExecutionInfo[] = [];
    for await (const workflow of client.workflow.list({ query: visibilityQuery(types, filter) })) {
      found.push(workflow);
      if (found.length >= limit) break;
    }
    const atPartners = operations || accounts ? {} : AT_PARTNERS;
    const columns = columnsOf({ ...IDENTITY, ...atPartners, ...PROGRESS });
    cli.records(found.map(describe), { columns, json });
  });
}

type Row = ReturnType<typeof describe>;

/** The columns of a table, by their titles. */
function columnsOf(names: Readonly<Record<string, keyof Row>>): Record<string, (row: Row) => string> {
  const columns = Object.entries(names).map(([title, name]) => [title, (row: Row) => text(row[name])]);
  return Object.fromEntries(columns);
}

const IDENTITY = { workflow: 'workflowId', state: 'state', stage: 'stage' } as const;

const AT_PARTNERS = {
  'partner status': 'partnerStatus',
  merchant: 'merchantProfileId',
  mid: 'mid',
  profile: 'bankingProfileId',
} as const;

const PROGRESS = { 'needs action': 'actionRequired', started: 'startedAt' } as const;

/** The workflow types of a record that has one entry for each. */
function typesOf(kinds: Readonly<Partial<Record<WorkflowType, string>>>): WorkflowType[] {
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

interface InboxFilter extends PartnerAccountOptions {
  readonly agent?: string;
}

interface InboxOptions extends InboxFilter {
  readonly overdue?: true;
  readonly json?: true;
}

export async function inbox(cli: CommandLine, { overdue, json, ...filter }: InboxOptions): Promise<void> {
  const { items, unreadable } = await withTemporal(cli, ({ client }) => collect(client, filter));
  const shown = items.filter((item) => item.overdue || !overdue);
  if (json || shown.length > 0 || unreadable.length === 0)
    cli.records(shown, { columns: INBOX_COLUMNS, json, none: 'no open requirements' });
  if (unreadable.length > 0) throw new CommandFailed(describeUnreadable(unreadable).join('\n'));
}

const INBOX_COLUMNS: Readonly<Record<string, (item: InboxItem) => string>> = {
  workflow: ({ workflowId }) => workflowId,
  requirement: ({ id }) => id,
  kind: ({ kind }) => kind,
  due: ({ dueAt, overdue }) => shortDate(dueAt) + (overdue ? ' OVERDUE' : ''),
  title: ({ title }) => title,
  detail: ({ detail }) => beginningOf(detail.replace(/\s+/g, ' ')),
};

function beginningOf(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** How many workflow ids a line names. */
const IDS_PER_LINE = 20;

/** The workflows that cannot be read, one line for each reason. */
function describeUnreadable(unreadable: readonly UnreadableOnboarding[]): string[] {
  const details = new Set(unreadable.map(({ detail }) => detail));
  return [...details].map((detail) => {
    const all = unreadable.filter((each) => each.detail === detail);
    const ids = all.slice(0, IDS_PER_LINE).map(({ workflowId }) => workflowId);
    const more = all.length > ids.length ? ` and ${all.length - ids.length} more` : '';
    return `cannot read ${ids.join(', ')}${more}: ${detail}`;
  });
}

/** Without customers: their requirements are those of their parts, and would show twice. */
const { customerOnboarding: _, ...WITH_OWN_REQUIREMENTS } = WORKFLOW_ID_PREFIXES;

/** How many workflows are queried at once. */
const CONCURRENCY = 16;

/** The open requirements of all workflows that wait for a person, and the workflows that cannot be read. */
async function collect(client: Client, filter: InboxFilter) {
  const items: InboxItem[] = [];
  const unreadable: UnreadableOnboarding[] = [];
  /** Task queues on which no worker responds, and why: the next query would only wait as long. */
  const silent = new Map<string, string>();
  const query = visibilityQuery(typesOf(WITH_OWN_REQUIREMENTS), { actionRequired: true, ...filter });
  const waiting = client.workflow.list({ query })[Symbol.asyncIterator]();

  async function queryNext(): Promise<void> {
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

  await Promise.all(Array.from({ length: CONCURRENCY }, queryNext));
  return { items: items.sort((a, b) => a.dueAt.localeCompare(b.dueAt)), unreadable };
}
