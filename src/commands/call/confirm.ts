import { createInterface } from 'node:readline/promises';
import { ownTerminal } from '../code-prompt.js';
import { CommandFailed, InvalidInput } from '../errors.js';

/**
 * Lets a person at the terminal confirm what cannot be undone. @throws {CommandFailed} when they do not,
 * {@link InvalidInput} when nobody is there to ask
 */
export async function confirm(name: string, summary: string): Promise<void> {
  const terminal = ownTerminal();
  if (!terminal) throw new InvalidInput(`${name} cannot be undone: confirm it with --yes`);
  const lines = createInterface(terminal);
  try {
    const typed = await lines.question(`${summary}. This cannot be undone. Type ${name} to do it: `);
    if (typed.trim() !== name) throw new CommandFailed('not confirmed; nothing was sent');
  } finally {
    lines.close();
  }
}
