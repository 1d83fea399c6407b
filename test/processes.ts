import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Watched, watched } from './rigs/output.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, as a shell would: nothing of our own environment but PATH and HOME. */
export async function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<Finished> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(command, args, { cwd: ROOT, env: { PATH, HOME, ...env } });
  // It may end without reading.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** Runs the built `gangway`, for a test that needs a process; others use rigs/command.ts. */
export function spawnGangway(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  input?: string,
): Promise<Finished> {
  return run(process.execPath, ['dist/starter.js', ...args], env, input);
}

/** A running process of `gangway`. */
export interface SpawnedCommand extends Watched {
  kill(signal: NodeJS.Signals): void;
  readonly finished: Promise<Finished>;
}

/** Starts the built `gangway`, for a test that signals or kills its process. */
export function startSpawnedGangway(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): SpawnedCommand {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['dist/starter.js', ...args], {
    cwd: ROOT,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = once(child, 'close');
  const output = watched(child, end);
  return {
    ...output,
    kill: (signal) => child.kill(signal),
    finished: end.then(() => ({ code: child.exitCode, stdout: output.stdout(), stderr: output.stderr() })),
  };
}

/** The JSON lines that a command printed. */
export function jsonLines<Line = Record<string, unknown>>({ stdout }: Finished): Line[] {
  const lines = stdout.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Line);
}

export interface RunningProcess {
  readonly child: ChildProcess;
  /** What it has printed on standard error so far. */
  readonly stderr: () => string;
  readonly exit: Promise<number | null>;
}

/** Where a process runs, and of which build it is; here and this one unless given. */
export interface Place {
  readonly cwd?: string | undefined;
  readonly build?: string | undefined;
}

/** Starts one of the built processes and waits until it has printed `ready`. */
export function launch(
  name: 'worker' | 'sandbox' | 'receiver',
  env: Readonly<Record<string, string>>,
  ready: string,
  { cwd, build = ROOT }: Place = {},
): Promise<RunningProcess> {
  return launchNode([join(build, 'dist', `${name}.js`)], env, ready, cwd);
}

/** Starts Node with these arguments and waits until it has printed `ready`. */
export async function launchNode(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: string,
  cwd = ROOT,
): Promise<RunningProcess> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, args, { cwd, env: { PATH, HOME, ...env } });
  // A test that fails half-way leaves nothing behind.
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  child.once('exit', () => process.off('exit', killAtExit));
  let printed = '';
  let stderr = '';
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      printed += chunk;
      if (printed.includes(ready)) resolve();
    };
    child.stdout.on('data', onData);
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk;
      onData(chunk);
    });
    exit.then((code) => reject(new Error(`${args.join(' ')} ended with ${code}: ${printed}`)), reject);
  });
  return { child, stderr: () => stderr, exit };
}
