import { createInterface } from 'node:readline';
import { oneTimeCode } from '../../partners/banking/rules.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { fieldProblems } from '../../partners/rules-in-words.js';
import { InvalidInput, problemLines } from '../../texts/invalid-input.js';
import type { CommandLine, Terminal } from './command-line.js';
import { CommandFailed } from './errors.js';
import type { Flags } from './options.js';

export type Confirming = Flags<'yes'>;

export type Strict = Flags<'strict'>;

/** Why `--strict` starts nothing. */
export const DOUBTFUL = 'is doubtful, which --strict rejects; nothing was started';

/** Warns of doubts, and asks the person at the terminal. Stops no script, except with `--strict`. @throws {InvalidInput} */
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

/** Asks the person at the terminal, unless `--yes` is given. @throws {CommandFailed}, {@link InvalidInput} without a terminal */
export async function confirm(cli: CommandLine, consequence: string, { yes }: Confirming): Promise<void> {
  if (yes) return;
  const { terminal, signal, status } = cli;
  if (!terminal)
    throw new InvalidInput(`${consequence}\nNothing was done: without a terminal, confirm it with --yes`);
  await status.hiddenWhile(async () => {
    const question = `${cli.fittedProse(`${consequence} Continue? [y/N]`)} `;
    for await (const typed of linesAfter(question, terminal, signal)) {
      if (['y', 'yes'].includes(typed.trim().toLowerCase())) return;
      break;
    }
    // The terminal shows ^C after the question.
    if (signal.aborted) terminal.output.write('\n');
    signal.throwIfAborted();
    throw new CommandFailed('not confirmed; nothing was done');
  });
}

const CODE_PROMPT = 'code (empty to answer later): ';

/** Asks at the terminal for a one-time code, until the input has the form of one. @returns undefined for none */
export async function promptForCode(terminal: Terminal, signal: AbortSignal): Promise<string | undefined> {
  for await (const line of linesAfter(CODE_PROMPT, terminal, signal)) {
    const code = line.replaceAll(' ', '');
    if (code === '') return undefined;
    const checked = oneTimeCode.safeParse(code);
    if (checked.success) return code;
    const rules = fieldProblems(checked.error).map(({ message }) => message);
    terminal.output.write(`${rules.join(', ')}\n${CODE_PROMPT}`);
  }
  terminal.output.write('\n');
  return undefined;
}

/** The lines that a person types after a question, until the signal ends them. */
async function* linesAfter(question: string, { input, output }: Terminal, signal: AbortSignal) {
  const lines = createInterface({ input, signal, terminal: false });
  try {
    output.write(question);
    yield* lines;
  } finally {
    lines.close();
  }
}
