import type { Command } from 'commander';
import { nudge } from '../temporal/nudge.js';
import { findOnboarding } from '../temporal/onboardings.js';
import { withTemporal } from './context.js';
import { CommandFailed } from './errors.js';
import { printJson, printLine } from './output.js';

export function nudgeCommand(program: Command): void {
  program
    .command('nudge')
    .summary('read the partner’s status now')
    .description('Make an onboarding read its status at the partner now, instead of at its next poll.')
    .argument('<id>', 'workflow id or externalId')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      await withTemporal(async ({ client }) => {
        const { workflowId } = await findOnboarding(client, id);
        const nudged = await nudge(client, workflowId);
        if (json) printJson({ workflowId, nudged });
        if (!nudged) throw new CommandFailed(`${workflowId} does not wait for a status now`);
        if (!json) printLine(`${workflowId} reads its status now`);
      });
    });
}
