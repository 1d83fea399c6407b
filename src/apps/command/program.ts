import { Command, CommanderError } from 'commander';
import { Deadline } from '../../platform/http/deadline.js';
import { didYouMean } from '../../platform/settings/did-you-mean.js';
import { packageVersion } from '../../services/texts/docs.js';
import { addBatches } from './batch/commands.js';
import type { CommandIo } from './cli/command-line.js';
import {
  DEBUG,
  EXIT,
  formatUnexpected,
  Interrupted,
  stackOf,
  summarizeExitCodes,
  TimedOut,
} from './cli/errors.js';
import { type Action, type Definition, milliseconds } from './cli/options.js';
import { fitText, type Output, Printer, widthOf } from './cli/output.js';
import { addCompletion, addHelp, COMPLETE, commandNames } from './help/commands.js';
import { addAnswers, addClaims, addFollowing, addLinks, addStarts, addViews } from './onboarding/commands.js';
import { addBankOperations, addCalls, addFees, addStatements } from './partner/commands.js';
import { addReports } from './report/commands.js';
import { addBackups, addEvents, addSetup } from './system/commands.js';

export type { CommandIo } from './cli/command-line.js';
export { Interrupted } from './cli/errors.js';
export type { Output } from './cli/output.js';

/** The commands by the headings of the help. */
const COMMANDS: Readonly<Record<string, readonly Definition[]>> = {
  'Onboard:': [addStarts, addBatches, addFees],
  'Follow and answer requirements:': [addViews, addClaims, addAnswers, addLinks, addFollowing, addEvents],
  'Single operations at the bank:': [addBankOperations, addStatements],
  'Any operation of a partner:': [addCalls],
  'Reports and audits:': [addReports],
  'Setup and backup:': [addSetup, addBackups],
  'Help:': [addHelp, addCompletion],
};

/**
 * Runs a command line. It uses only `io` and the working directory, and leaves nothing open, so one process can run
 * many command lines, also concurrently. Some libraries read their own settings from the process: gRPC its proxies, the AWS SDK
 * its profiles, the trace exporter its headers and certificates.
 *
 * @param argv without Node and the script
 * @returns the exit code (cli/errors.ts)
 */
export async function run(argv: readonly string[], io: CommandIo): Promise<number> {
  const { signal } = io;
  const printer = new Printer(io);
  // Listeners on this signal are garbage-collected with it; the caller's signal lives longer.
  const ending = new Deadline({ until: signal });
  try {
    signal.throwIfAborted();
    const program = gangway({ ...io, signal: ending.signal }).hook('preAction', (_, action) => {
      rejectEmptyArguments(action);
      const { timeout } = action.optsWithGlobals<{ timeout?: number }>();
      if (timeout === undefined) return;
      ending.endAfter(timeout, () => {
        printer.note(`stopped after ${timeout / 1_000} s (--timeout); what it started continues`);
        return new TimedOut();
      });
    });
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    return report(printer, ending.signal, error, argv.includes(DEBUG));
  } finally {
    ending.release();
  }
}

/** The width of help in a file or a pipe (commander's default). */
const HELP_WIDTH = 80;

/** The whole command line, which {@link run} parses and runs. @internal */
export function gangway(io: CommandIo): Command {
  const { stdout, stderr } = io;
  // Commander uses its default width for undefined, although its type excludes undefined.
  const helpWidth = (stream: Output) => widthOf(stream, io.env) as number;
  const program = new Command('gangway')
    .description(
      'Onboard merchants and businesses at payment and banking partners, and answer the partners’ requirements.',
    )
    .version(packageVersion())
    .option(
      '--timeout <duration>',
      'end the command after this time; what it started continues',
      milliseconds,
    )
    .option(DEBUG, 'print the stack of an error')
    .addHelpText('after', ({ error }) => {
      const codes = `\n${summarizeExitCodes()} See "gangway help exit-codes".`;
      return fitText(codes, widthOf(error ? stderr : stdout, io.env) ?? HELP_WIDTH);
    })
    .exitOverride()
    // The names of commands take half of 80 columns.
    .configureHelp({ minWidthToWrap: 30 })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => write(new Printer(io).fittedProse(withSuggestion(text, program))),
      getOutHelpWidth: () => helpWidth(stdout),
      getErrHelpWidth: () => helpWidth(stderr),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, actIn(io), io);
  }
  return program;
}

/**
 * Commander suggests similar commands and options, and of the allowed values of an option it names all. Its `error: ` is left out,
 * because no other message has it.
 */
function withSuggestion(text: string, program: Command): string {
  const [, word = '', choices = ''] =
    /argument '([^']*)' is invalid\. Allowed choices are ([^.]*)\.$/m.exec(text) ?? [];
  const suggestion = didYouMean(word, choices.split(', ')).replace(/^; d/, ' D');
  const isUnknown = /unknown command '[^']*'\n$/.test(text);
  const isUsage = /^error: (missing required argument|unknown option|too many arguments)/.test(text);
  const help = isUsage ? `\nsee "gangway ${['help', ...typedPath(program)].join(' ')}"` : '';
  const next = isUnknown
    ? `; ${text.includes("'answer'") ? 'did you mean resolve?' : `the commands are ${commandNames(program.commands).join(', ')}`}`
    : suggestion + help;
  return text.replace(/^error: /, '').replace(/\n$/, `${next}\n`);
}

/** The names of the typed command: `['statement', 'now']`. */
function typedPath(program: Command, [name, ...words] = program.args, command = program): string[] {
  const next = command.commands.find((each) => each.name() === name);
  return next ? [next.name(), ...typedPath(program, words, next)] : [];
}

/** The commands that handle an empty argument themselves: an unfinished line, or a name that `--clear` removes. */
const TAKE_EMPTY: readonly string[] = [COMPLETE, 'card-nickname'];

/** Rejects an empty ID, such as an unset variable of a script, because it would match any onboarding. */
function rejectEmptyArguments(action: Command): void {
  const at = action.args.findIndex((argument) => argument.trim() === '');
  if (at < 0 || TAKE_EMPTY.includes(action.name())) return;
  const { registeredArguments: declarations } = action;
  action.error(`error: argument '${(declarations[at] ?? declarations.at(-1))?.name()}' is empty`);
}

/** Loads an action when its command runs, with everything that actions share. */
function actIn(io: CommandIo): Action {
  return (load) =>
    async (...args) => {
      const [{ perform }, action] = await Promise.all([import('./cli/command-line.js'), load()]);
      await perform(io, args.at(-1) as Command, (cli) => action(cli, ...args));
    };
}

/** Explains an error on standard error. @returns the exit code */
async function report(printer: Printer, { aborted, reason }: AbortSignal, error: unknown, debug: boolean) {
  if (error instanceof Interrupted) return error.exitCode;
  // An interruption cancels calls, so it causes all of their errors.
  if (aborted) return reason instanceof Interrupted ? reason.exitCode : EXIT.failed;
  // Commander has printed the error. A request for help or the version is not an error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const { exitCodeOf, explainError } = await import('./cli/failures.js');
  printer.note(explainError(error) ?? formatUnexpected(error));
  if (debug) printer.note(stackOf(error));
  return exitCodeOf(error);
}
