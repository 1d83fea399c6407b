/** Runs programs and tests for other scripts. Ctrl-C ends all that run, with their processes. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** How long a program may take to stop its own processes. */
const GRACE_MS = 15_000;

/** Ctrl-C. */
export const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupted.abort());

export interface RunOptions {
  /** Default: the project. */
  readonly cwd?: string;
  /** Stops the program after this time. */
  readonly limitMs?: number;
}

/** Runs a program in a process group of its own, all of which ends with it. */
export async function run(program: string, args: readonly string[], options: RunOptions = {}) {
  const { cwd = ROOT, limitMs } = options;
  interrupted.signal.throwIfAborted();
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const kill = (signal: NodeJS.Signals) => {
    try {
      process.kill(-(child.pid ?? 0), signal);
    } catch {
      // The whole group has ended.
    }
  };
  const stop = () => {
    kill('SIGINT');
    setTimeout(kill, GRACE_MS, 'SIGKILL').unref();
  };
  const late = AbortSignal.any(limitMs ? [AbortSignal.timeout(limitMs)] : []);
  const stopped = AbortSignal.any([interrupted.signal, late]);
  stopped.addEventListener('abort', stop);
  const outputs = [child.stdout, child.stderr];
  const printed = Promise.all(outputs.map((output) => text(output)));
  const [code] = await once(child, 'exit');
  kill('SIGKILL');
  stopped.removeEventListener('abort', stop);
  interrupted.signal.throwIfAborted();
  return { code: code as number | null, output: (await printed).join(''), isLate: late.aborted };
}

/** A test that failed, or a file. */
export interface Failure {
  readonly file: string;
  readonly name: string;
}

/** The part of vitest's JSON report that is read. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Runs vitest. @throws {Error} with what it printed, if something else than a test fails */
export async function runTests(args: readonly string[], options: RunOptions = {}) {
  const { cwd = ROOT } = options;
  const folder = await mkdtemp(join(tmpdir(), 'gangway-report-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  try {
    const { code, output, isLate } = await run(
      join(cwd, 'node_modules/.bin/vitest'),
      [...args, '--run', ...reporters],
      options,
    );
    const read = existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as Report) : undefined;
    const files = (read?.testResults ?? []).map((file) => ({ ...file, file: relative(cwd, file.name) }));
    const tests = files.flatMap(({ file, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName: name }) => ({ file, name })),
    );
    // Without a failed test: last, because vitest also cancels files after the first failure.
    const others = files.filter(
      ({ file, status }) => status === 'failed' && !tests.some((test) => test.file === file),
    );
    const failures: Failure[] = [...tests, ...others.map(({ file }) => ({ file, name: 'as a whole' }))];
    if (!isLate && (!read || (code !== 0 && failures.length === 0))) throw new Error(output);
    return { failures, isLate };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Copies the project's files and its build, including uncommitted changes, to a folder where they can be changed and tested. */
export async function scratchCopy() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'gangway-copy-')));
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  const copied = [...listed, 'dist'].filter((path) => path !== '' && existsSync(join(ROOT, path)));
  const copying = { recursive: true, preserveTimestamps: true };
  await Promise.all(copied.map((path) => cp(join(ROOT, path), join(root, path), copying)));
  await mkdir(join(root, '.cache'));
  // Too large to copy, and the same in every copy. The folder of the demo is not: a copy runs its own.
  const cached = await readdir(join(ROOT, '.cache')).catch(() => []);
  const linked = cached.filter((name) => name !== 'demo').map((name) => join('.cache', name));
  await Promise.all(['node_modules', ...linked].map((path) => symlink(join(ROOT, path), join(root, path))));
  // Some tests copy the copy.
  execFileSync('git', ['init', '--quiet'], { cwd: root });
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}
