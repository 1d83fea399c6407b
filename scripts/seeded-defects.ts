/**
 * Proves that the tests catch defects. `npm run seeded-defects` applies each patch of test/seeded-defects to a scratch copy of
 * the project, and runs tests until one fails: the file that the patch names, then the tests that import what it changes, then
 * all. The tests that failed must pass without the defects. Exit code 1 if a defect survives.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { Command } from 'commander';
import pLimit from 'p-limit';
import { requireFreshBuild } from './build-stamp.js';
import { type Failure, interrupted, ROOT, run, runTests } from './runs.js';
import { scratchCopy } from './scratch-copy.js';

const PATCHES = join(ROOT, 'test', 'seeded-defects');

/** A defect may make a test wait forever: this ends the test, and its file if the test still holds it up. */
const TEST_TIMEOUT = '--testTimeout=60000';
const FILE_LIMIT_MS = 120_000;

const QUICK = ['--project=unit', '--project=integration'];

const print = (line: string) => process.stdout.write(`${line}\n`);
const patchOf = (name: string) => join(PATCHES, `${name}.patch`);
const textOf = (name: string) => readFileSync(patchOf(name), 'utf8');
const known = readdirSync(PATCHES).map((file) => basename(file, '.patch'));
const program = new Command('seeded-defects')
  .description('Apply known defects one by one, and check that a test fails.')
  .argument('[names...]', 'defects, by the names of their patches; default: all')
  .option('--list', 'list the defects without running tests')
  .parse();
const names = program.args.length > 0 ? program.args : known.sort();
for (const name of names) if (!known.includes(name)) program.error(`there is no defect ${name}`);
if (program.opts<{ list?: true }>().list) names.forEach(list);
else process.exitCode = await seedAll().catch(endedByCtrlC);

function list(name: string): void {
  const [words = ''] = textOf(name).split('\n\n');
  print(`${name}\n${words.replace(/^/gm, '    ')}`);
}

function endedByCtrlC(error: unknown): number {
  if (interrupted.signal.aborted) return 130;
  throw error;
}

/** @returns the exit code */
async function seedAll(): Promise<number> {
  requireFreshBuild();
  const atOnce = pLimit(availableParallelism());
  const caught = (await atOnce.map(names, seed)).filter((failure) => failure !== undefined);
  const files = [...new Set(caught.map(({ file }) => file))];
  // A test that always fails would catch everything.
  const clean = files.length > 0 ? await runTests([...files, TEST_TIMEOUT]) : { failures: [] };
  for (const { file, name = 'the file as a whole' } of clean.failures)
    print(`${file} > ${name} fails without a defect, too`);
  print(`${caught.length} of ${names.length} caught`);
  return caught.length === names.length && clean.failures.length === 0 ? 0 : 1;
}

/** Prints what came of a defect. @returns the test that catches it */
async function seed(name: string): Promise<Failure | undefined> {
  const begun = performance.now();
  const report = (result: string, detail = '') => {
    const seconds = `${((performance.now() - begun) / 1_000).toFixed(0)} s`.padStart(6);
    print(
      `${name.padEnd(Math.max(...names.map(({ length }) => length)))}  ${result.padEnd(8)}${seconds}  ${detail}`,
    );
  };
  try {
    const failure = await catcherOf(name);
    if (failure) report('caught', `${failure.file} > ${failure.name}`);
    else report('survived');
    return failure;
  } catch (error) {
    if (interrupted.signal.aborted) throw error;
    report('broken', error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

async function catcherOf(name: string): Promise<Failure | undefined> {
  const copy = await scratchCopy();
  const cwd = copy.root;
  const make = async (command: string, ...args: string[]) => {
    const { code, output } = await run(command, args, { cwd });
    if (code !== 0) throw new Error(output);
  };
  try {
    await make('git', 'apply', patchOf(name));
    const [, named = ''] = /^Test: (.+)$/m.exec(textOf(name)) ?? [];
    const changed = [...textOf(name).matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, file = '']) => file);
    let isBuilt = false;
    for (const args of [[named], ['related', ...changed, ...QUICK], QUICK]) {
      const isUnit = args[0]?.startsWith('test/unit/');
      if (!isUnit && !isBuilt) await make('npm', 'run', 'build');
      isBuilt ||= !isUnit;
      const limit = args[0] === named ? { limitMs: FILE_LIMIT_MS } : {};
      const { failures, isLate } = await runTests([...args, '--bail=1', TEST_TIMEOUT], { cwd, ...limit });
      const [failure] = failures.filter((one) => one.name !== undefined);
      if (failure) return failure;
      if (isLate) return { file: named, name: 'does not end' };
      const [whole] = failures;
      if (whole) throw new Error(`${whole.file} fails as a whole`);
    }
    return undefined;
  } finally {
    await copy.remove();
  }
}
