import type { Command } from 'commander';
import type { Requirement } from '../messages/requirements.js';
import { stateOf } from '../temporal/onboardings.js';
import { withTemporal } from './context.js';
import { visibilityQuery } from './list.js';
import { printJson, printLine, printTable, shortDate } from './output.js';
import { isOverdue } from './status.js';

interface InboxItem extends Requirement {
  readonly workflowId: string;
  readonly overdue: boolean;
}

export function inboxCommand(program: Command): void {
  program
    .command('inbox')
    .summary('everything that waits for a person')
    .description(
      'List every open requirement of every onboarding, the most urgent first. Answer with "gangway resolve".',
    )
    .option('--agent <agentProfileId>', 'only merchants of this agent profile')
    .option('--overdue', 'only what is past its due date')
    .option('--json', 'print JSON lines')
    .action(async (options: { agent?: string; overdue?: true; json?: true }) => {
      const items = await collect(options.agent);
      const shown = items.filter(({ overdue }) => overdue || !options.overdue);
      if (options.json) return shown.forEach(printJson);
      if (shown.length === 0) return printLine('nothing waits for a person');
      printTable(['workflow', 'requirement', 'kind', 'due', 'title', 'detail'], shown.map(row));
    });
}

async function collect(agent?: string): Promise<InboxItem[]> {
  return withTemporal(async ({ client }) => {
    const items: InboxItem[] = [];
    const query = visibilityQuery({ actionRequired: true, ...(agent && { agent }) });
    for await (const { workflowId } of client.workflow.list({ query })) {
      const { requirements } = await stateOf(client, workflowId);
      items.push(...requirements.map((each) => ({ workflowId, ...each, overdue: isOverdue(each.dueAt) })));
    }
    return items.sort((a, b) => a.dueAt.localeCompare(b.dueAt));
  });
}

function row({ workflowId, id, kind, dueAt, overdue, title, detail }: InboxItem): string[] {
  const short = detail.replace(/\s+/g, ' ');
  const cut = short.length > 60 ? `${short.slice(0, 59)}…` : short;
  return [workflowId, id, kind, shortDate(dueAt) + (overdue ? ' OVERDUE' : ''), title, cut];
}
