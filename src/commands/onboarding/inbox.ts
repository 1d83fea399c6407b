import { WORKFLOW_ID_PREFIXES } from '../../messages/ids.js';
import type { ListedRequirement } from '../../messages/listed.js';
import { type RequirementKind, TASKS } from '../../messages/requirements.js';
import { count, type Listed, listed, mostUrgent, typesOf, visibilityQuery } from '../../temporal/search.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { shortDate } from '../cli/output.js';
import { isOverdue } from '../cli/requirements.js';
import type { ListFilter } from './filters.js';

interface InboxOptions extends ListFilter {
  readonly kind?: RequirementKind;
  readonly overdue?: true;
  readonly raisedBefore?: Date;
  readonly dueAfter?: Date;
  readonly limit: number;
  readonly json?: true;
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

export async function inbox(cli: CommandLine, options: InboxOptions): Promise<void> {
  const { overdue, raisedBefore, limit, json, ...others } = options;
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
    cli.records(items, { columns: COLUMNS, json, none });
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

const COLUMNS: Readonly<Record<string, (item: InboxItem) => string>> = {
  due: ({ dueAt, overdue }) => shortDate(dueAt) + (overdue ? ' OVERDUE' : ''),
  dba: ({ dba = '' }) => dba,
  'to do': ({ task }) => task,
  partner: ({ system }) => system,
  account: ({ partnerAccount = '' }) => partnerAccount,
  requirement: ({ id = '' }) => id,
  id: ({ workflowId }) => workflowId,
};
