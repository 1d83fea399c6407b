import { WorkflowNotFoundError } from '@temporalio/client';
import type { Command } from 'commander';
import type { CommandLine } from './command-line.js';
import { withTemporal } from './context.js';
import { CommandFailed } from './errors.js';
import { findById, type IdOptions, withId } from './partner-account.js';

export function cancelCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('cancel')
    .summary('stop an onboarding or operation')
    .description(
      'Stop an onboarding or operation; of a customer, all parts. A write that has begun is seen ' +
        'through. What exists at the partner stays there; the timeline says what that is.',
    );
  withId(command)
    .option('--json', 'print JSON')
    .action(async (id: string, { json, ...options }: IdOptions) => {
      await withTemporal(cli, async (context) => {
        const { client } = context;
        const { workflowId, status } = await findById(context, id, options);
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
