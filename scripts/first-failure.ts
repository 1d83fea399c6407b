import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';

/** The test projects, cheapest first, and those whose tests take minutes. */
const QUICK = ['unit', 'integration'];
const SLOW = ['e2e'];

/** How long the tests may take to stop their processes after Ctrl-C. */
const GRACE_MS = 15_000;

/** How often tests are repeated when some of them fail once and pass when they run alone. */
const PATIENCE = 3;

/** A test that fails, also when it runs alone. */
export interface Failure {
  readonly file: string;
  /** Absent when the file fails as a whole. */
  readonly title: string | undefined;
  /** With the titles of its groups. */
  readonly name: string;
}

/** The result of a defect is unknown. The message contains the reason. */
export class Broken extends Error {}

/** Ctrl-C ends the running defect, and skips the rest. */
export const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupted.abort());

/**
 * Runs tests until one fails. First the file that probably has it. Then those in the folder of a changed file, because imports
 * lead neither to workflows nor to spawned processes; then those that import a changed file; then all others.
 */
export async function firstFailure(
  copy: string,
  tests: readonly string[],
  changed: readonly string[],
  likely: string,
): Promise<Failure | undefined> {
  const nearby = changed.flatMap((file) => foldersOf(dirname(relative('src', file))));
  const close = [...nearby, 'related'];
  const passed = new Set<string>();
  // If it fails only beside others, the tests below decide.
  const found = await failing(copy, ['run', likely], passed).catch(unlessBroken);
  if (found) return found;
  for (const [projects, stages] of [
    [QUICK, close],
    [SLOW, close],
    [[...QUICK, ...SLOW], ['']],
  ] as const) {
    for (const [stage, project] of stages.flatMap((each) => projects.map((name) => [each, name] as const))) {
      const left = tests.filter((file) => file.startsWith(`test/${project}/`) && !passed.has(file));
      const chosen = left.filter((file) => file.includes(`/${stage}`));
      if (stage === 'related') chosen.push(...changed, ...[...passed].map((file) => `--exclude=${file}`));
      if (chosen.length === 0) continue;
      const command = stage === 'related' ? stage : 'run';
      const failed = await failing(copy, [command, ...chosen, `--project=${project}`], passed);
      if (failed !== undefined) return failed;
    }
  }
  return undefined;
}

function unlessBroken(error: unknown): undefined {
  if (!(error instanceof Broken)) throw error;
}

/** `commands/batch/` and `commands/`; nothing for a file at the top of src/. */
function foldersOf(folder: string): string[] {
  return folder === '.' ? [] : [`${folder}/`, ...foldersOf(dirname(folder))];
}

/**
 * Runs tests. A failing test must also fail when it runs alone: others fail because the machine is busy, or because vitest
 * cancels the tests that run beside the first failure.
 *
 * @param passed receives the files if all tests pass
 */
async function failing(copy: string, args: string[], passed: Set<string>): Promise<Failure | undefined> {
  for (let attempt = 0; attempt < PATIENCE; attempt++) {
    const { files, failures } = await vitest(copy, args);
    if (failures.length === 0) {
      for (const file of files) passed.add(file);
      return undefined;
    }
    for (const failure of failures) if (await failsAlone(copy, failure)) return failure;
  }
  throw new Broken(`tests fail, and pass when they run alone: ${args.join(' ')}`);
}

/** Whether a test fails when nothing runs beside it. */
export async function failsAlone(copy: string, { file, title }: Failure): Promise<boolean> {
  const only = title === undefined ? [] : ['-t', literally(title)];
  return (await vitest(copy, ['run', file, ...only])).failures.length > 0;
}

/** A regular expression that matches only this text. */
function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The part of vitest's JSON report that is read. A file may fail as a whole, with a message. */
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
    .map(({ name, assertionResults }): Failure => {
      const failed = assertionResults.find((one) => one.status === 'failed');
      const { title, fullName = 'the file as a whole' } = failed ?? {};
      return { file: relative(copy, name), title, name: fullName };
    })
    // A failed file without a failed test was usually cancelled.
    .sort((a, b) => Number(a.title === undefined) - Number(b.title === undefined));
  if (code !== 0 && failures.length === 0) throw new Broken(output);
  return { files: testResults.map(({ name }) => relative(copy, name)), failures };
}

/** Runs a program in its own process group, so that it can stop its processes after Ctrl-C, and all of them end. */
export async function run(cwd: string, program: string, args: readonly string[]) {
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
  interrupted.signal.addEventListener('abort', stop);
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await once(child, 'exit');
  kill('SIGKILL');
  interrupted.signal.removeEventListener('abort', stop);
  interrupted.signal.throwIfAborted();
  return { code, output: (await printed).join('') };
}
