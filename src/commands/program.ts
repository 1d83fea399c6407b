import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { Deadline } from '../http/deadline.js';
import { masked } from '../privacy/masked.js';
import { BadSetting } from '../settings/settings.js';
import { inSpan, startTracing } from '../tracing/spans.js';
import { adoptCommand } from './batch/adopt.js';
import { batchCommand } from './batch/batch.js';
import { milliseconds } from './cli/arguments.js';
import { CommandLine, type Surroundings } from './cli/command-line.js';
import { explain, Interrupted, InvalidInput } from './cli/errors.js';
import type { Output } from './cli/output.js';
import { inboxCommand } from './onboarding/inbox.js';
import { listCommand } from './onboarding/list.js';
import { cancelCommand, nudgeCommand } from './onboarding/nudge.js';
import { resolveCommand } from './onboarding/resolve.js';
import { boardCommand, onboardBusinessCommand, onboardCommand } from './onboarding/start.js';
import { statusCommand } from './onboarding/status.js';
import { watchCommand } from './onboarding/watch.js';
import { callCommand } from './partner/call.js';
import {
  cardNicknameCommand,
  changeAddressCommand,
  closeCardCommand,
  ensureWebhooksCommand,
  restoreSubUserCommand,
} from './partner/operations.js';
import { showCommand } from './partner/show.js';
import { statementCommand } from './partner/statement.js';
import { backupCommand, restoreCommand } from './system/backup.js';
import { doctorCommand } from './system/doctor.js';
import { eventsCommand } from './system/events.js';
import { keysCommand, setupCommand } from './system/setup.js';

export type { Surroundings } from './cli/command-line.js';
export { Interrupted } from './cli/errors.js';
export type { Output } from './cli/output.js';

/** The commands by the headings of the help. */
const COMMANDS: Readonly<Record<string, readonly ((program: Command, cli: CommandLine) => void)[]>> = {
  'Onboard:': [boardCommand, onboardBusinessCommand, onboardCommand, batchCommand, adoptCommand],
  'Follow and answer requirements:': [
    ...[statusCommand, listCommand, inboxCommand, resolveCommand],
    ...[watchCommand, nudgeCommand, cancelCommand, eventsCommand],
  ],
  'Single operations at the bank:': [
    ...[closeCardCommand, cardNicknameCommand, changeAddressCommand, restoreSubUserCommand],
    ...[ensureWebhooksCommand, statementCommand, showCommand],
  ],
  'Any operation of a partner:': [callCommand],
  'Setup, backup and help:': [setupCommand, keysCommand, doctorCommand, backupCommand, restoreCommand],
};

/**
 * Runs a command line. It uses only `surroundings` and the working directory, and leaves nothing open, so one process can run
 * many command lines, also concurrently. Some libraries read their own settings from the process: gRPC its proxies, the AWS SDK
 * its profiles, the trace exporter its headers and certificates.
 *
 * @param argv without Node and the script
 * @returns the exit code: 0 done, 1 failed, 2 bad usage or input; of an interrupted command, that of {@link Interrupted}
 */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { signal } = surroundings;
  // Listeners on this signal are garbage-collected with it; the caller's signal lives longer.
  const ending = new Deadline({ until: signal });
  const cli = new CommandLine({ ...surroundings, signal: ending.signal });
  const stopTracing = await startTracing('gangway', surroundings.env);
  try {
    signal.throwIfAborted();
    const program = gangway(cli).hook('preAction', (_, action) => {
      const { timeout } = action.optsWithGlobals<{ timeout?: number }>();
      if (timeout !== undefined) ending.endAfter(timeout, () => timedOut(cli, timeout));
    });
    const command = program.commands.find((known) => known.name() === argv[0])?.name() ?? '';
    await inSpan({ name: `gangway ${command}`.trim() }, () => program.parseAsync(argv, { from: 'user' }));
    return 0;
  } catch (error) {
    return exitCodeOf(cli, error);
  } finally {
    ending.release();
    await stopTracing();
  }
}

/**
 * The whole command line, which {@link run} parses and runs.
 *
 * @internal
 */
export function gangway(cli: CommandLine): Command {
  const { stdout, stderr } = cli;
  // Commander uses its default width for undefined, although its type excludes undefined.
  const widthOf = ({ isTTY, columns }: Output) => (isTTY ? columns : undefined) as number;
  const program = new Command('gangway')
    .description(
      'Onboard merchants and businesses at payment and banking partners, and answer the requirements of the partners.',
    )
    .version(packageVersion())
    .option(
      '--timeout <duration>',
      'end the command after this time; what it started continues',
      milliseconds,
    )
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 bad usage or input.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, cli);
  }
  return program.helpCommand('help [command]', 'show the help of a command');
}

function timedOut(cli: CommandLine, ms: number): Interrupted {
  cli.note(`stopped after ${ms / 1_000} s (--timeout); what it started continues`);
  return new Interrupted('--timeout', 1);
}

/** Explains an error on standard error. @returns the exit code */
function exitCodeOf(cli: CommandLine, error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode;
  // An interruption cancels calls, so it is the cause of whatever they throw.
  const { aborted, reason } = cli.signal;
  if (aborted) return reason instanceof Interrupted ? reason.exitCode : 1;
  // Commander has printed it already; a request for help or the version is no mistake.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const stack = () => (error instanceof Error ? error.stack : undefined) ?? String(error);
  cli.note(explain(error) ?? masked(stack(), 'failure'));
  return error instanceof InvalidInput || error instanceof BadSetting ? 2 : 1;
}

function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
