import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endWithUs } from '../../../src/end-with-us.js';
import type { Finished } from '../processes.js';
import { eventually } from '../waiting.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** `gangway` while it runs. */
export interface RunningCommand {
  /** Waits until it has said this on standard error. */
  says(text: string): Promise<void>;
  /** Waits until it has printed so many lines on standard output. */
  printsLines(count: number): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  readonly finished: Promise<Finished>;
}

/** Starts the built `gangway`, for a test that does something while it waits. */
export function startGangway(env: Readonly<Record<string, string>>, args: readonly string[]): RunningCommand {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['dist/starter.js', ...args], {
    cwd: ROOT,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  endWithUs(child, 'group');
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  return {
    async says(text) {
      await eventually(
        async () => stderr,
        (said) => said.includes(text),
        text,
      );
    },
    async printsLines(count) {
      await eventually(
        async () => stdout.split('\n').length - 1,
        (printed) => printed >= count,
        `${count} lines`,
      );
    },
    kill: (signal) => child.kill(signal),
    finished: once(child, 'close').then(() => ({ code: child.exitCode, stdout, stderr })),
  };
}
