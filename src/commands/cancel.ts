import { WorkflowNotFoundError } from '@temporalio/client';
import type { Command } from 'commander';
import { findOnboarding } from '../temporal/onboardings.js';
import type { CommandLine } from './command-line.js';
import { withTemporal } from './context.js';
import { CommandFailed } from './errors.js';

export function cancelCommand(program: Command, cli: CommandLine): void {
  program
    .command('cancel')
    .summary('stop an onboarding or operation')
    .description(
      'Stop an onboarding or operation; of a customer, all parts. A write that has begun is seen ' +
        'through. What exists at the partner stays there; the timeline says what that is.',
    )
    .argument('<id>', 'workflow id or externalId')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      await withTemporal(cli, async ({ client }) => {
        const { workflowId, status } = await findOnboarding(client, id);
        const ended = () => new CommandFailed(`${workflowId} has ended already`);
        if (status.name !== 'RUNNING') throw ended();
        await client.workflow
          .getHandle(workflowId)
          .cancel()
          .catch((error: unknown) => {
            throw error instanceof WorkflowNotFoundError ? ended() : error;
          });
        if (json) return cli.json({ workflowId, cancelRequested: true });
        cli.line(`${workflowId} is asked to stop`);
      });
    });
}
