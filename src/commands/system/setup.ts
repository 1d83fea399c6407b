import type { Command } from 'commander';
import { generatePayloadKey } from '../../temporal/payload-codec.js';
import { registerSearchAttributes } from '../../temporal/search-attributes.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';

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
          registered.length > 0 ? `registered ${registered.join(', ')}` : 'all are registered already';
        cli.line(`search attributes: ${what}`);
      });
    });
}

export function keysCommand(program: Command, cli: CommandLine): void {
  program
    .command('keys')
    .summary('generate keys that encrypt payloads')
    .description('Generate keys for PAYLOAD_KEYS (see docs/security.md).')
    .command('new')
    .summary('print a new key')
    .description('Print a new random key as id:base64. Gangway does not store it: keep it with your secrets.')
    .action(() => cli.line(generatePayloadKey()));
}
