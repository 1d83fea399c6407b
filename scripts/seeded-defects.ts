/**
 * Proves that the tests catch defects. `npm run seeded-defects` applies each patch of test/seeded-defects to a scratch copy of
 * the project, builds it, and runs the tests until one fails, the nearest and cheapest first. Exit code 1 if a defect survives.
 * The tests must pass without a defect, because a test that always fails would catch everything.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { Broken, firstFailure, interrupted, run } from './first-failure.js';
import { scratchCopy } from './scratch-copy.js';

const PATCHES = fileURLToPath(new URL('../test/seeded-defects', import.meta.url));

const print = (line: string) => process.stdout.write(`${line}\n`);
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

/** @returns the test that fails, if one does */
async function seed(name: string): Promise<string | undefined> {
  const copy = await scratchCopy();
  try {
    const isApplied = await run(copy.root, 'git', ['apply', patchOf(name)]);
    if (isApplied.code !== 0) throw new Broken(isApplied.output);
    const isBuilt = await run(copy.root, 'npm', ['run', 'build']);
    if (isBuilt.code !== 0) throw new Broken(isBuilt.output);
    const changed = [...readFileSync(patchOf(name), 'utf8').matchAll(/^\+\+\+ b\/(.+)$/gm)];
    const sources = changed.map(([, file = '']) => file);
    return await firstFailure(
      copy.root,
      copy.files.filter((file) => file.endsWith('.test.ts')),
      sources,
    );
  } finally {
    await copy.remove();
  }
}
