import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { endWithUs } from '../../src/platform/process/lifecycle.js';
import { type Watched, watched } from './output.js';
import { environmentOf } from './processes.js';

/** A command at a terminal of its own. Standard output and standard error come together there. */
export interface AtTerminal extends Watched {
  /** Types at the terminal. */
  type(text: string): void;
  /** Its exit code. */
  readonly end: Promise<number | null>;
}

/** What Ctrl-C types. */
export const CTRL_C = '\u0003';

/** Starts a command of a shell at a terminal of its own, with `env` and the PATH and HOME of this process. */
export function startAtTerminal(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): AtTerminal {
  const args =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', command] : ['-qec', command, '/dev/null'];
  const child: ChildProcess = spawn('script', args, {
    cwd,
    env: environmentOf(env),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  endWithUs(child, 'group');
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('the streams are pipes');
  const end = once(child, 'close').then(([code]) => code as number | null);
  return { ...watched({ stdout, stderr }, end), type: (text) => void stdin.write(text), end };
}

/** Runs the built `gangway` at a terminal of this width. */
export function gangwayAtTerminal(
  args: string,
  env: Readonly<Record<string, string>>,
  columns = 160,
): AtTerminal & { readonly finished: Promise<{ code: number | null; screen: string[] }> } {
  const command = `stty cols ${columns} && "${process.execPath}" dist/starter.js ${args}`;
  const started = startAtTerminal(command, process.cwd(), { TERM: 'xterm', ...env });
  const finished = started.end.then((code) => ({ code, screen: screenAfter(started.stdout()) }));
  return { ...started, finished };
}

/** The lines that a terminal shows in the end: what was written last on each, without what was cleared. */
export function screenAfter(written: string): string[] {
  return written.split('\r\n').map((line) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they control terminals
    const [, last = ''] = /(?:\u001b\[2K|^)([^\u001b]*)$/.exec(line) ?? [];
    return last;
  });
}
