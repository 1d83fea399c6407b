import type { Command } from 'commander';
import { registerSearchAttributes } from '../temporal/search-attributes.js';
import type { CommandLine } from './command-line.js';
import { withTemporal } from './context.js';

export function setupCommand(program: Command, cli: CommandLine): void {
  program
    .command('setup')
    .summary('prepare a Temporal namespace')
    .description('Register the search attributes in the namespace. Safe to run again.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      await withTemporal(cli, async ({ client }) => {
        const registered = await registerSearchAttributes(client);
        if (json) return cli.json({ registered });
        const what =
          registered.length > 0 ? `registered ${registered.join(', ')}` : 'everything was there already';
        cli.line(`search attributes: ${what}`);
      });
    });
}
