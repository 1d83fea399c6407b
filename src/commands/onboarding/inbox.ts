import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { WORKFLOW_ID_PREFIXES } from '../../messages/ids.js';
import type { ListedRequirement } from '../../messages/listed.js';
import { type Requirement, type RequirementKind, TASKS } from '../../messages/requirements.js';
import { stateOf } from '../../temporal/onboardings.js';
import { count, type Listed, listed, mostUrgent, typesOf, visibilityQuery } from '../../temporal/search.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import type { RecordFormat, TableColumns } from '../cli/output.js';
import { partnerAccountOf } from '../cli/partner-account.js';
import { isOverdue } from '../cli/requirements.js';
import type { ListFilter } from './filters.js';

interface InboxOptions extends ListFilter, RecordFormat {
  readonly kind?: RequirementKind;
  readonly overdue?: true;
  readonly raisedBefore?: Date;
  readonly dueAfter?: Date;
  readonly details?: true;
  readonly limit: number;
}

/** An open requirement, and what it belongs to. */
interface InboxItem
  extends Partial<ListedRequirement>,
    Pick<Listed, 'workflowId' | 'taskQueue' | 'dba' | 'system' | 'partnerAccount' | 'stage'> {
  /** What a person has to do. */
  readonly task: string;
  /** What exactly is asked; only with `--details`. */
  readonly title?: string;
  readonly detail?: string;
  readonly overdue: boolean;
}

/** Without customers: their requirements are those of their parts, and would show twice. */
const { customerOnboarding: _, ...WITH_OWN_REQUIREMENTS } = WORKFLOW_ID_PREFIXES;

export async function inbox(cli: CommandLine, options: InboxOptions): Promise<void> {
  const { overdue, raisedBefore, limit, json, csv, ...others } = options;
  partnerAccountOf(cli.config(), options, 'inbox', 'nothing was read');
  const everything = { ...others, types: typesOf(WITH_OWN_REQUIREMENTS), actionRequired: true };
  await withTemporal(cli, async ({ client }) => {
    const wanted = { ...everything, ...(overdue && { dueUntil: new Date() }) };
    const page = limit === Number.MAX_SAFE_INTEGER ? wanted : await mostUrgent(client, wanted, limit);
    const found = await Array.fromAsync(listed(client, visibilityQuery(page)));
    const isWanted = ({ kind, raisedAt, overdue: isLate }: InboxItem) =>
      (options.kind === undefined || kind === options.kind) &&
      (!overdue || isLate) &&
      (!raisedBefore || (raisedAt !== undefined && raisedAt < raisedBefore.toISOString()));
    const listedItems = found.flatMap(itemsOf).filter(isWanted).sort(byDue);
    const items = options.details ? await withDetails(cli, client, listedItems) : listedItems;
    const waiting = () => count(client, visibilityQuery(everything));
    const none = items.length > 0 ? '' : await nothing(options, waiting);
    cli.records(items, { columns: columnsOf(cli, options), json, csv, fields: FIELDS, none });
    if (page.dueUntil && page !== wanted) {
      const next = `the next: gangway inbox --due-after ${page.dueUntil.toISOString()}`;
      cli.note(`${found.length} of ${await waiting()} onboardings, the most urgent; ${next}; all: --limit 0`);
    }
  });
}

function itemsOf({
  workflowId,
  taskQueue,
  dba,
  system,
  partnerAccount,
  stage,
  ...listed
}: Listed): InboxItem[] {
  const of = { workflowId, taskQueue, dba, system, partnerAccount, stage };
  const items = listed.requirements.map((requirement) => ({
    ...{ ...of, ...requirement },
    task: TASKS[requirement.kind],
    overdue: isOverdue(requirement.dueAt),
  }));
  const { moreRequirements: more } = listed;
  if (more === 0) return items;
  // They are due after those that the list has.
  const [last] = items.slice(-1);
  const task = `and ${more} more: gangway status ${workflowId}`;
  return [...items, { ...of, task, overdue: false, ...(last && { dueAt: last.dueAt }) }];
}

function byDue({ dueAt: one = '' }: InboxItem, { dueAt: other = '' }: InboxItem): number {
  return one.localeCompare(other);
}

async function nothing(options: InboxOptions, waiting: () => Promise<number>): Promise<string> {
  const { kind, overdue, raisedBefore } = options;
  const total = await waiting();
  if (total === 0) return 'nothing waits for a person';
  const what = overdue ? 'overdue' : raisedBefore ? 'that old' : `of kind ${kind}`;
  return `none of the ${total} that ${total === 1 ? 'waits' : 'wait'} for a person is ${what}`;
}

/** How many onboardings are queried at once. */
const CONCURRENCY = 16;

/** Adds the words of each requirement. Names on standard error what no worker can read now. */
async function withDetails(
  cli: CommandLine,
  client: Client,
  items: readonly InboxItem[],
): Promise<readonly InboxItem[]> {
  const limit = pLimit(CONCURRENCY);
  /** Task queues on which no worker responds: the next query would only wait as long. */
  const silent = new Set<string>();
  const read = async ({ workflowId, taskQueue }: InboxItem): Promise<readonly Requirement[]> => {
    if (silent.has(taskQueue)) return [];
    try {
      return (await stateOf(client, workflowId)).requirements;
    } catch (error) {
      if (!(error instanceof UnreadableOnboarding)) throw error;
      const { obstacle } = error;
      const isSilent = obstacle === 'no-worker' || obstacle === 'no-response';
      if (!silent.has(taskQueue)) cli.note(`${error.message}${isSilent ? ', nor any other there' : ''}`);
      if (isSilent) silent.add(taskQueue);
      return [];
    }
  };
  const all = new Map<string, Promise<readonly Requirement[]>>();
  for (const item of items)
    if (!all.has(item.workflowId))
      all.set(
        item.workflowId,
        limit(() => read(item)),
      );
  const detailed = items.map(async (item): Promise<InboxItem> => {
    const asked = (await all.get(item.workflowId))?.find(({ id }) => id === item.id);
    return asked ? { ...item, title: asked.title, detail: asked.detail } : item;
  });
  return Promise.all(detailed);
}

/** Relative times, because they say at once what to do first. Each row has a name, also where there is no room for the id. */
const columnsOf = ({ times }: CommandLine, { details }: InboxOptions): TableColumns<InboxItem> => ({
  due: {
    value: ({ dueAt }) => dueAt && times.due(dueAt),
    keep: true,
    style: ({ overdue }) => (overdue ? 'red' : undefined),
  },
  dba: ({ dba, workflowId }) => dba ?? workflowId,
  'to do': ({ task }) => task,
  ...(details && {
    asked: ({ title = '', detail = '' }) => [title, detail.replace(/\s+/g, ' ')].filter(Boolean).join(': '),
  }),
  waiting: { value: ({ raisedAt }) => raisedAt && times.since(raisedAt), priority: 3 },
  partner: { value: ({ system }) => system, priority: 5 },
  account: { value: ({ partnerAccount }) => partnerAccount, priority: 4 },
  requirement: { value: ({ id }) => id, keep: true },
  id: { value: ({ workflowId }) => workflowId, keep: true, priority: 2 },
});

const FIELDS = [
  ...['workflowId', 'dba', 'system', 'partnerAccount', 'stage', 'id', 'kind', 'raisedAt', 'dueAt'],
  ...['task', 'overdue', 'title', 'detail'],
];
