import { constants } from 'node:os';
import { redact } from '../../../platform/privacy/masked.js';
import { Printer } from './output.js';

/** Thrown if a command fails. The message is for people. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: ExitCode;
  /** @param options.exitCode default: `failed` */
  constructor(message: string, options: ErrorOptions & { readonly exitCode?: ExitCode } = {}) {
    super(message, options);
    this.exitCode = options.exitCode ?? EXIT.failed;
  }
}

/** Thrown if a signal, a deadline or a closed pipe ends the command. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  constructor(
    by: string,
    readonly exitCode: number,
  ) {
    super(`stopped by ${by}`);
  }

  /** The exit code is the shells': 128 plus the number of the signal. */
  static by(signal: NodeJS.Signals): Interrupted {
    return new Interrupted(signal, 128 + constants.signals[signal]);
  }
}

export class TimedOut extends Interrupted {
  constructor(exitCode: ExitCode = EXIT.failed) {
    super('--timeout', exitCode);
  }
}

/** The exit codes of `gangway`, on which scripts depend. An interrupted command ends with 128 plus the number of the signal. */
export const EXIT = { done: 0, failed: 1, usage: 2, person: 3, unavailable: 4 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The meanings of the exit codes: short, and in detail for scripts. */
export const EXIT_CODES: readonly (readonly [code: string, short: string, meaning: string])[] = [
  ['0', 'done', 'done. The output has the outcome of an onboarding, which can be `declined`'],
  ['1', 'failed or refused', 'failed, refused, or not finished within `--timeout`'],
  ['2', 'wrong usage', 'wrong usage or input, or missing `--yes`. Nothing was started, changed or sent'],
  [
    '3',
    'waits for a person',
    'a person must act: `--timeout` ended the wait while a requirement was open, or the partner wants a one-time code',
  ],
  [
    '4',
    'unavailable',
    'Temporal, a worker or the partner is unavailable. Run the same command again later: it does nothing twice',
  ],
  ['130, 143', 'interrupted', 'interrupted by Ctrl-C or SIGTERM. What was started continues'],
];

export function summarizeExitCodes(): string {
  return `Exit codes: ${EXIT_CODES.map(([code, short]) => `${code.split(',')[0]} ${short}`).join(', ')}.`;
}

/** The option that prints the stack of an error, read from the raw arguments, because an error may occur before parsing. */
export const DEBUG = '--debug';

/** Returns one sentence about the error, and what to do next. Masks the error's message, which may quote anything. */
export function formatUnexpected(error: unknown): string {
  const [what = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return (
    `gangway failed unexpectedly: ${redact(what, 'failure') || 'an error without a message'}. ` +
    `Check what was done with "gangway status" or "gangway list". To report it, run the command again with ${DEBUG}.`
  );
}

export function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return redact(String(error), 'failure');
  const own = redact(error.stack ?? error.message, 'failure');
  return error.cause === undefined ? own : `${own}\ncaused by ${stackOf(error.cause)}`;
}

/** Explains an error that no command catches, and ends the process. */
export function crash(error: unknown): never {
  const { argv, env, stdout, stderr } = process;
  new Printer({ env, stdout, stderr }).note(argv.includes(DEBUG) ? stackOf(error) : formatUnexpected(error));
  process.exit(1);
}
