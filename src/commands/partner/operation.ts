import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import type { OperationOutcome } from '../../messages/banking-activities.js';
import { type Start, startOperation } from '../../temporal/start.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed, problemLines } from '../cli/errors.js';
import { follow, hasEnded, reportStarted } from '../cli/follow.js';
import { type PartnerAccountOptions, partnerAccountOf, withPartnerAccount } from '../cli/partner-account.js';

/** A single operation at the bank. */
export interface Operation<Result extends object> {
  readonly start: Start;
  /** Tells what was done, for people. */
  readonly done: (result: Result) => string;
  /** A repetition attaches to the one that was done. Otherwise it is done once more. */
  readonly once?: true;
}

export interface OperationOptions extends PartnerAccountOptions {
  readonly wait: boolean;
  readonly again?: true;
  readonly json?: true;
}

/** Options that all operations have. */
export function withOperationOptions(command: Command): Command {
  return withPartnerAccount(command)
    .option('--no-wait', 'do not wait until it has ended')
    .option('--json', 'print JSON lines');
}

/** Beside those, for operations that are good for one time only. */
export function withAgain(command: Command): Command {
  return command.option('--again', 'start anew although an earlier one was done, cancelled or given up');
}

/**
 * Runs an operation, and waits for its outcome unless told not to.
 *
 * @throws {CommandFailed} when the partner rejected it, an operator gave it up, or it was stopped
 */
export async function runOperation<Result extends object>(
  cli: CommandLine,
  operation: Operation<Result>,
  { wait, again, json, ...options }: OperationOptions,
): Promise<void> {
  const { once } = operation;
  const account = partnerAccountOf(cli.config(), options, operation.start.summary);
  const start = { ...operation.start, account };
  await withTemporal(cli, async (context) => {
    const { client, config } = context;
    const anew = !once || again === true;
    const started = await startOperation(client, start, { taskQueue: config.taskQueue, again: anew });
    reportStarted(context, started, json);
    const { workflowId } = started;
    if (!wait && (started.started || !(await hasEnded(client, workflowId)))) return;
    const outcome = await follow<OperationOutcome<Result>>(context, workflowId, {
      anew: once ? '--again starts it anew' : 'the same command starts it anew',
      quiet: json,
      terminal: json ? undefined : cli.terminal,
    });
    if (json) cli.json({ workflowId, ...outcome });
    report(cli, workflowId, outcome, operation, json);
  });
}

function report<Result extends object>(
  cli: CommandLine,
  workflowId: string,
  outcome: OperationOutcome<Result>,
  { done, once }: Operation<Result>,
  json?: true,
): void {
  switch (outcome.outcome) {
    case 'done':
      if (!json) cli.line(`${workflowId} done: ${done(outcome)}`);
      return;
    case 'rejected': {
      const { problems } = outcome;
      const lines = problems.length > 0 ? problemLines(problems) : ['  the partner gave no reason'];
      throw new CommandFailed([`${workflowId} rejected:`, ...lines].join('\n'));
    }
    case 'abandoned': {
      const more = once ? '; --again starts it anew' : '';
      throw new CommandFailed(`${workflowId} abandoned: ${outcome.comment}${more}`);
    }
  }
}

/** A key for operations of which two of the same content are one. It does not show the content. */
export function keyOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
}
