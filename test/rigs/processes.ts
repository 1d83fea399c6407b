import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { endWithUs } from '../../src/platform/process/lifecycle.js';
import { type Watched, watched } from './output.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, as a shell does, with `env` and the PATH and HOME of this process. */
export async function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
  cwd = ROOT,
): Promise<Finished> {
  const child = spawn(command, args, { cwd, env: environmentOf(env), detached: true });
  endWithUs(child, 'group');
  // It may end without reading.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** Where Node keeps compiled code, because many processes run the same: a fifth of what the start of a worker takes. */
const COMPILED = join(ROOT, '.cache', 'compiled');

/** Adds to `env` where programs and files are, and where scripts/coverage.sh collects coverage, which needs all functions compiled. */
export function environmentOf(env: Readonly<Record<string, string>>): Record<string, string> {
  const { PATH = '', HOME = '', NODE_V8_COVERAGE: coverage } = process.env;
  const compiled = coverage ? { NODE_V8_COVERAGE: coverage } : { NODE_COMPILE_CACHE: COMPILED };
  return { PATH, HOME, ...compiled, ...env };
}

/** Runs the built `gangway` in a process. A test that needs no process uses rigs/command.ts. */
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
  const child = spawn(process.execPath, ['dist/starter.js', ...args], {
    cwd: ROOT,
    env: environmentOf(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  endWithUs(child, 'group');
  const end = once(child, 'close');
  const output = watched(child, end);
  return {
    ...output,
    kill: (signal) => child.kill(signal),
    finished: end.then(() => ({ code: child.exitCode, stdout: output.stdout(), stderr: output.stderr() })),
  };
}

/** The JSON lines of the output of a command. */
export function jsonLines<Line = Record<string, unknown>>({ stdout }: Finished): Line[] {
  const lines = stdout.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Line);
}

export interface RunningProcess {
  readonly child: ChildProcess;
  /** Its standard error so far. */
  readonly stderr: () => string;
  /** Where it serves, as it has logged when it was ready. */
  readonly addresses: () => Readonly<Record<'url' | 'metrics' | 'health', string>>;
  readonly exit: Promise<number | null>;
  /** Sends a signal, by default SIGTERM. @returns the exit code */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Working directory and build of a process. Default: the root of this project, and its build. */
export interface Place {
  readonly cwd?: string | undefined;
  readonly build?: string | undefined;
}

/** Starts one of the built processes and waits until it has printed `ready`. */
export function launch(
  name: 'worker' | 'sandbox' | 'receiver' | 'console' | 'codec-server' | 'link',
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
  const child = spawn(process.execPath, args, { cwd, env: environmentOf(env), detached: true });
  // A test that fails leaves no process behind.
  endWithUs(child, 'group');
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
  return {
    child,
    stderr: () => stderr,
    addresses: () => JSON.parse(stderr.split('\n').find((line) => line.includes(ready)) ?? '{}'),
    exit,
    stop(signal) {
      child.kill(signal);
      return exit;
    },
  };
}
