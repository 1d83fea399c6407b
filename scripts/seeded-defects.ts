/**
 * Proves that the tests catch defects. `npm run seeded-defects` applies each patch of test/seeded-defects to a scratch copy of
 * the project, and runs tests until one fails: first the file that it names, then those that import what it changes. What failed must
 * pass without the defects. Exit code 1 if a defect survives.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { Command } from 'commander';
import pLimit from 'p-limit';
import { ensureFreshBuild } from './build-stamp.js';
import { type Failure, interrupted, ROOT, run, runTests, scratchCopy } from './runs.js';

const PATCHES = join(ROOT, 'test', 'seeded-defects');

/** A defect may make a test wait forever: this ends the test, and then whatever the test still holds up. */
const TEST_TIMEOUT = '--testTimeout=60000';
const LIMIT_MS = 180_000;

/** In place of the name of a test. */
const LATE = 'does not end';

const OPTIONS = ['--bail=1', '--passWithNoTests', TEST_TIMEOUT];

const print = (line: string) => process.stdout.write(`${line}\n`);
const patchOf = (name: string) => join(PATCHES, `${name}.patch`);
const textOf = (name: string) => readFileSync(patchOf(name), 'utf8');
const entries = readdirSync(PATCHES).map((file) => basename(file, '.patch'));
const program = new Command('seeded-defects')
  .description('Apply known defects one by one, and check that a test fails.')
  .argument('[names...]', 'defects, by the names of their patches; default: all')
  .option('--list', 'list the defects without running tests')
  .option('--simulate', 'run 300 schedules of the simulation instead of the tests')
  .parse();
const names = program.args.length > 0 ? program.args : entries.sort();
for (const name of names) if (!entries.includes(name)) program.error(`there is no defect ${name}`);
const width = Math.max(...names.map(({ length }) => length));
const { list: isList, simulate: isSimulation } = program.opts<{ list?: true; simulate?: true }>();
if (isList)
  for (const name of names) print(`${name}\n${textOf(name).split('\n\n')[0]?.replace(/^/gm, '    ')}`);
else
  process.exitCode = await seedAll().catch((error: unknown) => {
    if (interrupted.signal.aborted) return 130;
    throw error;
  });

/** @returns the exit code */
async function seedAll(): Promise<number> {
  ensureFreshBuild();
  const failures = await pLimit(availableParallelism()).map(names, seed);
  const caught = failures.filter((failure) => failure !== undefined);
  const isCatcher = (one: Failure) => caught.some(({ file, name }) => file === one.file && name === one.name);
  const failing = caught.length > 0 && !isSimulation ? await failuresWithoutDefect(caught) : [];
  const wrong = failing.filter(isCatcher);
  for (const { file, name } of wrong) print(`fails without a defect, too: ${file} > ${name}`);
  print(`${caught.length} of ${names.length} caught`);
  return caught.length === names.length && wrong.length === 0 ? 0 : 1;
}

/** A test that always fails would catch everything. */
async function failuresWithoutDefect(caught: readonly Failure[]): Promise<readonly Failure[]> {
  const copy = await scratchCopy();
  try {
    const options = { cwd: copy.root, limitMs: LIMIT_MS };
    const wrong: Failure[] = [];
    for (const late of caught.filter(({ name }) => name === LATE))
      if ((await runTests([late.file, TEST_TIMEOUT], options)).isLate) wrong.push(late);
    const files = new Set(caught.map(({ file }) => file));
    return [...wrong, ...(await runTests([...files], { cwd: copy.root })).failures];
  } finally {
    await copy.remove();
  }
}

/** Prints whether a defect is caught. @returns the test that catches it */
async function seed(name: string): Promise<Failure | undefined> {
  const start = performance.now();
  const report = (result: string, detail: string) => {
    const seconds = `${((performance.now() - start) / 1_000).toFixed(0)} s`.padStart(6);
    print(`${name.padEnd(width)}  ${result.padEnd(8)}${seconds}  ${detail}`.trimEnd());
  };
  try {
    const failure = await catcherOf(name);
    report(failure ? 'caught' : 'survived', failure ? `${failure.file} > ${failure.name}` : '');
    return failure;
  } catch (error) {
    if (interrupted.signal.aborted) throw error;
    report('broken', error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

/** Runs with the defect until one breaks a promise. @returns which promise, and after how many runs */
async function simulated(cwd: string): Promise<Failure | undefined> {
  const { code, output } = await run('npm', ['run', '-s', 'simulate', '--', '--count', '300', '--stop'], {
    cwd,
  });
  if (code === 0) return undefined;
  const [, promise = output, problem = ''] = /^seed \d+:\n +(.+)\n +(.+)/m.exec(output) ?? [];
  const [, runs = ''] = /^(\d+ runs), \d+ onboardings, \d+ steps in .+ pairs of a fault/m.exec(output) ?? [];
  return { file: runs, name: `${promise} ${problem}` };
}

async function catcherOf(name: string): Promise<Failure | undefined> {
  const { root: cwd, remove } = await scratchCopy();
  const make = async (command: string, ...args: string[]) => {
    const { code, output } = await run(command, args, { cwd });
    if (code !== 0) throw new Error(output);
  };
  const failing = async (args: readonly string[]) => {
    const options = { cwd, limitMs: LIMIT_MS };
    const { failures, isLate } = await runTests([...args, ...OPTIONS], options);
    return failures[0] ?? (isLate ? { file: named, name: LATE } : undefined);
  };
  const [, named = ''] = /^Test: (.+)$/m.exec(textOf(name)) ?? [];
  const changed = [...textOf(name).matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, file = '']) => file);
  const related = (project: string) => failing(['related', ...changed, `--project=${project}`]);
  try {
    await make('git', 'apply', patchOf(name));
    if (isSimulation) {
      // A defect may be one of types as well.
      await run('node', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], { cwd });
      await make('node', 'scripts/bundle-workflows.mjs');
      return await simulated(cwd);
    }
    const isUnit = named.startsWith('test/unit/');
    if (!isUnit) await make('npm', 'run', 'build');
    const result = (await failing([named])) ?? (await related('unit'));
    if (result) return result;
    // Unit tests need no build.
    if (isUnit) await make('npm', 'run', 'build');
    return (await related('workflows')) ?? (await related('components')) ?? (await related('integration'));
  } finally {
    await remove();
  }
}
