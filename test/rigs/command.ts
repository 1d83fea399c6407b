import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { finished as closed } from 'node:stream/promises';
import { Interrupted, TimedOut } from '../../src/apps/command/cli/errors.js';
import { PROGRESS } from '../../src/apps/command/cli/progress.js';
import { PASTE_MS } from '../../src/apps/command/cli/prompts.js';
import { type CommandIo, run } from '../../src/apps/command/program.js';
import { type Watched, watched } from './output.js';
import type { Finished } from './processes.js';
import { isSimulated } from './simulated-place.js';

// Virtual time passes while a command loads its modules, so they are all there before.
if (isSimulated()) for (const path of globSync('src/apps/command/**/*.ts')) await import(resolve(path));

/** An empty standard input. */
export const NO_INPUT = { input: async () => Buffer.alloc(0) };

/** Of a command line that runs nothing. */
export function io(): CommandIo {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  return { env: {}, stdin, stdout, stderr, signal: new AbortController().signal };
}

/** Runs `gangway` in this process, in UTC, with `env` and the PATH and HOME of this process. */
export function gangway(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  input?: string,
): Promise<Finished> {
  return startGangway(env, args, { input }).finished;
}

/** A running `gangway`. */
export interface RunningCommand extends Watched {
  /** Types a line at its terminal, after the time that a person needs to read. */
  type(text: string): void;
  /** Types Ctrl-D at its terminal. */
  endInput(): void;
  kill(signal: NodeJS.Signals): void;
  /** Ends the wait as `--timeout` does, when the test has seen what it waits for. */
  timeOut(): void;
  readonly finished: Promise<Finished>;
}

export interface CommandOptions {
  /** All of its standard input; default: empty. */
  readonly input?: string | undefined;
  /** All streams are terminals of 80 columns, and standard input stays open for {@link RunningCommand.type}. */
  readonly terminal?: true;
}

/** A person reads a question before the answer. What comes sooner is a paste. */
export const READING_MS = 2 * PASTE_MS;

/** Starts `gangway` in this process, for a test that acts while it runs. */
export function startGangway(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  { input = '', terminal }: CommandOptions = {},
): RunningCommand {
  const { PATH = '', HOME = '' } = process.env;
  const stream = () => Object.assign(new PassThrough(), terminal && { isTTY: true, columns: 80 });
  const [stdin, stdout, stderr] = [stream(), stream(), stream()];
  if (terminal) stdin.write(input);
  else stdin.end(input);
  const interruption = new AbortController();
  const { signal } = interruption;
  const code = run(args, { env: { PATH, HOME, TZ: 'UTC', ...env }, stdin, stdout, stderr, signal }).finally(
    () => {
      stdout.end();
      stderr.end();
    },
  );
  const end = Promise.all([code, closed(stdout), closed(stderr)]);
  const output = watched({ stdout, stderr }, end);
  return {
    ...output,
    type: (text) => void setTimeout(() => stdin.write(`${text}\n`), READING_MS),
    endInput: () => void setTimeout(() => stdin.end(), READING_MS),
    kill: (by) => interruption.abort(Interrupted.by(by)),
    timeOut: () => interruption.abort(new TimedOut()),
    finished: end.then(([exitCode]) => ({
      code: exitCode,
      stdout: output.stdout(),
      stderr: withoutProgress(output.stderr()),
    })),
  };
}

/** Runs `gangway` at a wide terminal, and types an answer to its question. */
export async function answered(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  answer: string,
): Promise<Finished> {
  const command = startGangway({ ...env, COLUMNS: '1000' }, args, { terminal: true });
  await command.says(' Continue? [y/N] ');
  command.type(answer);
  return command.finished;
}

/** How much progress is printed depends on the time that the machine needs. */
function withoutProgress(stderr: string): string {
  return stderr
    .split('\n')
    .filter((line) => !line.startsWith(PROGRESS))
    .join('\n');
}
