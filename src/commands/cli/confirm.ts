import { createInterface } from 'node:readline';
import type { CommandLine } from './command-line.js';
import { CommandFailed, InvalidInput } from './errors.js';

export interface Confirming {
  readonly yes?: true | undefined;
}

/**
 * Asks the person at the terminal to confirm, unless `--yes` is given.
 *
 * @param consequence what will happen, in one sentence
 * @throws {CommandFailed} when the person does not confirm, {@link InvalidInput} without a terminal
 */
export async function confirm(
  { terminal, signal, status }: CommandLine,
  consequence: string,
  { yes }: Confirming,
): Promise<void> {
  if (yes) return;
  if (!terminal)
    throw new InvalidInput(`${consequence}\nNothing was done: without a terminal, confirm it with --yes`);
  const { input, output } = terminal;
  await status.hiddenWhile(async () => {
    const lines = createInterface({ input, signal, terminal: false });
    try {
      output.write(`${consequence} Type yes to continue: `);
      for await (const typed of lines) {
        if (['y', 'yes'].includes(typed.trim().toLowerCase())) return;
        break;
      }
      signal.throwIfAborted();
      throw new CommandFailed('not confirmed; nothing was done');
    } finally {
      lines.close();
    }
  });
}
