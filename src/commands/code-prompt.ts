import { createInterface } from 'node:readline';
import { oneTimeCode } from '../partners/banking/rules.js';
import { fieldProblems } from '../partners/client.js';
import type { Terminal } from './command-line.js';

const QUESTION = 'code (empty to answer later): ';

/**
 * Asks at the terminal for a one-time code, until it looks like one.
 *
 * @param signal ends the question without an answer
 * @returns undefined when the person gave none
 */
export async function promptForCode(
  { input, output }: Terminal,
  signal: AbortSignal,
): Promise<string | undefined> {
  const lines = createInterface({ input, signal, terminal: false });
  try {
    output.write(QUESTION);
    for await (const line of lines) {
      const code = line.replaceAll(' ', '');
      if (code === '') return undefined;
      const checked = oneTimeCode.safeParse(code);
      if (checked.success) return code;
      const rules = fieldProblems(checked.error).map(({ message }) => message);
      output.write(`${rules.join(', ')}\n${QUESTION}`);
    }
    output.write('\n');
    return undefined;
  } finally {
    lines.close();
  }
}
