import { createInterface } from 'node:readline';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { accountOf } from '../../partners/account-settings.js';
import {
  type Operation,
  type Operations,
  operationName,
  pathParameters,
  unknownFieldsWarning,
} from '../../partners/catalogue.js';
import { fieldProblems } from '../../partners/client.js';
import { catalogue, PARTNERS, SYSTEM_NAMES, type SystemName } from '../../partners/systems.js';
import { milliseconds } from '../cli/arguments.js';
import type { CommandLine } from '../cli/command-line.js';
import { CommandFailed, InvalidInput } from '../cli/errors.js';
import { type PartnerAccountOptions, partnerAccountOf, withPartnerAccount } from '../cli/partner-account.js';
import { tableOf } from '../cli/table.js';
import {
  callByWorker,
  callFromHere,
  callId,
  readRequest,
  responseOf,
  type ShowOptions,
  show,
} from './call-run.js';

/** A rate limit may delay the start of a call, in milliseconds. */
const START_WITHIN_MS = 30_000;

export function callCommand(program: Command, cli: CommandLine): void {
  const call = program
    .command('call')
    .summary('call any operation of a partner')
    .description(
      'Call any operation of any partner system. A worker makes the call, and the Web UI shows it under Standalone ' +
        'Activities. Without arguments, the command lists the systems.',
    );
  listsItsCommands(call, 'system');
  // The catalogue takes long to build, so only this command builds it.
  const fill = () => {
    if (call.commands.length === 0) addCommands(cli, call);
  };
  program.hook('preSubcommand', (_, command) => {
    if (command === call) fill();
  });
  // "gangway help call" does not run that hook.
  call.addHelpText('before', () => {
    fill();
    return '';
  });
}

function addCommands(cli: CommandLine, call: Command): void {
  const operations = catalogue();
  call.commandsGroup('Systems:');
  for (const system of SYSTEM_NAMES) addSystem(cli, call, system, operations[system]);
  call
    .commandsGroup('Earlier calls:')
    .command('response')
    .summary('print the response of an earlier call')
    .description('Wait for a call that a worker makes or has made, and print its response.')
    .argument('<id>', 'id of the call: call-banking-get-ticket-...')
    .option('--output <file>', 'where to save a response that is a file')
    .option('--reveal', 'print private fields as well')
    .option('--json', 'print JSON on one line')
    .action(async (id: string, options: ResponseOptions) =>
      show(cli, await responseOf(cli, id, options.output), options),
    );
}

function addSystem(cli: CommandLine, call: Command, name: SystemName, operations: Operations): void {
  const { title } = PARTNERS[name];
  const system = call
    .command(name)
    .summary(`${title}, ${Object.keys(operations).length} operations`)
    .description(
      `The operations of: ${title}. The contracts do not describe those marked (assumed); see docs/partner-apis.md.`,
    )
    .commandsGroup('Operations:');
  listsItsCommands(system, 'operation');
  for (const [key, operation] of Object.entries(operations)) addOperation(cli, system, name, key, operation);
}

