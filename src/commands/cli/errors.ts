import { constants } from 'node:os';
import type { FieldProblem } from '../../partners/partner-error.js';
import { EXIT, type ExitCode } from './exit-codes.js';

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

interface FailureOptions extends ErrorOptions {
  /** Default: `failed`. */
  readonly exitCode?: ExitCode;
}

/** The command could not do its work. The message is for people. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: ExitCode;
  constructor(message: string, { exitCode = EXIT.failed, ...options }: FailureOptions = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
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

/** `--timeout` ended the command. */
export class TimedOut extends Interrupted {
  constructor(exitCode: ExitCode = EXIT.failed) {
    super('--timeout', exitCode);
  }
}

/** One line for each problem. Two rules may report the same problem of a field, which is shown once. */
export function problemLines(problems: readonly FieldProblem[]): string[] {
  return [...new Set(problems.map(({ field, message }) => `  ${field || '(whole)'}: ${message}`))];
}
