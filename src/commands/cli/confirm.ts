import { createInterface } from 'node:readline';
import { InvalidInput } from '../../texts/invalid-input.js';
import type { CommandLine } from './command-line.js';
import { CommandFailed } from './errors.js';

export interface Confirming {
  readonly yes?: true | undefined;
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
