import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import type { Command } from 'commander';
import type { WorkflowType } from '../messages/ids.js';
import { nudge } from '../temporal/nudge.js';
import { partIds } from '../temporal/onboardings.js';
import type { CommandLine } from './command-line.js';
import { withTemporal } from './context.js';
import { CommandFailed } from './errors.js';
import { findById, type IdOptions, withId } from './partner-account.js';

export function nudgeCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('nudge')
    .summary('read the partner’s status now')
    .description(
      'Make an onboarding read its status at the partner now, instead of at its next poll; of a ' +
        'customer, all parts that wait for one.',
    );
  withId(command)
    .option('--json', 'print JSON')
    .action(async (id: string, { json, ...options }: IdOptions) => {
      await withTemporal(cli, async (context) => {
        const found = await findById(context, id, options);
        const nudged = await nudgeAll(context.client, found);
        if (json) cli.json({ workflowId: found.workflowId, nudged });
        if (!nudged) throw new CommandFailed(`${found.workflowId} does not wait for a status now`);
        if (!json) cli.line(`${found.workflowId} reads its status now`);
      });
    });
}

/** It is the children of a customer that read a status. False when none waits for one. */
async function nudgeAll(
  client: Client,
  { workflowId, type }: WorkflowExecutionDescription,
): Promise<boolean> {
  const isCustomer = type === ('customerOnboarding' satisfies WorkflowType);
  const ids = isCustomer ? Object.values(partIds(workflowId)) : [workflowId];
  const nudged = await Promise.all(ids.map((id) => nudgeIfThere(client, id)));
  return nudged.includes(true);
}

async function nudgeIfThere(client: Client, workflowId: string): Promise<boolean> {
  try {
    return await nudge(client, workflowId);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
