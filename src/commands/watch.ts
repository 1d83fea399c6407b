import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { findOnboarding, stateOf } from '../temporal/onboardings.js';
import { withTemporal } from './context.js';
import { CommandFailed } from './errors.js';
import { printJson, printLine } from './output.js';
import { describeRequirement, timelineRow } from './status.js';

/** How often to look, in milliseconds. */
const GLANCE_MS = 1_000;

export function watchCommand(program: Command): void {
  program
    .command('watch')
    .summary('show the timeline live')
    .description('Show the timeline of an onboarding as it grows, until it has ended or you press Ctrl-C.')
    .argument('<id>', 'workflow id or externalId')
    .option('--json', 'print JSON lines')
    .action(async (id: string, { json }: { json?: true }) => {
      await withTemporal(async ({ client }) => {
        const { workflowId } = await findOnboarding(client, id);
        const asked = new Set<string>();
        for (let shown = 0; ; await sleep(GLANCE_MS)) {
          // Described before it is queried: what it did last is then in the state.
          const { status } = await client.workflow.getHandle(workflowId).describe();
          const { timeline, requirements } = await stateOf(client, workflowId);
          for (const entry of timeline.slice(shown))
            json ? printJson(entry) : printLine(timelineRow(entry).join('  '));
          shown = timeline.length;
          for (const requirement of requirements) {
            if (!json && !asked.has(requirement.id)) printLine(describeRequirement(requirement));
            asked.add(requirement.id);
          }
          if (status.name === 'COMPLETED') return;
          if (status.name !== 'RUNNING')
            throw new CommandFailed(`${workflowId} is ${status.name.toLowerCase()}`);
        }
      });
    });
}
