import { createInterface } from 'node:readline';
import type { FieldProblem } from '../../partners/partner-error.js';
import { InvalidInput, problemLines } from '../../texts/invalid-input.js';
import type { CommandLine } from './command-line.js';
import { CommandFailed } from './errors.js';

export interface Confirming {
  readonly yes?: true | undefined;
}

export interface Strict {
  readonly strict?: true | undefined;
}

/** Why `--strict` starts nothing. */
export const DOUBTFUL = 'is doubtful, which --strict rejects; nothing was started';

/**
 * Warns of what is doubtful, and asks the person at the terminal to confirm it. Without a terminal, a warning does not stop a script.
 *
 * @param what names the input
 * @throws {InvalidInput} with `--strict`
 */
export async function confirmDoubts(
  cli: CommandLine,
  what: string,
  doubts: readonly FieldProblem[],
  { yes, strict }: Confirming & Strict,
): Promise<void> {
  if (doubts.length === 0) return;
  if (strict) throw new InvalidInput(`${what}: ${DOUBTFUL}`, doubts);
  for (const line of problemLines(doubts)) cli.note(`warning: ${line.trim()}`);
  if (cli.terminal) await confirm(cli, `${what} may have mistakes.`, { yes });
}

/**
 * Asks the person at the terminal to confirm, unless `--yes` is given.
 *
 * @param consequence what will happen, in one sentence
 * @throws {CommandFailed} when the person does not confirm, {@link InvalidInput} without a terminal
 */
export async function confirm(cli: CommandLine, consequence: string, { yes }: Confirming): Promise<void> {
  if (yes) return;
  const { terminal, signal, status } = cli;
  if (!terminal)
    throw new InvalidInput(`${consequence}\nNothing was done: without a terminal, confirm it with --yes`);
  const { input, output } = terminal;
  await status.hiddenWhile(async () => {
    const lines = createInterface({ input, signal, terminal: false });
    try {
      output.write(`${cli.fittedProse(`${consequence} Continue? [y/N]`)} `);
      for await (const typed of lines) {
        if (['y', 'yes'].includes(typed.trim().toLowerCase())) return;
        break;
      }
      // The terminal shows ^C after the question.
      if (signal.aborted) output.write('\n');
      signal.throwIfAborted();
      throw new CommandFailed('not confirmed; nothing was done');
    } finally {
      lines.close();
    }
  });
}
