/**
 * Proves that the tests notice what goes wrong. `npm run seeded-defects` applies each patch of test/seeded-defects to a
 * scratch copy of the project, builds it, and runs the tests until one fails: the nearest and cheapest first. Exit code 1
 * unless every defect is caught. The tests must pass without a defect, because a test that fails anyway catches everything.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PATCHES = join(ROOT, 'test', 'seeded-defects');

/** The test projects, cheapest first. */
const PROJECTS = ['unit', 'integration', 'e2e'];

/** Too large to copy, and the same in every copy. */
const SHARED = ['node_modules', '.cache'];

/** How long the tests may take to stop what they have started, after a Ctrl-C, in milliseconds. */
const GRACE_MS = 15_000;

/** What came of a defect, and the first test that failed. `broken` means that nothing can be said about it, and why. */
interface Verdict {
  readonly result: 'caught' | 'survived' | 'broken';
  readonly by: string;
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const patchOf = (name: string) => join(PATCHES, `${name}.patch`);
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupted.abort());

const known = readdirSync(PATCHES).map((file) => basename(file, '.patch'));
const program = new Command('seeded-defects')
  .description('Apply known defects one by one, and check that a test fails.')
  .argument('[names...]', 'defects, by the names of their patches; default: all')
  .option('--list', 'list the defects, and run nothing')
  .parse();
const names = program.args.length > 0 ? program.args : known.sort();
for (const name of names) if (!known.includes(name)) program.error(`there is no defect ${name}`);
if (program.opts<{ list?: true }>().list) names.forEach(list);
else process.exitCode = await seedAll();

function list(name: string): void {
  const [words = ''] = readFileSync(patchOf(name), 'utf8').split('\n\n');
  print(`${name}\n${words.replace(/^/gm, '    ')}`);
}

async function seedAll(): Promise<number> {
  const width = Math.max(...names.map((name) => name.length));
  const count = { caught: 0, survived: 0, broken: 0 };
  for (const name of names) {
    const began = Date.now();
    const verdict = await seed(name).catch((error: Error) => error);
    if (interrupted.signal.aborted) return 130;
    if (verdict instanceof Error) throw verdict;
    const { result, by } = verdict;
    count[result] += 1;
    const seconds = ((Date.now() - began) / 1_000).toFixed(0).padStart(5);
    print(`${name.padEnd(width)}  ${result.padEnd(8)}  ${seconds} s  ${by}`);
  }
  const broken = count.broken > 0 ? `, ${count.broken} broken` : '';
  print(`${count.caught} caught, ${count.survived} survived${broken}`);
  return count.caught === names.length ? 0 : 1;
}

async function seed(name: string): Promise<Verdict> {
  const copy = await realpath(await mkdtemp(join(tmpdir(), 'gangway-defect-')));
  try {
    const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
    const files = listed.filter((file) => file !== '' && existsSync(join(ROOT, file)));
    await Promise.all(files.map((file) => cp(join(ROOT, file), join(copy, file))));
    await Promise.all(SHARED.map((folder) => symlink(join(ROOT, folder), join(copy, folder))));
    for (const [program, ...args] of [
      ['git', 'apply', patchOf(name)],
      ['npm', 'run', 'build'],
    ] as const) {
      const { code, output } = await run(copy, program, args);
      if (code !== 0) return { result: 'broken', by: output };
    }
    const changed = [...readFileSync(patchOf(name), 'utf8').matchAll(/^\+\+\+ b\/(.+)$/gm)];
    const tests = files.filter((file) => file.endsWith('.test.ts'));
    return await test(
      copy,
      tests,
      changed.map(([, file = '']) => file),
    );
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/**
 * Runs tests until one fails: first those in the folder of a changed file, because no import leads to workflows and spawned
 * processes; then those that import a changed file; then all others.
 */
async function test(copy: string, tests: readonly string[], changed: readonly string[]): Promise<Verdict> {
  const projects = PROJECTS.filter((project) => tests.some((file) => file.startsWith(`test/${project}/`)));
  const ran = new Set<string>();
  const nearby = changed.flatMap((file) => foldersOf(dirname(relative('src', file))));
  for (const stage of [...nearby, 'related', '']) {
    for (const project of projects.length > 0 ? projects : ['']) {
      const left = tests.filter((file) => file.startsWith(`test/${project}`) && !ran.has(file));
      const more = project === '' ? [] : [`--project=${project}`];
      const chosen = left.filter((file) => file.includes(`/${stage}`));
      if (stage === 'related') chosen.push(...changed, ...[...ran].map((file) => `--exclude=${file}`));
      if (chosen.length === 0) continue;
      const verdict = await vitest(copy, [stage === 'related' ? stage : 'run', ...chosen, ...more], ran);
      if (verdict) return verdict;
    }
  }
  return { result: 'survived', by: `${ran.size} test files passed` };
}

/** `commands/batch/` and `commands/`; nothing for a file at the top of src/. */
function foldersOf(folder: string): string[] {
  return folder === '.' ? [] : [`${folder}/`, ...foldersOf(dirname(folder))];
}

/** What is read of vitest's JSON report. A file may fail as a whole, with a message. */
interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
}

/** Adds the files that ran to `ran`. @returns undefined when all tests passed */
async function vitest(copy: string, args: string[], ran: Set<string>): Promise<Verdict | undefined> {
  const report = join(copy, 'report.json');
  await rm(report, { force: true });
  const options = ['--run', '--bail=1', '--passWithNoTests', '--reporter=json', `--outputFile=${report}`];
  const { code, output } = await run(copy, 'node_modules/.bin/vitest', [...args, ...options]);
  const json = existsSync(report) ? readFileSync(report, 'utf8') : '{"testResults":[]}';
  const { testResults: files } = JSON.parse(json) as { testResults: TestFile[] };
  for (const { name } of files) ran.add(relative(copy, name));
  if (code === 0) return undefined;
  const failed = files.flatMap(({ name, status, message, assertionResults }) => {
    const test = assertionResults.find((one) => one.status === 'failed')?.fullName;
    return status === 'failed' ? [`${relative(copy, name)} > ${test ?? message.split('\n')[0]}`] : [];
  });
  return failed[0] === undefined ? { result: 'broken', by: output } : { result: 'caught', by: failed[0] };
}

/** Runs a program in a process group of its own, so that a Ctrl-C lets it stop what it has started, and all of it ends. */
async function run(cwd: string, program: string, args: readonly string[]) {
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
