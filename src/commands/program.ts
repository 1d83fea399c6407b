import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { StoreFailure } from '../documents/file-store.js';
import { Deadline } from '../http/deadline.js';
import { masked } from '../privacy/masked.js';
import { BadSetting } from '../settings/settings.js';
import { sentenceOf } from '../temporal/unavailable.js';
import { startTracing } from '../tracing/export.js';
import { inSpan } from '../tracing/spans.js';
import { batchCommand } from './batch/batch.js';
import { milliseconds } from './cli/arguments.js';
import { CommandLine, type Surroundings } from './cli/command-line.js';
import { CommandFailed, Interrupted, InvalidInput } from './cli/errors.js';
import type { Output } from './cli/output.js';
import { inboxCommand, listCommand } from './onboarding/list.js';
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

/** The commands by the headings of the help. */
const COMMANDS: Readonly<Record<string, readonly ((program: Command, cli: CommandLine) => void)[]>> = {
  'Take aboard:': [boardCommand, onboardBusinessCommand, onboardCommand, batchCommand],
  'Follow, and answer what the partners ask:': [
    ...[statusCommand, listCommand, inboxCommand, resolveCommand],
    ...[watchCommand, nudgeCommand, cancelCommand, eventsCommand],
  ],
  'Single operations at the bank:': [
    ...[closeCardCommand, cardNicknameCommand, changeAddressCommand, restoreSubUserCommand],
    ...[ensureWebhooksCommand, statementCommand, showCommand],
  ],
  'Anything else a partner can do:': [callCommand],
  'Set up, save, and help:': [setupCommand, keysCommand, doctorCommand, backupCommand, restoreCommand],
};

/**
 * Runs a command line. It uses nothing of the process but `surroundings` and the working directory, and leaves nothing open, so
 * one process can run many, also at the same time. Only libraries read some settings of their own from the process: gRPC its
 * proxies, AWS's SDK its profiles, the exporter of traces its headers and certificates.
 *
 * @param argv without Node and the script
 * @returns the exit code: 0 done, 1 failed, 2 bad usage or input; when interrupted, the one of {@link Interrupted}
 */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { signal } = surroundings;
  // Listeners on this signal are collected with it; the caller's signal lives longer.
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
    return explain(cli, error);
  } finally {
    ending.release();
    await stopTracing();
  }
}

function gangway(cli: CommandLine): Command {
  const { stdout, stderr } = cli;
  // Commander has a default width for undefined, although its type does not say so.
  const widthOf = ({ isTTY, columns }: Output) => (isTTY ? columns : undefined) as number;
  const program = new Command('gangway')
    .description(
      'Take merchants and businesses aboard at payment and banking partners, and answer what they ask.',
    )
    .version(packageVersion())
    .option(
      '--timeout <duration>',
      'end the command after this long, whatever it waits for; what it started goes on',
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
  cli.note(`stopped after ${ms / 1_000} s (--timeout); what was started goes on`);
  return new Interrupted('--timeout', 1);
}

/** Says what went wrong, in words where it is foreseen, and answers the exit code. */
function explain(cli: CommandLine, error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode;
  // Whatever a cancelled call throws, the interruption is the cause.
  const { aborted, reason } = cli.signal;
  if (aborted) return reason instanceof Interrupted ? reason.exitCode : 1;
  // Commander has said it already; asking for help or the version is no mistake.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof InvalidInput) {
    cli.note(error.report);
    return 2;
  }
  if (error instanceof BadSetting) {
    cli.note(error.message);
    return 2;
  }
  if (error instanceof CommandFailed || error instanceof StoreFailure) cli.note(error.message);
  else
    cli.note(
      sentenceOf(error) ??
        masked(error instanceof Error ? (error.stack ?? error.message) : String(error), 'failure'),
    );
  return 1;
}

export function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
