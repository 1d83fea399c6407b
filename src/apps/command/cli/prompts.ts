import type { ReadStream } from 'node:tty';
import { oneTimeCode } from '../../../partners/banking/rules.js';
import type { FieldProblem } from '../../../partners/partner-error.js';
import { fieldProblems } from '../../../partners/schema-messages.js';
import { InvalidInput, problemLines } from '../../../services/texts/invalid-input.js';
import { harmless } from '../../../services/texts/text.js';
import type { CommandLine, Terminal } from './command-line.js';
import { CommandFailed } from './errors.js';
import type { Flags } from './options.js';

export type Confirming = Flags<'yes'>;

export type Strict = Flags<'strict'>;

/** The reason why `--strict` starts nothing. */
export const WITH_WARNINGS = 'has warnings, which --strict rejects; nothing was started';

/** Prints warnings, and asks the person at the terminal. Rejects a script only with `--strict`. @throws {InvalidInput} */
export async function confirmWarnings(
  cli: CommandLine,
  what: string,
  warnings: readonly FieldProblem[],
  { yes, strict }: Confirming & Strict,
): Promise<void> {
  if (warnings.length === 0) return;
  if (strict) throw new InvalidInput(`${what}: ${WITH_WARNINGS}`, warnings);
  for (const line of problemLines(warnings)) cli.note(`warning: ${line.trim()}`);
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
    for await (const typed of answersTo(question, terminal, signal)) {
      const answer = typed.trim().toLowerCase();
      if (['y', 'yes'].includes(answer)) return;
      if (['', 'n', 'no'].includes(answer)) break;
      terminal.output.write('Answer y or n.\n');
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
  for await (const typed of answersTo(CODE_PROMPT, terminal, signal)) {
    const code = typed.replaceAll(/\s/g, '');
    if (code === '') return undefined;
    const checked = oneTimeCode.safeParse(code);
    if (checked.success) return code;
    const rules = fieldProblems(checked.error).map(({ message }) => message);
    terminal.output.write(`${rules.join(', ')}\n`);
  }
  terminal.output.write('\n');
  return undefined;
}

/** In milliseconds: faster than a person answers a question, and longer than a paste pauses. */
export const PASTE_MS = 200;

/** The maximum number of attempts and length of an answer, because a program may type endlessly. */
const [MAX_ATTEMPTS, MAX_LENGTH] = [5, 10_000];

/** Returns a note with the ignored text, because the terminal may not have shown that. */
const ignored = (text: string) =>
  `Ignored what was typed ahead or pasted, because it does not answer this:\n${harmless(text.trim()).replace(/^/gm, '  ')}\n`;

/**
 * Asks a person, again after each answer, until the signal or the input ends. Discards the rest of a pasted block, so it answers
 * nothing: text before the question, immediately after it, or in several lines.
 */
async function* answersTo(question: string, { input, output }: Terminal, signal: AbortSignal) {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const early = await typedAhead(input, signal);
    if (early.trim() !== '') output.write(ignored(early));
    if (signal.aborted) return;
    output.write(question);
    const attempts = performance.now();
    const { text, began } = await received(input, signal, Infinity);
    if (text === '') return;
    if (began - attempts >= PASTE_MS && !text.trimEnd().includes('\n')) yield text;
    else output.write(`\n${ignored(text)}`);
  }
}

/** Reads typed-ahead text in raw mode, because otherwise a terminal withholds an incomplete line. In raw mode, Enter is `\r`. */
async function typedAhead(input: Terminal['input'], signal: AbortSignal): Promise<string> {
  const { setRawMode } = input as Partial<ReadStream>;
  setRawMode?.call(input, true);
  const { text } = await received(input, signal, PASTE_MS);
  setRawMode?.call(input, false);
  // In raw mode, Ctrl-C is a character.
  if (setRawMode && text.includes('\u0003')) process.kill(process.pid, 'SIGINT');
  return text.replaceAll('\r', '\n');
}

/** Reads until a pause. @param timeoutMs how long to wait for the first character, in milliseconds */
async function received(input: Terminal['input'], signal: AbortSignal, timeoutMs: number) {
  const read = { text: '', began: 0 };
  const { promise: end, resolve: stop } = Promise.withResolvers<void>();
  let timer = Number.isFinite(timeoutMs) ? setTimeout(stop, timeoutMs) : undefined;
  const add = (part: Buffer | string) => {
    if (read.text === '') read.began = performance.now();
    read.text += String(part);
    clearTimeout(timer);
    if (read.text.length > MAX_LENGTH) stop();
    else timer = setTimeout(stop, PASTE_MS);
  };
  input.on('data', add).once('end', stop).resume();
  signal.addEventListener('abort', () => stop(), { once: true });
  if (signal.aborted || !input.readable) stop();
  await end;
  clearTimeout(timer);
  input.off('data', add).off('end', stop).pause();
  return read;
}
