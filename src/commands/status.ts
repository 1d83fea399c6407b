import type { Command } from 'commander';
import type { OnboardingState, TimelineEntry } from '../messages/onboarding-state.js';
import type { Requirement } from '../messages/requirements.js';
import { findOnboarding, stateOf } from '../temporal/onboardings.js';
import { withTemporal } from './context.js';
import { printJson, printLine, printTable, shortDate } from './output.js';

export function statusCommand(program: Command): void {
  program
    .command('status')
    .summary('show one onboarding')
    .description(
      'Show where an onboarding stands. With --json, prints the answer of query "state" and nothing else.',
    )
    .argument('<id>', 'workflow id or externalId')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      await withTemporal(async ({ client, link }) => {
        const { workflowId, runId } = await findOnboarding(client, id);
        const state = await stateOf(client, workflowId);
        if (json) return printJson(state);
        printState(workflowId, state, link(workflowId, runId));
      });
    });
}

function printState(workflowId: string, state: OnboardingState, url: string | undefined): void {
  const { stage, partnerStatus, merchantProfileId, mid, polls, requirements, timeline } = state;
  const facts = {
    workflow: workflowId,
    stage,
    'partner status': partnerStatus,
    merchant: merchantProfileId,
    mid,
    polls,
  };
  for (const [name, value] of Object.entries({ ...facts, 'web ui': url })) {
    if (value !== undefined && value !== null) printLine(`${name.padEnd(16)}${value}`);
  }
  if (requirements.length > 0) printLine('\nwaiting for a person:');
  for (const requirement of requirements) printLine(describeRequirement(requirement));
  printLine('');
  printTable(['at', 'event', 'detail'], timeline.map(timelineRow));
}

export function describeRequirement({ id, kind, title, detail, dueAt, answers }: Requirement): string {
  const due = `${isOverdue(dueAt) ? 'OVERDUE since' : 'due'} ${shortDate(dueAt)}`;
  const indented = detail.replace(/^/gm, '    ');
  return `  ${id} (${kind}, ${due})\n    ${title}\n${indented}\n    takes: ${answers.join(', ')}`;
}

export function isOverdue(dueAt: string): boolean {
  return Date.parse(dueAt) < Date.now();
}

export function timelineRow({ at, event, detail = '', actor, reason }: TimelineEntry): string[] {
  const who = actor === undefined ? '' : ` (${actor}: ${reason ?? ''})`;
  return [at.slice(0, 19).replace('T', ' '), event, detail + who];
}
