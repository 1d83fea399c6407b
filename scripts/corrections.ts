/**
 * Proves that a correction by a partner is one edit in the catalogue, or in the schema beside it. `npm run corrections` does each
 * of five corrections in a scratch copy of the project, writes the generated pages, and runs the affected tests. It prints the
 * files that each correction touches. Exit code 1 if a correction needs more than its edit, or if a test fails.
 *
 * Tests quote the partner's contract as literal text. Such a transcript has the words of the partner, so it is corrected, too.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { CORRECTIONS, type Correction } from './known-corrections.js';
import { run, runTests } from './runs.js';
import { type ScratchCopy, scratchCopy } from './scratch-copy.js';

/** Tests of the catalogue as a whole, its documents, and the pages that are made from it. */
const ALWAYS = ['test/unit/partners/', 'test/unit/docs/', 'test/integration/partners/openapi/'];

const print = (line: string) => process.stdout.write(`${line}\n`);
const known = Object.keys(CORRECTIONS);
const program = new Command('corrections')
  .description('Make known corrections of partners one by one, and show what each touches.')
  .argument('[names...]', 'corrections by name; default: all')
  .option('--only-pages', 'check types and write the pages, without building and running tests')
  .parse();
const { onlyPages } = program.opts<{ onlyPages?: true }>();
const names = program.args.length > 0 ? program.args : known;
for (const name of names) if (!known.includes(name)) program.error(`there is no correction ${name}`);

for (const name of names) {
  const correction = CORRECTIONS[name];
  if (correction && !(await proves(name, correction))) process.exitCode = 1;
}

/** Whether the correction needs nothing but its edits, and every test passes. */
async function proves(name: string, correction: Correction): Promise<boolean> {
  const copy = await scratchCopy();
  try {
    print(`${name}: ${correction.what}`);
    for (const { file, from, to } of correction.edits) change(copy, file, from, to);
    for (const { file, from, to } of correction.transcripts) change(copy, file, from, to, true);
    show(
      'edited',
      correction.edits.map(({ file }) => file),
    );
    show(
      'transcripts',
      correction.transcripts.map(({ file }) => file),
    );
    const before = hashes(copy);
    const steps: [string, ...string[]][] = [
      [process.execPath, 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
      ['node_modules/.bin/tsx', 'scripts/docs.ts'],
    ];
    if (!onlyPages) steps.push(['npm', 'run', 'build']);
    for (const [command, ...args] of steps) {
      const { code, output } = await run(command, args, { cwd: copy.root });
      if (code !== 0) return failed(`${[command, ...args].join(' ')}\n${output}`);
      if (args.includes('scripts/docs.ts')) {
        const after = hashes(copy);
        show(
          'generated',
          copy.files.filter((file) => before.get(file) !== after.get(file)),
        );
      }
    }
    return onlyPages ? true : await testsPass(copy, correction);
  } finally {
    await copy.remove();
  }
}

function failed(why: string): false {
  print(`  FAILED       ${why}`);
  return false;
}

function show(what: string, files: readonly string[]): void {
  for (const file of files) print(`  ${what.padEnd(11)}  ${file}`);
}

function change(copy: ScratchCopy, file: string, from: string, to: string, everywhere = false): void {
  const path = join(copy.root, file);
  const text = readFileSync(path, 'utf8');
  const places = text.split(from).length - 1;
  if (places === 0 || (places > 1 && !everywhere))
    throw new Error(`${file} has ${places} places with: ${from}`);
  writeFileSync(
    path,
    text.replaceAll(from, () => to),
  );
}

function hashes({ root, files }: ScratchCopy): Map<string, string> {
  const hash = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(root, file)))
      .digest('hex');
  return new Map(files.map((file) => [file, hash(file)]));
}

/** Runs every test that names what is corrected, and those of the catalogue. */
async function testsPass(copy: ScratchCopy, { words }: Correction): Promise<boolean> {
  const tests = copy.files.filter((file) => /^test\/(unit|integration)\/.+\.test\.ts$/.test(file));
  const isAffected = (file: string) => {
    const text = readFileSync(join(copy.root, file), 'utf8');
    return words.some((word) => text.includes(word)) || ALWAYS.some((folder) => file.startsWith(folder));
  };
  const affected = tests.filter(isAffected);
  const projects = ['--project=unit', '--project=workflows', '--project=integration'];
  const { passed, failures } = await runTests([...affected, ...projects], { cwd: copy.root });
  print(`  tests        ${passed} pass in ${affected.length} files`);
  const names = failures.map(({ file, name }) => `${file} ${name}`);
  return failures.length === 0 || failed(names.join('\n               '));
}
