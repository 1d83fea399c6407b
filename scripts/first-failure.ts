import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';

/** The test projects, cheapest first. */
const PROJECTS = ['unit', 'integration', 'e2e'];

/** How long the tests may take to stop what they have started, after a Ctrl-C, in milliseconds. */
const GRACE_MS = 15_000;

/** How often the same tests are run when some of them fail once and pass by themselves. */
const PATIENCE = 3;

/** Nothing can be said about a defect. The message says why. */
export class Broken extends Error {}

/** A Ctrl-C ends what runs, and all that comes after it. */
export const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupted.abort());

/**
 * Runs tests until one fails: first those in the folder of a changed file, because no import leads to workflows and spawned
 * processes; then those that import a changed file; then all others.
 */
export async function firstFailure(copy: string, tests: readonly string[], changed: readonly string[]) {
  const projects = PROJECTS.filter((project) => tests.some((file) => file.startsWith(`test/${project}/`)));
  const nearby = changed.flatMap((file) => foldersOf(dirname(relative('src', file))));
  const passed = new Set<string>();
  for (const stage of [...nearby, 'related', '']) {
    for (const project of projects.length > 0 ? projects : ['']) {
      const left = tests.filter((file) => file.startsWith(`test/${project}`) && !passed.has(file));
      const chosen = left.filter((file) => file.includes(`/${stage}`));
      if (stage === 'related') chosen.push(...changed, ...[...passed].map((file) => `--exclude=${file}`));
      if (chosen.length === 0) continue;
      const more = project === '' ? [] : [`--project=${project}`];
      const failed = await failing(copy, [stage === 'related' ? stage : 'run', ...chosen, ...more], passed);
      if (failed !== undefined) return failed;
    }
  }
  return undefined;
}

/** `commands/batch/` and `commands/`; nothing for a file at the top of src/. */
function foldersOf(folder: string): string[] {
  return folder === '.' ? [] : [`${folder}/`, ...foldersOf(dirname(folder))];
}

/**
 * Runs tests. One that fails must fail by itself as well: a busy machine makes some fail, and so does vitest where it cancels
 * what runs beside the first failure.
 *
 * @param passed takes the files, when all tests pass
 */
async function failing(copy: string, args: string[], passed: Set<string>): Promise<string | undefined> {
  for (let attempt = 0; attempt < PATIENCE; attempt++) {
    const { files, failures } = await vitest(copy, args);
    if (failures.length === 0) {
      for (const file of files) passed.add(file);
      return undefined;
    }
    for (const { file, title } of failures) {
      const only = title === undefined ? [] : ['-t', literally(title)];
      const [failure] = (await vitest(copy, ['run', file, ...only])).failures;
      if (failure) return `${file} > ${failure.test ?? 'the file as a whole'}`;
    }
  }
  throw new Broken(`tests fail, and pass by themselves: ${args.join(' ')}`);
}

/** A regular expression that finds just this text. */
function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** What is read of vitest's JSON report. A file may fail as a whole, with a message. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

async function vitest(copy: string, args: string[]) {
  const report = join(copy, 'report.json');
  await rm(report, { force: true });
  const options = ['--run', '--bail=1', '--passWithNoTests', '--reporter=json', `--outputFile=${report}`];
  const { code, output } = await run(copy, 'node_modules/.bin/vitest', [...args, ...options]);
  if (!existsSync(report)) throw new Broken(output);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const failures = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, assertionResults }) => {
      const failed = assertionResults.find((one) => one.status === 'failed');
      return { file: relative(copy, name), test: failed?.fullName, title: failed?.title };
    })
    // A file without a failed test was cancelled, as a rule.
    .sort((a, b) => Number(a.test === undefined) - Number(b.test === undefined));
  if (code !== 0 && failures.length === 0) throw new Broken(output);
  return { files: testResults.map(({ name }) => relative(copy, name)), failures };
}

/** Runs a program in a process group of its own, so that a Ctrl-C lets it stop what it has started, and all of it ends. */
export async function run(cwd: string, program: string, args: readonly string[]) {
  interrupted.signal.throwIfAborted();
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const kill = (signal: NodeJS.Signals) => {
    try {
      process.kill(-(child.pid ?? 0), signal);
    } catch {
      // All of the group has ended.
    }
  };
  const stop = () => {
    kill('SIGINT');
    setTimeout(kill, GRACE_MS, 'SIGKILL').unref();
  };
  interrupted.signal.addEventListener('abort', stop);
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await once(child, 'exit');
  kill('SIGKILL');
  interrupted.signal.removeEventListener('abort', stop);
  interrupted.signal.throwIfAborted();
  return { code, output: (await printed).join('') };
}