/** Without a subcommand, a command lists its subcommands. */
function listsItsCommands(command: Command, what: string): void {
  command
    .configureHelp({ subcommandTerm: (subcommand) => subcommand.name() })
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

interface ResponseOptions extends ShowOptions {
  readonly output?: string;
}

interface CallOptions extends ResponseOptions, PartnerAccountOptions {
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
  const { summary, provenance, deprecated, irreversible, returns, effect } = operation;
  const name = operationName(key);
  const command = withPartnerAccount(parent.command(name))
    .summary(provenance === 'assumed' ? `${summary} (assumed)` : summary)
    .description(descriptionOf(operation))
    .argument('[request]', 'JSON, @file, or - for standard input', '{}')
    .option('--local', 'make the call from this machine, without Temporal and a worker')
    .addOption(
      new Option('--start-within <duration>', 'how long to wait until a worker starts the call')
        .argParser(milliseconds)
        .default(START_WITHIN_MS, '30s'),
    )
    .option('--reveal', 'print private fields as well')
    .option('--json', 'print JSON on one line')
    .addHelpText('after', () => `\n${fieldsHelp(operation)}`);
  if (deprecated) command.addHelpText('beforeAll', `deprecated: ${deprecated}\n`);
  if (returns === 'stream') command.option('--output <file>', 'where to save the file');
  if (irreversible) command.option('--yes', 'skip the confirmation');
  if (PARTNERS[system].hasEnvironments && effect !== 'read')
    command.option('--production', 'confirm a write to production');
  command.action((request: string, options: CallOptions) =>
    makeCall(cli, system, key, operation, request, options),
  );
}

function descriptionOf({ summary, effect, irreversible, reference }: Operation): string {
  const repeated = {
    read: 'It changes nothing.',
    idempotent: 'It is safe to repeat, and is repeated when the partner sends no clear response.',
    once: 'It is sent once and never repeated automatically.',
  }[effect];
  const final = irreversible ? ' It cannot be undone.' : '';
  return `${summary}${reference ? ` (${reference})` : ''}. ${repeated}${final}`;
}

function fieldsHelp(operation: Operation): string {
  const fields = fieldsOf(operation);
  const more = takesMore(operation) ? '\nOther fields are sent unchanged.' : '';
  if (fields.length === 0) return `The request has no fields.${more}`;
  const rows = fields.map(({ name, isRequired, type, rule }) => [name, isRequired ? 'yes' : '', type, rule]);
  return `${tableOf(['field', 'required', 'type', 'rule'], rows)}${more}`;
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
  // The same operation with the settings of our account at the partner.
  const partnerAccount = partnerAccountOf(config, options, `call ${system} ${name}`, 'nothing was sent');
  const account = accountOf(config, partnerAccount);
  const operation = PARTNERS[system].operations(account)[key] ?? wanted;
  const id = callId(system, name);
  const made = idempotencyKey(system, operation, id);
  const request = await readRequest(cli, operation, given, made && { [made.field]: made.value });
  const { local, production: toProduction = false, output, startWithin } = options;
  const isProduction = account.partners[system]?.environment === 'production';
  if (isProduction && operation.effect !== 'read' && !toProduction) {
    throw new InvalidInput(`${name} writes to production: confirm it with --production`);
  }
  const unknown = unknownFieldsWarning(operation, request.fields);
  if (unknown !== undefined) cli.note(`warning: ${unknown}`);
  if (operation.irreversible && !options.yes) await confirm(cli, name, operation.summary);
  if (made && request.fields[made.field] === made.value) cli.note(howToRepeat(made));
  const call = { id, system, partnerAccount, key, operation, request, toProduction, output, startWithin };
  if (operation.deprecated) cli.note(`${system} ${name} is deprecated: ${operation.deprecated}`);
  const response = await (local ? callFromHere(cli, call) : callByWorker(cli, call));
  const warnings = response.warnings?.filter((warning) => warning !== unknown) ?? [];
  show(cli, { ...response, warnings }, options, local ? undefined : id);
}

interface IdempotencyKey {
  readonly field: string;
  readonly value: string;
}

/** The key by which the partner recognizes a repeated call. A request without one gets one made from the call's id. */
function idempotencyKey(system: SystemName, operation: Operation, id: string): IdempotencyKey | undefined {
  const key = PARTNERS[system].idempotencyKey;
  if (!key || !fieldsOf(operation).some(({ name }) => name === key.field)) return undefined;
  return { field: key.field, value: key.make(id, operation.path) };
}

function howToRepeat({ field, value }: IdempotencyKey): string {
  const given = JSON.stringify({ [field]: value });
  return `the request has no ${field} and gets a new one; to repeat this call, add ${given} to the request`;
}

/**
 * Asks the person at the terminal to confirm an operation that cannot be undone.
 *
 * @throws {CommandFailed} when the person does not confirm, {@link InvalidInput} without a terminal
 */
async function confirm({ terminal, signal }: CommandLine, name: string, summary: string): Promise<void> {
  if (!terminal) throw new InvalidInput(`${name} cannot be undone: confirm it with --yes`);
  const { input, output } = terminal;
  const lines = createInterface({ input, signal, terminal: false });
  try {
    output.write(`${summary}. This cannot be undone. Type ${name} to confirm: `);
    for await (const typed of lines) {
      if (typed.trim() === name) return;
      break;
    }
    signal.throwIfAborted();
    throw new CommandFailed('not confirmed; nothing was sent');
  } finally {
    lines.close();
  }
}

/** A field of a request, for people. */
interface Field {
  /** Dotted where it is nested: `address.city`. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: string;
  /** The rule for a value, in the words of its error message. */
  readonly rule: string;
}

/** The part of a JSON schema that is read here. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: unknown;
}

/** All fields that a request of an operation may have. */
function fieldsOf(operation: Operation): Field[] {
  const schema = z.toJSONSchema(operation.request, { io: 'input', unrepresentable: 'any' }) as Schema;
  return fieldsIn(schema, [], true, operation);
}

/** Whether a request may have fields that the catalogue does not list. */
function takesMore({ request }: Operation): boolean {
  const { additionalProperties } = z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' });
  return additionalProperties !== undefined && additionalProperties !== false;
}

function fieldsIn(schema: Schema, path: readonly string[], isNeeded: boolean, operation: Operation): Field[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, inside]) => {
    const here = [...path, name];
    const isRequired = isNeeded && required.includes(name);
    const isFile = operation.encoding === 'multipart' && inside.properties?.['content'] !== undefined;
    const field = {
      name: here.join('.'),
      isRequired,
      type: isFile ? 'file' : typeOf(inside),
      rule: isFile ? 'the path of a file, after an @' : ruleOf(inside, here, operation),
    };
    return isFile ? [field] : [field, ...fieldsIn(inside, here, isRequired, operation)];
  });
}

