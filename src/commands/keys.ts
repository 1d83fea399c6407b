import type { Command } from 'commander';
import { generatePayloadKey } from '../temporal/payload-keys.js';
import type { CommandLine } from './command-line.js';

export function keysCommand(program: Command, cli: CommandLine): void {
  program
    .command('keys')
    .summary('make keys that encrypt payloads')
    .description('Make keys for PAYLOAD_KEYS (see docs/security.md).')
    .command('new')
    .summary('print a new key')
    .description('Print a new random key as id:base64. Nothing keeps it: put it where your secrets are.')
    .action(() => cli.line(generatePayloadKey()));
}
