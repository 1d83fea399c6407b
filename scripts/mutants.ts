/**
 * Measures the power of the unit tests. `npm run mutants -- FILE...` changes one expression of a file at a time, such as `<` to
 * `<=`, runs the unit tests that reach it, and prints the changes that no test noticed as `file:line  original -> mutant`. A table
 * with the share of noticed changes per file ends it. Sentences for people stay as they are.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { Command, InvalidArgumentError } from 'commander';
import { Printer } from '../src/commands/cli/output.js';

/** The files that decide what is sent, shown and accepted. */
const DECIDING = [
  ...['account-access', 'credentials', 'failures', 'marks', 'poll', 'write'].map(
    (name) => `src/activities/${name}.ts`,
  ),
  'src/commands/batch/run.ts',
  ...['onboarding-access', 'session'].map((name) => `src/console/${name}.ts`),
  ...['banking/token', 'http'].map((name) => `src/partners/${name}.ts`),
  ...['masked', 'private-fields'].map((name) => `src/privacy/${name}.ts`),
  ...['event-routes', 'nudges'].map((name) => `src/receiver/${name}.ts`),
  ...['backup', 'nudge', 'search', 'start'].map((name) => `src/temporal/${name}.ts`),
  ...[
    'boarding/decisions',
    'boarding/deliveries',
    'business/decisions',
    'business/tickets',
    'customer/decisions',
  ].map((name) => `src/workflows/${name}.ts`),
  ...['activity-proxies', 'call-failures', 'claims', 'requirement-queue', 'run-step', 'step'].map(
    (name) => `src/workflows/journey/${name}.ts`,
  ),
];

/** A longer text is cut in the list. */
const SHOWN = 90;

function whole(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('not a whole number.');
  return Number(text);
}

const program = new Command('mutants')
  .description('Change the code in small ways, and list the changes that no unit test notices.')
  .argument('[files...]', 'sources, such as src/activities/write.ts; default: the files that decide')
  .option('--at-least <percent>', 'exit with 1 if a file has a lower score', whole, 0)
  .option('--concurrency <count>', 'how many changes are tried at a time', whole, 1)
  .parse();
const files = program.args.length > 0 ? program.args.map((file) => relative('.', file)) : DECIDING;
for (const file of files) if (!existsSync(file)) program.error(`there is no file ${file}`);
const { atLeast, concurrency } = program.opts<{ atLeast: number; concurrency: number }>();

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

const stryker = new Stryker({ configFile: 'scripts/mutants/stryker.config.mjs', mutate: files, concurrency });
const results = await stryker.runMutationTest();
const printer = new Printer(process);

const noticed = (of: readonly Mutant[]) => of.filter(({ status }) => /Killed|Timeout/.test(status));
const survived = (of: readonly Mutant[]) => of.filter(({ status }) => /Survived|NoCoverage/.test(status));
const score = (of: readonly Mutant[]) => {
  const counted = noticed(of).length + survived(of).length;
  return counted === 0 ? 100 : (100 * noticed(of).length) / counted;
};

/** The text that a change replaces. */
function original({ fileName, location: { start, end } }: Mutant): string {
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = lines[last]?.slice(0, end.column - 1) ?? '';
  lines[0] = lines[0]?.slice(start.column - 1) ?? '';
  return lines.join('\n');
}

function inShort(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

const rows = files.map((file) => {
  const of = results.filter(({ fileName }) => relative('.', fileName) === file);
  for (const mutant of survived(of)) {
    const unreached = mutant.status === 'NoCoverage' ? '  (no unit test reaches it)' : '';
    const change = `${inShort(original(mutant))} -> ${inShort(mutant.replacement)}`;
    printer.line(`${file}:${mutant.location.start.line}  ${change}${unreached}`);
  }
  const counts = [noticed(of).length, survived(of).length];
  return { cells: [file, ...counts.map(String), score(of).toFixed(1)], isLow: score(of) < atLeast };
});
const total = [String(noticed(results).length), String(survived(results).length), score(results).toFixed(1)];
printer.table(
  ['file', 'noticed', 'survived', 'score'],
  [...rows.map(({ cells }) => cells), ...(rows.length > 1 ? [['all', ...total]] : [])],
);
if (rows.some(({ isLow }) => isLow)) process.exitCode = 1;
