/**
 * Takes hundreds aboard while everything goes wrong, and says what came of it: `npm run chaos -- --seed 7 --count 300`. Exit
 * code 1 when anything was lost, doubled, leaked, or ended otherwise than its scenario says. Needs `npm run build`.
 */
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { positiveInteger } from '../src/commands/arguments.js';
import { Printer } from '../src/commands/output.js';
import { chaos } from '../test/rigs/chaos/chaos.js';
import { faultTable, verdictTable } from '../test/rigs/chaos/report.js';
import type { Verdicts } from '../test/rigs/chaos/verdicts.js';

/** As long as it takes to ask for everyone at a rate that two cores bear. */
const MS_FOR_EACH = 400;
const LEAST_MS = 20_000;

const { seed, count } = new Command('chaos')
  .description('Take many aboard while processes are killed and partners fail, and look at what came of it.')
  .option(
    '--seed <n>',
    'decides everything that happens; any, unless given',
    positiveInteger,
    randomInt(1, 1_000_000),
  )
  .option('--count <n>', 'how many to take aboard', positiveInteger, 300)
  .parse()
  .opts<{ seed: number; count: number }>();

const printer = new Printer(process);
printer.line(`seed ${seed}, ${count} onboardings`);
const lastsMs = Math.max(LEAST_MS, count * MS_FOR_EACH);
const report = await chaos({
  seed,
  count,
  lastsMs,
  paceMs: 1_000,
  patienceMs: 180_000,
  tell: (text) => printer.note(text),
});
const { before, after, weather, unmet, kills, exits, calls, requests, seconds } = report;

printer.line('\nBefore any uncertain write was answered:\n');
printer.line(verdictTable(before.verdicts));
printer.line('\nAfter examples/scripts/answer-uncertain-writes.sh:\n');
printer.line(verdictTable(after.verdicts));
printer.line('');
const planned = weather.faults.map(({ plan }) => plan);
printer.line(faultTable(planned, unmet));
const killed = Object.entries(kills).map(([name, times]) => `${name} ${times} times`);
printer.line(`\nkilled with SIGKILL and started again: ${killed.join(', ')}, gangway batch once`);
printer.line(`ended by themselves, or could not start without Temporal, and started again: ${exits}`);
printer.line(
  `${calls} calls of partners, ${requests} requests of the receiver, ${after.effects} writes took effect`,
);
printer.line(
  `${seconds.all.toFixed(0)} s for all, ${seconds.before.toFixed(0)} s until nobody waited for anything but an answer`,
);

const wrong = [...wrongIn('before', before), ...wrongIn('after', after), ...report.problems];
for (const problem of wrong) printer.line(problem);
printer.line(
  wrong.length === 0 ? '\nNothing was lost, doubled or leaked.' : `\n${wrong.length} things are wrong.`,
);
process.exit(wrong.length === 0 ? 0 : 1);

function wrongIn(when: string, { verdicts, nobodys }: Verdicts): string[] {
  const of = verdicts.filter(({ end }) => end === 'wrong');
  const shown = of.map(
    ({ party, why }) => `${when}: ${party.workflowId} (${party.kind}, ${party.scenario}): ${why.join('; ')}`,
  );
  const waiting = when === 'after' ? verdicts.filter(({ end }) => end === 'waits') : [];
  return [
    ...shown,
    ...waiting.map(({ party }) => `after: ${party.workflowId} waits still`),
    ...nobodys.map((entry) => `${when}: ${entry}`),
  ];
}
