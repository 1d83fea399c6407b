import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import type { OperationOutcome } from '../../messages/banking-activities.js';
import { type Start, startOperation } from '../../temporal/onboardings.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed, problemLines } from '../cli/errors.js';
import { followStarted } from '../cli/follow.js';
import { type PartnerAccountOptions, partnerAccountOf, withPartnerAccount } from '../cli/partner-account.js';

/** A single operation at the bank. */
export interface Operation<Result extends object> extends Start {
  /** Describes the result for people. */
  readonly done: (result: Result) => string;
  /** A repetition attaches to the operation that was done. Default: it is done again. */
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
    .option('--no-wait', 'do not wait for the outcome')
    .option('--json', 'print JSON lines');
}

/** For operations that run only once, in addition to {@link withOperationOptions}. */
export function withAgain(command: Command): Command {
  return command.option('--again', 'start again although an earlier one was done, cancelled or abandoned');
}

/**
 * Runs an operation, and waits for its outcome. Default of `wait`: true.
 *
 * @throws {CommandFailed} when the partner rejected it, an operator abandoned it, or it was stopped
 */
export async function runOperation<Result extends object>(
  cli: CommandLine,
  { done, once, ...start }: Operation<Result>,
  { wait, again, json, ...options }: OperationOptions,
): Promise<void> {
  const account = partnerAccountOf(cli.config(), options, start.summary);
  const restart = once ? 'start it again with --again' : 'run the same command to start it again';
  await withTemporal(cli, async (context) => {
    const { client, config } = context;
    const place = { taskQueue: config.taskQueue, again: !once || again === true };
    const started = await startOperation(client, { ...start, account }, place);
    const { workflowId } = started;
    const outcome = await followStarted<OperationOutcome<Result>>(context, started, {
      ...{ wait, json, restart },
      quiet: json,
      terminal: json ? undefined : cli.terminal,
    });
    if (outcome?.outcome === 'done' && !json) cli.line(`${workflowId} done: ${done(outcome)}`);
    if (outcome?.outcome === 'rejected') {
      const { problems } = outcome;
      const lines = problems.length > 0 ? problemLines(problems) : ['  the partner gave no reason'];
      throw new CommandFailed([`${workflowId} rejected:`, ...lines].join('\n'));
    }
    if (outcome?.outcome === 'abandoned') {
      const next = once ? `; ${restart}` : '';
      throw new CommandFailed(`${workflowId} abandoned: ${outcome.comment}${next}`);
    }
  });
}

/** The same key for the same content. It does not show the content. */
export function keyOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
}
