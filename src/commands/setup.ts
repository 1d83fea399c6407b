import type { Command } from 'commander';
import { registerSearchAttributes } from '../temporal/search-attributes.js';
import { withTemporal } from './context.js';
import { printJson, printLine } from './output.js';

export function setupCommand(program: Command): void {
  program
    .command('setup')
    .summary('prepare a Temporal namespace')
    .description('Register the search attributes in the namespace. Safe to run again.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      await withTemporal(async ({ client }) => {
        const registered = await registerSearchAttributes(client);
        if (json) return printJson({ registered });
        const what =
          registered.length > 0 ? `registered ${registered.join(', ')}` : 'everything was there already';
        printLine(`search attributes: ${what}`);
      });
    });
}
