#!/usr/bin/env node
/** `gangway`: the command that ops people and their scripts use. Exit codes: 0 done, 1 failed, 2 bad usage or input. */
import { readFileSync } from 'node:fs';
import { isGrpcServiceError, ServiceError, WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure, NamespaceNotFoundError, TerminatedFailure } from '@temporalio/common';
import { Command, CommanderError } from 'commander';
import { boardCommand } from './commands/board.js';
import { cancelCommand } from './commands/cancel.js';
import { doctorCommand } from './commands/doctor.js';
import { CommandFailed, InvalidInput } from './commands/errors.js';
import { inboxCommand } from './commands/inbox.js';
import { listCommand } from './commands/list.js';
import { nudgeCommand } from './commands/nudge.js';
import { printNote } from './commands/output.js';
import { resolveCommand } from './commands/resolve.js';
import { setupCommand } from './commands/setup.js';
import { statusCommand } from './commands/status.js';
import { watchCommand } from './commands/watch.js';
import { BadSetting } from './config.js';
import { TemporalAway } from './temporal/connection.js';
import { NoWorker, UnknownOnboarding } from './temporal/onboardings.js';

function gangway(): Command {
  const program = new Command('gangway')
    .description('Board merchants at payment and banking partners, and answer what they ask.')
    .version(packageVersion())
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 bad usage or input.')
    .exitOverride();
  const commands = [
    ...[boardCommand, statusCommand, listCommand, inboxCommand, resolveCommand],
    ...[watchCommand, nudgeCommand, cancelCommand, setupCommand, doctorCommand],
  ];
  for (const add of commands) add(program);
  return program;
}

function packageVersion(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
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
  const foreseen = [CommandFailed, TemporalAway, NoWorker, UnknownOnboarding].some(
    (kind) => error instanceof kind,
  );
  if (foreseen) printNote((error as Error).message);
  else if (error instanceof WorkflowFailedError) printNote(endOf(error));
  else if (error instanceof NamespaceNotFoundError) printNote(`${error.message} (TEMPORAL_NAMESPACE)`);
  else if (error instanceof ServiceError || isGrpcServiceError(error))
    printNote(`Temporal: ${reasonOf(error)}`);
  else printNote(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return 1;
}

/** How an onboarding ended that has no outcome. */
function endOf({ cause }: WorkflowFailedError): string {
  if (cause instanceof CancelledFailure) return 'it was cancelled; --again boards it anew';
  if (cause instanceof TerminatedFailure) return 'it was terminated; --again boards it anew';
  return `it failed: ${cause?.message}`;
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

try {
  await gangway().parseAsync();
} catch (error) {
  process.exitCode = explain(error);
}
