import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { WORKFLOW_ID_PREFIXES } from '../messages/ids.js';
import type { Requirement } from '../messages/requirements.js';
import { stateOf } from '../temporal/onboardings.js';
import { UnreadableOnboarding } from '../temporal/unreadable.js';
import type { CommandLine } from './command-line.js';
import { withTemporal } from './context.js';
import { CommandFailed } from './errors.js';
import { typesOf, visibilityQuery } from './list.js';
import { shortDate } from './output.js';
import type { PartnerAccountOptions } from './partner-account.js';
import { isOverdue } from './requirement.js';

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
        if (error.obstacle === 'no-worker' || error.obstacle === 'no-answer')
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
