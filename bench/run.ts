/**
 * Measures what Gangway costs: `npm run bench`, or `npm run bench -- nudges polls` for some subjects. Each time is printed next to
 * that of a bare counterpart, measured in turns on one server, because only their ratio is valid on other machines. Counts are
 * exact.
 *
 * Prints a table of each subject and one of all goals. A subject that has ended replaces its rows in bench/results.json and
 * bench/results.md. `--quick` uses sizes that only show that the bench works, and keeps nothing.
 */
import { parseArgs } from 'node:util';
import { ensureFreshBuild } from '../scripts/build-stamp.js';
import { missing } from '../scripts/cluster/programs.js';
import { writeGeneratedPages } from '../scripts/generated-pages.js';
import { tableOf } from '../src/apps/command/cli/table.js';
import { Benches, type Subject } from './bench.js';
import { cells, goalCells, type Line } from './line.js';
import { machine } from './machine.js';
import { HEAD, keep, keptResults, replaced } from './results.js';
import { SUBJECTS } from './subjects.js';
import { millisecondsOf } from './timing.js';

ensureFreshBuild();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const names = Object.keys(SUBJECTS);
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`no such subject: ${unknown.join(', ')}; there are ${names.join(', ')}\n`);
  process.exit(2);
}
// Named, it fails with the same sentence.
const lacking = positionals.length === 0 && (await missing());
if (lacking) process.stderr.write(`the subject cluster is left out: ${lacking}\n`);
const wanted = Object.entries(SUBJECTS).filter(([name]) =>
  positionals.length === 0 ? !lacking || name !== 'cluster' : positionals.includes(name),
);

// Other processes must not outlive this one.
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

const benches = new Benches(values.quick);
const { quick } = values;
const goals: Line[] = [];
const figures = Object.entries({ ...(await machine()), quick }).map(([name, value]) => `${name} ${value}`);
process.stdout.write(`${figures.join(', ')}\n`);
try {
  for (const [name, subject] of wanted) {
    // The results of the other subjects must not be lost.
    await measure(name, subject).catch((error: unknown) => {
      process.stderr.write(`${name}: ${error instanceof Error ? error.stack : error}\n`);
      process.exitCode = 1;
    });
  }
} finally {
  await benches.close();
}
process.stdout.write(`\ngoals\n${tableOf(HEAD.slice(0, -1), goals.map(goalCells))}\n`);
// The native part of an unused worker would keep the process running.
process.stdout.write('', () => process.exit());

async function measure(subject: string, run: Subject): Promise<void> {
  const lines: Line[] = [];
  const measuredOn = await machine();
  const milliseconds = await millisecondsOf(async () => {
    for await (const line of benches.run(run)) lines.push(line);
  });
  process.stdout.write(`\n${subject}\n${tableOf(HEAD, lines.map(cells))}\n`);
  goals.push(...lines.filter(({ goal }) => goal));
  const [date = ''] = new Date().toISOString().split('T');
  const seconds = Math.round(milliseconds / 1_000);
  const result = { date, seconds, machine: measuredOn, lines };
  if (quick) return;
  await keep(replaced(keptResults(), subject, result, names));
  writeGeneratedPages();
}
