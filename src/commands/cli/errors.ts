import { constants } from 'node:os';
import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { StoreFailure } from '../../documents/file-store.js';
import { PARTNER_ERROR } from '../../messages/activities.js';
import { type FieldProblem, PartnerError, type PartnerErrorDetails } from '../../partners/partner-error.js';
import { BadSetting } from '../../settings/settings.js';
import { sentenceOf } from '../../temporal/unavailable.js';

/** The caller's input cannot be used: exit code 2, and every wrong field on a line of its own. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  constructor(
    what: string,
    readonly problems: readonly FieldProblem[] = [],
  ) {
    super(what);
  }

  /** The message and the fields, a line each. */
  get report(): string {
    return [this.message, ...problemLines(this.problems)].join('\n');
  }
}

/** The command could not do its work: exit code 1. The message is for people. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** A signal, a deadline or a closed pipe ended the command. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  constructor(
    by: string,
    readonly exitCode: number,
  ) {
    super(`stopped by ${by}`);
  }

  /** The exit code is the one that shells use: 128 and the number of the signal. */
  static by(signal: NodeJS.Signals): Interrupted {
    return new Interrupted(signal, 128 + constants.signals[signal]);
  }
}

/** One line for each problem. Two rules may report the same problem of a field, which is shown once. */
export function problemLines(problems: readonly FieldProblem[]): string[] {
  return [...new Set(problems.map(({ field, message }) => `  ${field || '(whole)'}: ${message}`))];
}

/**
 * What happened, and what to do next, for people.
 *
 * @returns undefined for an error that nothing here foresees: a bug, or a failure of the machine
 */
export function explain(error: unknown): string | undefined {
  if (error instanceof InvalidInput) return error.report;
  if (error instanceof PartnerError) return explainPartnerFailure(error.details);
  const isForPeople = [BadSetting, CommandFailed, StoreFailure].some((kind) => error instanceof kind);
  return isForPeople ? (error as Error).message : sentenceOf(error);
}

/** A partner call that failed: one line, and one for each problem that the partner reports. */
export function explainPartnerFailure(failure: PartnerErrorDetails): string {
  const { system, fields } = failure;
  return [`the ${system} partner ${whatHappened(failure)}`, ...problemLines(fields)].join('\n');
}

function whatHappened({ kind, reason, needs, atSignIn, status = 401 }: PartnerErrorDetails): string {
  if (needs === 'one-time-code') {
    return 'requires a one-time code to sign in: answer its requirement ("gangway inbox"), or set BANKING_TOTP_SECRET';
  }
  switch (kind) {
    case 'NotSent':
      return `could not be reached: ${reason}`;
    case 'RateLimited':
      return 'limits our calls (429): try again later';
    case 'Rejected':
      return `rejected the request (${reason})`;
    case 'Unauthorized':
      return `rejected our credentials (${status}): correct them in the settings`;
    case 'Forbidden':
      return atSignIn
        ? 'denied the sign-in (403): the account is locked or suspended'
        : 'denied the request (403): the account lacks the permission';
    case 'Uncertain':
      return `sent no clear response: ${reason}`;
  }
}

/** The same for an activity that ran on its own. @returns the error itself when it is not about the activity */
export function explainActivity(error: unknown, taskQueue: string): unknown {
  const failure = error instanceof TimeoutFailure && error.cause ? error.cause : error;
  if (failure instanceof ApplicationFailure) {
    const isOfPartner = failure.type === PARTNER_ERROR;
    return new CommandFailed(
      isOfPartner
        ? explainPartnerFailure(failure.details?.[0] as PartnerErrorDetails)
        : `the activity failed: ${failure.message}`,
    );
  }
  if (!(failure instanceof TimeoutFailure)) return failure;
  return new CommandFailed(
    failure.timeoutType === 'SCHEDULE_TO_START'
      ? `no worker polls task queue ${taskQueue}: is one running?`
      : 'the outcome is unknown, because the worker stopped responding: check at the partner whether it took effect',
  );
}
