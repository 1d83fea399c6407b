/**
 * Measures the power of the unit tests. `npm run mutants -- FILE...` changes one expression of a file at a time, such as `<` to
 * `<=`, runs the unit tests that reach it, and prints the changes that no test noticed. A table with the share of noticed changes
 * per file ends it. Sentences for people stay as they are.
 */
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { Command, InvalidArgumentError } from 'commander';

/** The files that decide what is sent, shown and accepted. */
const DECIDING = [
  ...['account-activities', 'circuit-breaker', 'credentials', 'failures', 'poll', 'write'].map(
    (name) => `src/activities/${name}.ts`,
  ),
  ...['activity', 'record', 'workflow'].map((name) => `src/at-most-once/${name}.ts`),
  'src/apps/command/batch/run.ts',
  ...['onboarding-access', 'session'].map((name) => `src/apps/console/${name}.ts`),
  ...['banking/token', 'http'].map((name) => `src/partners/${name}.ts`),
  ...['masked', 'private-fields'].map((name) => `src/platform/privacy/${name}.ts`),
  ...['event-routes', 'nudges'].map((name) => `src/apps/receiver/${name}.ts`),
  ...['backup', 'nudge', 'search', 'start'].map((name) => `src/temporal/${name}.ts`),
  ...[
    'boarding/decisions',
    'boarding/deliveries',
    'business/decisions',
    'business/tickets',
    'customer/decisions',
  ].map((name) => `src/workflows/${name}.ts`),
  ...['activity-proxies', 'claims', 'rejections', 'requirements', 'run-step', 'state', 'step'].map(
    (name) => `src/workflows/runtime/${name}.ts`,
  ),
];

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

const stryker = new Stryker({ configFile: 'scripts/mutants/stryker.config.mjs', mutate: files, concurrency });
const results = await stryker.runMutationTest();
const isLow = (file: string) => {
  const of = results.filter(({ fileName }) => relative('.', fileName) === file);
  const noticed = of.filter(({ status }) => /Killed|Timeout/.test(status)).length;
  const survived = of.filter(({ status }) => /Survived|NoCoverage/.test(status)).length;
  return noticed < (atLeast / 100) * (noticed + survived);
};
if (files.some(isLow)) process.exitCode = 1;
