import { type Command, InvalidArgumentError, Option } from 'commander';
import { SYSTEM_NAMES, type SystemName } from '../../../partners/system-names.js';
import { didYouMean } from '../../../platform/settings/did-you-mean.js';
import { duration } from '../../../platform/settings/settings.js';
import { PAST_TIME_RULE, timeBefore } from '../../../services/texts/time.js';
import type { CommandIo, CommandLine } from './command-line.js';

/** Options and arguments of several commands, and the parsers of their values. */

export type Flags<Names extends string> = { readonly [Name in Names]?: true | undefined };

/** A command's options whose values are used as typed. */
export type Texts<Names extends string> = { readonly [Name in Names]?: string };

/** Returns a parser of an option's value, for commander. @param rule the rest of a sentence that begins with "It" */
export function optionParser<Result>(read: (value: string) => Result | undefined, rule: string) {
  return (value: string): Result => {
    const result = read(value);
    if (result === undefined) throw new InvalidArgumentError(`It ${rule}.`);
    return result;
  };
}

const numberWhere = (isRight: (number: number) => boolean) => (value: string) =>
  isRight(Number(value)) ? Number(value) : undefined;

export const positiveInteger = optionParser(
  numberWhere((number) => Number.isInteger(number) && number >= 1),
  'must be a positive integer',
);

/** The maximum number of records in a list. 0 is all of them. */
export const limit = optionParser(
  (value) => (/^\d+$/.test(value) ? Number(value) || Number.MAX_SAFE_INTEGER : undefined),
  'must be a number, or 0 for all',
);

/** A rate per second. The lower limit keeps the interval below a timer's maximum. */
export const perSecond = optionParser(
  numberWhere((number) => number >= 0.001 && number <= 1_000),
  'must be a number from 0.001 to 1000',
);

export const milliseconds = optionParser(
  (value) => duration.safeParse(value).data,
  'must be a duration such as 30s, 2m or 1h',
);

/** A time in the past: `today`, `yesterday`, `12h`, `2026-01-31` or an ISO 8601 time. */
export const pastTime = optionParser(timeBefore, PAST_TIME_RULE);

/** Adds `--json` and `--csv`, the options of {@link Printer.records}. */
export function withRecordFormats(command: Command): Command {
  return command.option('--json', 'print JSON lines').addOption(csvOption());
}

export function csvOption(): Option {
  return new Option('--csv', 'print CSV with the fields of --json').conflicts('json');
}

/** Adds the option for the partner account, for commands whose input does not name it. `--account` means financial accounts. */
export function withPartnerAccount(command: Command): Command {
  return command.option(
    '--partner-account <name>',
    'use this account of GANGWAY_ACCOUNTS at the partners (default: the unnamed one)',
  );
}

export function withId(command: Command): Command {
  return withPartnerAccount(withIdArgument(command));
}

export function withIdArgument(command: Command): Command {
  return command.argument('<id>', 'externalId, externalId@account, mid, merchant id, dba or workflow id');
}

export function withYes(command: Command): Command {
  return command.option('--yes', 'skip the confirmation; required without a terminal');
}

/** Makes a command list its subcommands if none is typed. @param what the noun for them, for people */
export function listsItsCommands(command: Command, what: string): void {
  command
    .configureHelp({ subcommandTerm: (subcommand) => subcommand.name() })
    .helpCommand(false)
    .allowExcessArguments()
    .action(() => {
      const [unknown] = command.args;
      if (unknown === undefined) command.help();
      const names = command.commands.map((commands) => commands.name());
      const next = didYouMean(unknown, names) || `; "gangway ${pathOf(command)}" lists them`;
      command.error(`error: unknown ${what} '${unknown}'${next}`);
    });
}

function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

export function withStrict(command: Command): Command {
  return command.option('--strict', 'treat warnings about the input as errors');
}

/**
 * Adds commands to the program: names, arguments, options and texts. Their actions are in other modules, which `action` loads when a
 * command runs, because help and shell completion must not wait for the SDK of Temporal.
 */
export type Definition = (program: Command, action: Action, io: CommandIo) => void;

/** Makes the action of a command from a function of another module: `act(async () => (await import('./list.js')).list)`. */
export type Action = <Given extends unknown[]>(
  load: () => Promise<(cli: CommandLine, ...args: Given) => unknown>,
) => (...args: Given) => Promise<void>;

export type ListFilter = Texts<'partnerAccount' | 'dba' | 'agent'> & { readonly system?: SystemName };

export function withWords(command: Command): Command {
  return command.argument(
    '[words...]',
    'find: parts of the name in any order, or the beginning of a mid, merchant id, externalId or workflow id',
  );
}

export function withListFilter(command: Command): Command {
  return command
    .option('--dba <name>', 'only this dba')
    .addOption(new Option('--system <name>', 'only at this partner').choices(SYSTEM_NAMES))
    .option('--partner-account <name>', 'only this account at the partners')
    .option('--agent <agentProfileId>', 'only this agent profile');
}
