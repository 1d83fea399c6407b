import { type Command, Option } from 'commander';
import { accountOf } from '../config.js';
import {
  type Operation,
  type Operations,
  operationName,
  unknownFieldsWarning,
} from '../partners/catalogue.js';
import { eventIdOf } from '../partners/payments/event-id.js';
import { catalogue, SYSTEMS, type SystemName } from '../partners/systems.js';
import { milliseconds } from './arguments.js';
import { confirm } from './call/confirm.js';
import { fieldsOf, takesMore } from './call/fields.js';
import { readRequest } from './call/request.js';
import { answerOf, callByWorker, callFromHere, callId } from './call/run.js';
import { type ShowOptions, show } from './call/show.js';
import type { CommandLine } from './command-line.js';
import { InvalidInput } from './errors.js';
import { tableOf } from './output.js';
import { type PartnerAccountOptions, partnerAccountOf, withPartnerAccount } from './partner-account.js';

/** A limit of calls in a second may keep a call waiting, in milliseconds. */
const START_WITHIN_MS = 30_000;

export function callCommand(program: Command, cli: CommandLine): void {
  const call = program
    .command('call')
    .summary('call any operation of a partner')
    .description(
      'Call any operation of any partner system. A worker makes the call, and the Web UI shows it under Standalone ' +
        'Activities. Without more, the systems are listed.',
    );
  listsItsCommands(call, 'system');
  // The catalogue takes its time to build, which only who calls should wait for.
  const fill = () => {
    if (call.commands.length === 0) addCommands(cli, call);
  };
  program.hook('preSubcommand', (_, command) => {
    if (command === call) fill();
  });
  // "gangway help call" does not come by there.
  call.addHelpText('before', () => {
    fill();
    return '';
  });
}

function addCommands(cli: CommandLine, call: Command): void {
  const operations = catalogue();
  call.commandsGroup('Systems:');
  for (const [system, title] of Object.entries(SYSTEMS) as [SystemName, string][]) {
    addSystem(cli, call, system, title, operations[system]);
  }
  call
    .commandsGroup('And:')
    .command('answer')
    .summary('the answer to a call that was made before')
    .description('Wait for a call that a worker makes, or has made, and print its answer.')
    .argument('<id>', 'id of the call: call-banking-get-ticket-...')
    .option('--output <file>', 'where a file goes that is the answer')
    .option('--reveal', 'print private members as well')
    .option('--json', 'print JSON on one line')
    .action(async (id: string, options: AnswerOptions) =>
      show(cli, await answerOf(cli, id, options.output), options),
    );
}

function addSystem(
  cli: CommandLine,
  call: Command,
  name: SystemName,
  title: string,
  operations: Operations,
): void {
  const system = call
    .command(name)
    .summary(`${title}, ${Object.keys(operations).length} operations`)
    .description(
      `The operations of: ${title}. What is marked (assumed) is printed in no contract, see docs/partner-apis.md.`,
    )
    .commandsGroup('Operations:');
  listsItsCommands(system, 'operation');
  for (const [key, operation] of Object.entries(operations)) addOperation(cli, system, name, key, operation);
}

/** Without a command below it, a command shows which there are. */
function listsItsCommands(command: Command, what: string): void {
  command
    .configureHelp({ subcommandTerm: (below) => below.name() })
    .helpCommand(false)
    .allowExcessArguments()
    .action(() => {
      const [unknown] = command.args;
      if (unknown === undefined) command.help();
      command.error(`error: unknown ${what} '${unknown}'; "gangway ${pathOf(command)}" lists them`);
    });
}

function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

interface AnswerOptions extends ShowOptions {
  readonly output?: string;
}

interface CallOptions extends AnswerOptions, PartnerAccountOptions {
  readonly local?: true;
  readonly production?: true;
  readonly yes?: true;
  readonly startWithin: number;
}

