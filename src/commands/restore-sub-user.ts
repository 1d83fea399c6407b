import type { Command } from 'commander';
import { z } from 'zod';
import { numericId } from './arguments.js';
import type { CommandLine } from './command-line.js';
import { check } from './input-file.js';
import { type OperationOptions, runOperation, withOperationOptions } from './operation.js';

const restoring = z.object({ id: numericId });

export function restoreSubUserCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('restore-sub-user')
    .summary('restore a removed or deactivated sub-user')
    .description('Restore a removed or deactivated authorized sub-user. For administrators at the partner.')
    .argument('<id>', 'id of the sub-user');
  withOperationOptions(command).action((id: string, options: OperationOptions) =>
    restoreSubUser(cli, id, options),
  );
}

async function restoreSubUser(cli: CommandLine, given: string, options: OperationOptions): Promise<void> {
  const { id: subUserId } = check(restoring, { id: given }, 'restore-sub-user');
  await runOperation<{ readonly subUserId: number; readonly note?: string }>(
    cli,
    {
      start: {
        type: 'restoreSubUser',
        key: String(subUserId),
        args: [{ subUserId }],
        summary: `restore sub-user ${subUserId}`,
      },
      done: ({ note }) => `sub-user ${subUserId} is restored${note ? ` (${note})` : ''}`,
    },
    options,
  );
}
