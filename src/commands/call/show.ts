import { failureIn } from '../../partners/told-problems.js';
import { censored, withoutPrivate } from '../../private-values.js';
import type { CommandLine } from '../command-line.js';
import { CommandFailed, problemLines } from '../errors.js';
import { inWords } from '../partner-words.js';
import type { Answered } from './run.js';

export interface ShowOptions {
  readonly reveal?: true;
  readonly json?: true;
}

/**
 * Prints what came back from a call: the response on standard output, the warnings on standard error.
 *
 * @param id of the call, if its response can be read again
 * @throws {CommandFailed} that names the problems, when the response reports a failure although its HTTP status is a success
 */
export function show(cli: CommandLine, answered: Answered, options: ShowOptions, id?: string): void {
  const { answer, warnings = [], refusal } = answered;
  const { reveal, json } = options;
  const shown = reveal ? answer : withoutPrivate(answer);
  if (json) cli.json(shown);
  else cli.line(JSON.stringify(shown, null, 2));
  for (const warning of warnings) cli.note(`warning: ${reveal ? warning : censored(warning)}`);
  if (id !== undefined && JSON.stringify(shown) !== JSON.stringify(answer)) {
    cli.note(`private members are redacted; "gangway call answer ${id} --reveal" shows them`);
  }
  if (refusal) throw new CommandFailed(inWords(refusal));
  const problems = failureIn(shown);
  if (problems.length > 0) {
    throw new CommandFailed(['the partner reports a failure:', ...problemLines(problems)].join('\n'));
  }
}
