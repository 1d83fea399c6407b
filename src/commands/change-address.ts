import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { externalId } from '../messages/external-id.js';
import { addressChange } from '../partners/banking/requests.js';
import type { CommandLine } from './command-line.js';
import { check, readJson, sourceName } from './input-file.js';
import { type OperationOptions, runOperation, withAgain, withOperationOptions } from './operation.js';

interface ChangeAddressOptions extends OperationOptions {
  readonly id?: string;
}

export function changeAddressCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('change-address')
    .summary('change a postal address')
    .description(
      'Change one’s own postal address, or that of an associated person (see ' +
        'examples/address-change.json). With a secureOperationType and no oneTimeCode the code is asked ' +
        'for: at the terminal if there is one, else as in "gangway inbox".',
    )
    .argument('<file>', 'JSON file, or - for standard input')
    .option(
      '--id <key>',
      'key of this change: the same key attaches to the first one; a new key unless given',
    );
  withOperationOptions(withAgain(command)).action((file: string, options: ChangeAddressOptions) =>
    changeAddress(cli, file, options),
  );
}

async function changeAddress(
  cli: CommandLine,
  file: string,
  { id, ...options }: ChangeAddressOptions,
): Promise<void> {
  const key = check(externalId, id ?? randomUUID(), '--id');
  const input = await readJson(cli, file);
  check(addressChange, withCode(input), sourceName(file));
  await runOperation(
    cli,
    {
      start: { type: 'changeAddress', key, args: [input], summary: 'change an address' },
      once: true,
      done: () => 'the address is changed',
    },
    options,
  );
}

/** What to check in place of a change whose code is to come from a person later. */
function withCode(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('secureOperationType' in input)) return input;
  return { oneTimeCode: '000000', ...input };
}
