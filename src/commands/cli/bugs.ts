import { masked } from '../../privacy/masked.js';
import { Printer } from './output.js';

/** Errors that nothing foresees: a bug, or a failure of the machine. */

/** The option that prints the stack of an error. It is read from the arguments, because an error may come before they are parsed. */
export const DEBUG = '--debug';

/** One sentence about the error, and what to do next. The message of the error may quote anything, so it is masked. */
export function unforeseen(error: unknown): string {
  const [what = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return (
    `gangway failed unexpectedly: ${masked(what, 'failure') || 'an error without a message'}. ` +
    `Check what was done with "gangway status" or "gangway list". To report it, run the command again with ${DEBUG}.`
  );
}

/** The stacks of an error and of its causes, masked. */
export function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return masked(String(error), 'failure');
  const own = masked(error.stack ?? error.message, 'failure');
  return error.cause === undefined ? own : `${own}\ncaused by ${stackOf(error.cause)}`;
}

/** For an error that no command can catch: explains it, and ends the process. */
export function crash(error: unknown): never {
  const { argv, env, stdout, stderr } = process;
  new Printer({ env, stdout, stderr }).note(argv.includes(DEBUG) ? stackOf(error) : unforeseen(error));
  process.exit(1);
}
