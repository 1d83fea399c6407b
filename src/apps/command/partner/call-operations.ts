import { type Command, Option } from 'commander';
import { type Operation, type Operations, operationName } from '../../../partners/catalogue.js';
import { catalogue, PARTNERS, SYSTEM_NAMES, type SystemName } from '../../../partners/descriptors.js';
import {
  type Action,
  csvOption,
  listsItsCommands,
  milliseconds,
  withPartnerAccount,
  withYes,
} from '../cli/options.js';
import { fieldsHelp } from './call-fields.js';

/** The maximum delay of a call by a rate limit, in milliseconds. */
const START_WITHIN_MS = 30_000;

export function addOperations(call: Command, action: Action): void {
  const operations = catalogue();
  call.commandsGroup('Systems:');
  for (const system of SYSTEM_NAMES) addSystem(action, call, system, operations[system]);
  call
    .commandsGroup('Earlier calls:')
    .command('response')
    .summary('print the response of an earlier call')
    .description('Wait for a call that a worker makes or has made, and print its response.')
    .argument('<call>', 'id of the call: call-banking-get-ticket-...')
    .option('--output <file>', 'where to save a response that is a file')
    .option('--reveal', 'also print private fields')
    .option('--json', 'print JSON on one line')
    .action(action(async () => (await import('./call-run.js')).showResponse));
}

function addSystem(action: Action, call: Command, name: SystemName, operations: Operations): void {
  const { title } = PARTNERS[name];
  const { length } = Object.keys(operations);
  const system = call
    .command(name)
    .summary(`${title}, ${length} ${length === 1 ? 'operation' : 'operations'}`)
    .description(
      `Operations of: ${title}. The contract does not show the shapes of those marked (assumed); see docs/partner-apis.md.`,
    )
    .commandsGroup('Operations:');
  listsItsCommands(system, 'operation');
  for (const [key, operation] of Object.entries(operations))
    addOperation(action, system, name, key, operation);
}

function addOperation(
  action: Action,
  parent: Command,
  system: SystemName,
  key: string,
  operation: Operation,
) {
  const { summary, provenance = 'assumed', deprecated, irreversible, returns, effect } = operation;
  const name = operationName(key);
  const command = withPartnerAccount(parent.command(name))
    .summary(provenance === 'assumed' ? `${summary} (assumed)` : summary)
    .description(descriptionOf(operation))
    .argument('[request]', 'JSON, @file, or - for standard input', '{}')
    .option('--local', 'make the call from this machine, with its settings, without a worker')
    .option('--record <folder>', 'with --local, record the exchanges as HAR files without private values')
    .addOption(
      new Option('--start-within <duration>', 'how long to wait for a worker to start the call')
        .argParser(milliseconds)
        .default(START_WITHIN_MS, '30s'),
    )
    .option('--reveal', 'also print private fields')
    .option('--json', 'print JSON on one line')
    .addHelpText('after', () => `\n${fieldsHelp(operation)}`);
  if (deprecated) command.addHelpText('beforeAll', `deprecated: ${deprecated}\n`);
  if (returns === 'stream') command.option('--output <file>', 'where to save the file');
  else
    command
      .addOption(new Option('--table', 'print the records of the response as a table').conflicts('json'))
      .addOption(csvOption().conflicts('table'))
      .option('--list <field>', 'with --table or --csv, print this list in the response');
  if (irreversible) withYes(command);
  if (PARTNERS[system].hasEnvironments && effect !== 'read')
    command.option('--production', 'confirm a write to production');
  command.action(action(async () => (await import('./call-run.js')).callOf(system, key, operation)));
}

function descriptionOf({ summary, effect, irreversible, reference }: Operation): string {
  const repeated = {
    read: 'It changes nothing.',
    idempotent: 'It is safe to repeat, so Gangway retries it if the response is unclear.',
    once: 'It is sent once and never retried automatically.',
  }[effect];
  const final = irreversible ? ' It cannot be undone.' : '';
  const caller = 'A worker makes the call, with its own settings and credentials.';
  return `${summary}${reference ? ` (${reference})` : ''}. ${repeated}${final} ${caller}`;
}
