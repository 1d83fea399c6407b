import { type Command, Option } from 'commander';
import { WORKFLOW_ID_PREFIXES } from '../../messages/ids.js';
import type { ListedRequirement } from '../../messages/listed.js';
import { REQUIREMENT_KINDS, type RequirementKind, TASKS } from '../../messages/requirements.js';
import { count, type Listed, listed, mostUrgent, typesOf, visibilityQuery } from '../../temporal/search.js';
import { rowLimit, withRecordFormats } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import type { RecordFormat, TableColumns } from '../cli/output.js';
import { isOverdue } from '../cli/requirements.js';
import { type ListFilter, pastTime, withListFilter } from './filters.js';

interface InboxOptions extends ListFilter, RecordFormat {
  readonly kind?: RequirementKind;
  readonly overdue?: true;
  readonly raisedBefore?: Date;
  readonly dueAfter?: Date;
  readonly limit: number;
}

export function inboxCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('inbox')
    .summary('list the open requirements')
    .description(
      'List the open requirements of all onboardings, operations and partner accounts, the first due first. This needs no ' +
        'worker. "gangway status" shows what exactly is asked, and "gangway resolve" answers it.',
    );
  withRecordFormats(withListFilter(command))
    .addOption(new Option('--kind <kind>', 'only requirements of this kind').choices(REQUIREMENT_KINDS))
    .option('--overdue', 'only overdue requirements')
    .option(
      '--raised-before <time>',
      'only those that were raised before: 2d, yesterday, 2026-01-31',
      pastTime,
    )
    .option('--due-after <time>', 'only onboardings whose first requirement is due after this time', pastTime)
    .option('--limit <n>', 'maximum number of onboardings, the most urgent ones; 0 for all', rowLimit, 1_000)
    .action((options: InboxOptions) => inbox(cli, options));
}

/** An open requirement, and what it belongs to. */
interface InboxItem
  extends Partial<ListedRequirement>,
    Pick<Listed, 'workflowId' | 'dba' | 'system' | 'partnerAccount' | 'stage'> {
  /** What a person has to do. */
  readonly task: string;
  readonly overdue: boolean;
}

/** Without customers: their requirements are those of their parts, and would show twice. */
const { customerOnboarding: _, ...WITH_OWN_REQUIREMENTS } = WORKFLOW_ID_PREFIXES;

async function inbox(cli: CommandLine, options: InboxOptions): Promise<void> {
  const { overdue, raisedBefore, limit, json, csv, ...others } = options;
  const everything = { ...others, types: typesOf(WITH_OWN_REQUIREMENTS), actionRequired: true };
  await withTemporal(cli, async ({ client }) => {
    const wanted = { ...everything, ...(overdue && { dueUntil: new Date() }) };
    const page = limit === Number.POSITIVE_INFINITY ? wanted : await mostUrgent(client, wanted, limit);
    const found = await Array.fromAsync(listed(client, visibilityQuery(page)));
    const isWanted = ({ kind, raisedAt, overdue: isLate }: InboxItem) =>
      (options.kind === undefined || kind === options.kind) &&
      (!overdue || isLate) &&
      (!raisedBefore || (raisedAt !== undefined && raisedAt < raisedBefore.toISOString()));
    const items = found.flatMap(itemsOf).filter(isWanted).sort(byDue);
    const waiting = () => count(client, visibilityQuery(everything));
    const none = items.length > 0 ? '' : await nothing(options, waiting);
    cli.records(items, { columns: columnsOf(cli), json, csv, fields: FIELDS, none });
    if (page.dueUntil && page !== wanted) {
      const next = `the next: gangway inbox --due-after ${page.dueUntil.toISOString()}`;
      cli.note(`${found.length} of ${await waiting()} onboardings, the most urgent; ${next}; all: --limit 0`);
    }
  });
}

function itemsOf({ workflowId, dba, system, partnerAccount, stage, ...listed }: Listed): InboxItem[] {
  const of = { workflowId, dba, system, partnerAccount, stage };
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
  return `nothing is ${what}; ${total} ${total === 1 ? 'onboarding waits' : 'onboardings wait'} for a person`;
}

/** Relative times, because they say at once what to do first. Each row has a name, also where there is no room for the id. */
const columnsOf = ({ times }: CommandLine): TableColumns<InboxItem> => ({
  due: {
    value: ({ dueAt }) => dueAt && times.due(dueAt),
    keep: true,
    style: ({ overdue }) => (overdue ? 'red' : undefined),
  },
  dba: ({ dba, workflowId }) => dba ?? workflowId,
  'to do': ({ task }) => task,
  waiting: { value: ({ raisedAt }) => raisedAt && times.since(raisedAt), priority: 3 },
  partner: { value: ({ system }) => system, priority: 5 },
  account: { value: ({ partnerAccount }) => partnerAccount, priority: 4 },
  requirement: { value: ({ id }) => id, keep: true },
  id: { value: ({ workflowId }) => workflowId, keep: true, priority: 2 },
});

const FIELDS = [
  ...['workflowId', 'dba', 'system', 'partnerAccount', 'stage', 'id', 'kind', 'raisedAt', 'dueAt'],
  ...['task', 'overdue'],
];