function addOperation(
  cli: CommandLine,
  parent: Command,
  system: SystemName,
  key: string,
  operation: Operation,
): void {
  const { summary, provenance, deprecated, irreversible, answer, effect } = operation;
  const name = operationName(key);
  const command = withPartnerAccount(parent.command(name))
    .summary(provenance === 'assumed' ? `${summary} (assumed)` : summary)
    .description(descriptionOf(operation))
    .argument('[request]', 'JSON, @file, or - for standard input', '{}')
    .option('--local', 'call from here, without Temporal and a worker')
    .addOption(
      new Option('--start-within <duration>', 'give up unless a worker starts it by then')
        .argParser(milliseconds)
        .default(START_WITHIN_MS, '30s'),
    )
    .option('--reveal', 'print private members as well')
    .option('--json', 'print JSON on one line')
    .addHelpText('after', () => `\n${fieldsHelp(operation)}`);
  if (deprecated) command.addHelpText('beforeAll', `deprecated: ${deprecated}\n`);
  if (answer === 'stream') command.option('--output <file>', 'where the file goes');
  if (irreversible) command.option('--yes', 'do it without asking');
  if (system === 'payments' && effect !== 'read') command.option('--production', 'yes, in production');
  command.action((request: string, options: CallOptions) =>
    makeCall(cli, system, key, operation, request, options),
  );
}

function descriptionOf({ summary, effect, irreversible, reference }: Operation): string {
  const repeated = {
    read: 'It changes nothing.',
    idempotent: 'It may be repeated, and is when the partner gives no clear answer.',
    once: 'It is sent once, and never repeated by itself.',
  }[effect];
  const final = irreversible ? ' It cannot be undone.' : '';
  return `${summary}${reference ? ` (${reference})` : ''}. ${repeated}${final}`;
}

function fieldsHelp(operation: Operation): string {
  const fields = fieldsOf(operation);
  const more = takesMore(operation) ? '\nFurther members travel as they are.' : '';
  if (fields.length === 0) return `It takes no members.${more}`;
  const rows = fields.map(({ name, isRequired, type, rule }) => [name, isRequired ? 'yes' : '', type, rule]);
  return `${tableOf(['member', 'needed', 'type', 'rule'], rows)}${more}`;
}

async function makeCall(
  cli: CommandLine,
  system: SystemName,
  key: string,
  wanted: Operation,
  given: string,
  options: CallOptions,
): Promise<void> {
  const name = operationName(key);
  const config = cli.config();
  // The same operation in the words of our own account at the partner.
  const partnerAccount = partnerAccountOf(config, options, `call ${system} ${name}`, 'nothing was sent');
  const account = accountOf(config, partnerAccount);
  const wording = { posNames: account.posNames, pathSegment: account.banking?.pathSegment };
  const operation = catalogue(wording)[system][key] ?? wanted;
  const id = callId(system, name);
  const made = idempotencyKey(operation, id);
  const request = await readRequest(cli, operation, given, made);
  const { local, production: toProduction = false, output, startWithin } = options;
  const isProduction = system === 'payments' && account.payments?.environment === 'production';
  if (isProduction && operation.effect !== 'read' && !toProduction) {
    throw new InvalidInput(`${name} writes to production: say so with --production`);
  }
  const unknown = unknownFieldsWarning(operation, request.members);
  if (unknown !== undefined) cli.note(`warning: ${unknown}`);
  if (operation.irreversible && !options.yes) await confirm(cli, name, operation.summary);
  if (made && request.members['event_id'] === made.event_id) cli.note(howToRepeat(made));
  const call = { id, system, partnerAccount, key, operation, request, toProduction, output, startWithin };
  if (operation.deprecated) cli.note(`${system} ${name} is deprecated: ${operation.deprecated}`);
  const answered = await (local ? callFromHere(cli, call) : callByWorker(cli, call));
  const warnings = answered.warnings?.filter((warning) => warning !== unknown) ?? [];
  show(cli, { ...answered, warnings }, options, local ? undefined : id);
}

interface IdempotencyKey extends Record<string, unknown> {
  readonly event_id: string;
}

/** The payments platform recognizes a repeated call by its `event_id`. One that a person leaves out is made from the call's id. */
function idempotencyKey(operation: Operation, id: string): IdempotencyKey | undefined {
  const hasKey = fieldsOf(operation).some(({ name }) => name === 'event_id');
  return hasKey ? { event_id: eventIdOf(id, operation.path) } : undefined;
}

function howToRepeat(key: IdempotencyKey): string {
  return `the request has no event_id and gets a new one; to repeat this same call, add ${JSON.stringify(key)} to it`;
}
