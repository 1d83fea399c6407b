#!/usr/bin/env node
/** `gangway`: the command of ops people and their scripts. Exit codes: 0 done, 1 failed, 2 bad usage or input. */
import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { Command, CommanderError } from 'commander';
import { batchCommand } from './commands/batch.js';
import { callCommand } from './commands/call.js';
import { cancelCommand } from './commands/cancel.js';
import { cardNicknameCommand } from './commands/card-nickname.js';
import { changeAddressCommand } from './commands/change-address.js';
import { closeCardCommand } from './commands/close-card.js';
import { doctorCommand } from './commands/doctor.js';
import { ensureWebhooksCommand } from './commands/ensure-webhooks.js';
import { CommandFailed, InvalidInput } from './commands/errors.js';
import { eventsCommand } from './commands/events.js';
import { inboxCommand } from './commands/inbox.js';
import { keysCommand } from './commands/keys.js';
import { listCommand } from './commands/list.js';
import { nudgeCommand } from './commands/nudge.js';
import { printNote } from './commands/output.js';
import { resolveCommand } from './commands/resolve.js';
import { restoreSubUserCommand } from './commands/restore-sub-user.js';
import { setupCommand } from './commands/setup.js';
import { showCommand } from './commands/show.js';
import { boardCommand, onboardBusinessCommand, onboardCommand } from './commands/start.js';
import { statementCommand } from './commands/statement.js';
import { statusCommand } from './commands/status.js';
import { packageVersion } from './commands/version.js';
import { watchCommand } from './commands/watch.js';
import { BadSetting } from './config.js';
import { StoreFailure } from './documents/file-store.js';
import { TemporalAway } from './temporal/connection.js';
import { NoKey, NoWorker, OtherAccount, UnknownOnboarding } from './temporal/onboardings.js';
import { NotOursToRegister } from './temporal/search-attributes.js';
import { UnknownSchedule } from './temporal/statement-schedules.js';
import { isUnreadable } from './temporal/unreadable.js';
import { inSpan } from './tracing/spans.js';
import { startTracing } from './tracing/start.js';

/** The commands by the headings of the help. */
const COMMANDS: Readonly<Record<string, readonly ((program: Command) => void)[]>> = {
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
  'Set up, and help:': [setupCommand, keysCommand, doctorCommand],
};

function gangway(): Command {
  const program = new Command('gangway')
    .description(
      'Take merchants and businesses aboard at payment and banking partners, and answer what they ask.',
    )
    .version(packageVersion())
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 bad usage or input.')
    .exitOverride();
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const add of commands) add(program);
  }
  return program.helpCommand('help [command]', 'show the help of a command');
}

/** Says what went wrong, in words where it is foreseen, and answers the exit code. */
function explain(error: unknown): number {
  // Commander has said it already; asking for help or the version is no mistake.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof InvalidInput) {
    printNote(error.report);
    return 2;
  }
  if (error instanceof BadSetting) {
    printNote(error.message);
    return 2;
  }
  const foreseen = [
    ...[CommandFailed, TemporalAway, NoWorker, NoKey, StoreFailure],
    ...[OtherAccount, UnknownOnboarding, UnknownSchedule, NotOursToRegister],
  ].some((kind) => error instanceof kind);
  if (foreseen) printNote((error as Error).message);
  else if (isUnreadable(error)) printNote(`${error.message} (PAYLOAD_KEYS)`);
  else if (error instanceof NamespaceNotFoundError) printNote(`${error.message} (TEMPORAL_NAMESPACE)`);
  else if (error instanceof ServiceError || isGrpcServiceError(error))
    printNote(`Temporal: ${reasonOf(error)}`);
  else printNote(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return 1;
}

function reasonOf(error: Error): string {
  const { cause } = error;
  const details = isGrpcServiceError(cause) ? cause.details : error.message;
  const isUnregistered = /search attribute/i.test(details);
  return isUnregistered ? `${details}; run "gangway setup" first` : details;
}

// A reader that has seen enough, as in "gangway list | head", is no mistake.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const stopTracing = await startTracing('gangway');
try {
  const program = gangway();
  const command = program.commands.find((known) => known.name() === process.argv[2])?.name() ?? '';
  await inSpan({ name: `gangway ${command}`.trim() }, () => program.parseAsync());
} catch (error) {
  process.exitCode = explain(error);
} finally {
  await stopTracing();
}