function typeOf(schema: Schema): string {
  const { type, anyOf, items, format } = schema;
  if (format === 'int64') return 'int64';
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' | ') || 'any';
  if (type === 'array') return `list of ${items ? typeOf(items) : 'any'}`;
  if (Array.isArray(type)) return type.join(' | ');
  return typeof type === 'string' ? type : 'any';
}

const INT32 = 2 ** 31;

function ruleOf(schema: Schema, path: readonly string[], operation: Operation): string {
  const { enum: values, minimum, maximum, minLength = 0, maxLength } = schema;
  const isBound = (bound: number | undefined): bound is number =>
    bound !== undefined && Math.abs(bound) < INT32 - 1;
  const inside = schema.anyOf?.find(({ type }) => type !== 'null');
  const inner = inside ? ruleOf(inside, path, operation) : '';
  return [
    values && `one of ${values.join(', ')}`,
    isBound(minimum) && `at least ${minimum}`,
    isBound(maximum) && `at most ${maximum}`,
    minLength > 1 && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    schema.pattern !== undefined && patternRule(path, operation),
    inner,
    where(path, operation),
  ]
    .filter(Boolean)
    .join('; ');
}

/** The error message for a value that does not match the pattern. */
function patternRule(path: readonly string[], { request }: Operation): string {
  const wrong = path.reduceRight<unknown>((value, name) => ({ [name]: value }), '?');
  const checked = request.safeParse(wrong);
  const problems = checked.success ? [] : fieldProblems(checked.error);
  const messages = problems.filter(({ field }) => field === path.join('.')).map(({ message }) => message);
  return [...new Set(messages)].join('; ');
}

function where([name = '', ...nested]: readonly string[], operation: Operation): string {
  if (nested.length > 0) return '';
  if (pathParameters(operation).includes(name)) return 'in the path';
  return operation.query?.includes(name) ? 'in the query' : '';
}
