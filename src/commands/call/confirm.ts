import { createInterface } from 'node:readline';
import type { CommandLine } from '../command-line.js';
import { CommandFailed, InvalidInput } from '../errors.js';

/**
 * Lets a person at the terminal confirm what cannot be undone. @throws {CommandFailed} when they do not,
 * {@link InvalidInput} when nobody is there to ask
 */
export async function confirm(
  { terminal, signal }: CommandLine,
  name: string,
  summary: string,
): Promise<void> {
  if (!terminal) throw new InvalidInput(`${name} cannot be undone: confirm it with --yes`);
  const { input, output } = terminal;
  const lines = createInterface({ input, signal, terminal: false });
  try {
    output.write(`${summary}. This cannot be undone. Type ${name} to do it: `);
    for await (const typed of lines) {
      if (typed.trim() === name) return;
      break;
    }
    signal.throwIfAborted();
    throw new CommandFailed('not confirmed; nothing was sent');
  } finally {
    lines.close();
  }
}
