import { constants } from 'node:os';
import { EXIT, type ExitCode } from './exit-codes.js';

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
