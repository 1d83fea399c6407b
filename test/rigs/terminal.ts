import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { endWithUs } from '../../src/process/lifecycle.js';
import { type Watched, watched } from './output.js';

/** A command at a terminal of its own. Standard output and standard error come together there. */
export interface AtTerminal extends Watched {
  /** Types at the terminal. */
  type(text: string): void;
  /** Its exit code. */
  readonly end: Promise<number | null>;
}

/** What Ctrl-C types. */
export const CTRL_C = '\u0003';

/** Starts a command of a shell at a terminal of its own, with the PATH and HOME of this process. */
export function startAtTerminal(command: string, cwd: string): AtTerminal {
  const { PATH = '', HOME = '' } = process.env;
  const args =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', command] : ['-qec', command, '/dev/null'];
  const child: ChildProcess = spawn('script', args, {
    cwd,
    env: { PATH, HOME },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  endWithUs(child, 'group');
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('the streams are pipes');
  const end = once(child, 'close').then(([code]) => code as number | null);
  return { ...watched({ stdout, stderr }, end), type: (text) => void stdin.write(text), end };
}
