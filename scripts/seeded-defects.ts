/**
 * Proves that the tests catch defects. `npm run seeded-defects` applies each patch of test/seeded-defects to a scratch copy of
 * the project, builds it, and runs the tests until one fails: first the file that the patch names, then the nearest and
 * cheapest. That test must pass without the defect. Exit code 1 if a defect survives.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { Broken, failsAlone, firstFailure, interrupted, run } from './first-failure.js';
import { scratchCopy } from './scratch-copy.js';

const PATCHES = fileURLToPath(new URL('../test/seeded-defects', import.meta.url));

const print = (line: string) => process.stdout.write(`${line}\n`);
/** The test file that should catch it, as the words before the patch name it. */
const testOf = (name: string) => /^Test: (.+)$/m.exec(readFileSync(patchOf(name), 'utf8'))?.[1] ?? '';
const patchOf = (name: string) => join(PATCHES, `${name}.patch`);
const known = readdirSync(PATCHES).map((file) => basename(file, '.patch'));
const program = new Command('seeded-defects')
  .description('Apply known defects one by one, and check that a test fails.')
  .argument('[names...]', 'defects, by the names of their patches; default: all')
  .option('--list', 'list the defects without running tests')
  .parse();
const names = program.args.length > 0 ? program.args : known.sort();
for (const name of names) if (!known.includes(name)) program.error(`there is no defect ${name}`);
if (program.opts<{ list?: true }>().list) names.forEach(list);
else process.exitCode = await seedAll();

function list(name: string): void {
  const [words = ''] = readFileSync(patchOf(name), 'utf8').split('\n\n');
  print(`${name}\n${words.replace(/^/gm, '    ')}`);
}

/** @returns the exit code */
async function seedAll(): Promise<number> {
  const width = Math.max(...names.map((name) => name.length));
  const count = { caught: 0, survived: 0, broken: 0 };
  for (const name of names) {
    const began = Date.now();
    const failed = await seed(name).catch((error: unknown) => error);
    if (interrupted.signal.aborted) return 130;
    if (failed instanceof Error && !(failed instanceof Broken)) throw failed;
    const result = failed instanceof Broken ? 'broken' : failed ? 'caught' : 'survived';
    count[result] += 1;
    const seconds = ((Date.now() - began) / 1_000).toFixed(0).padStart(5);
    const detail = failed instanceof Broken ? failed.message : (failed ?? '');
    print(`${name.padEnd(width)}  ${result.padEnd(8)}  ${seconds} s  ${detail}`);
  }
  const broken = count.broken > 0 ? `, ${count.broken} broken` : '';
  print(`${count.caught} caught, ${count.survived} survived${broken}`);
  return count.caught === names.length ? 0 : 1;
}

/** @returns the test that fails with the defect, and passes without it, if one does */
async function seed(name: string): Promise<string | undefined> {
  const copy = await scratchCopy();
  const build = async (...options: string[]) => {
    for (const [program, ...args] of [
      ['git', 'apply', ...options, patchOf(name)],
      ['npm', 'run', 'build'],
    ]) {
      const { code, output } = await run(copy.root, program as string, args);
      if (code !== 0) throw new Broken(output);
    }
  };
  try {
    await build();
    const changed = [...readFileSync(patchOf(name), 'utf8').matchAll(/^\+\+\+ b\/(.+)$/gm)];
    const sources = changed.map(([, file = '']) => file);
    const tests = copy.files.filter((file) => file.endsWith('.test.ts'));
    const failure = await firstFailure(copy.root, tests, sources, testOf(name));
    if (!failure) return undefined;
    const found = `${failure.file} > ${failure.name}`;
    // A test that always fails would catch everything.
    await build('--reverse');
    if (await failsAlone(copy.root, failure)) throw new Broken(`${found} fails without the defect, too`);
    return found;
  } finally {
    await copy.remove();
  }
}
