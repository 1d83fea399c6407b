/**
 * Onboards hundreds while everything fails, and prints the result: `npm run chaos -- --seed 7 --count 300`. Exit code 1 when
 * anything was lost, doubled or leaked, or ended differently from its scenario. Needs `npm run build`.
 */
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { positiveInteger } from '../src/commands/cli/arguments.js';
import { Printer } from '../src/commands/cli/output.js';
import { chaos } from '../test/rigs/chaos/chaos.js';
import { faultTable, questionLines, verdictTable, wrongIn } from '../test/rigs/chaos/report.js';
import { requireFreshBuild } from './build-stamp.js';

requireFreshBuild();

/** The time for each onboarding at a rate that two cores can process. */
const MS_FOR_EACH = 400;
/** Long enough for a minute without a connection. */
const LEAST_MS = 120_000;

const { seed, count, patience } = new Command('chaos')
  .description('Onboard many while processes are killed and partners fail, and check the outcomes.')
  .option(
    '--seed <n>',
    'decides everything that happens; default: random',
    positiveInteger,
    randomInt(1, 1_000_000),
  )
  .option('--count <n>', 'how many to onboard', positiveInteger, 300)
  // The server notices after two minutes that a worker died during a write.
  .option('--patience <s>', 'give up after so many seconds without progress', positiveInteger, 240)
  .parse()
  .opts<{ seed: number; count: number; patience: number }>();

const printer = new Printer(process);
printer.line(`seed ${seed}, ${count} onboardings`);
const lastsMs = Math.max(LEAST_MS, count * MS_FOR_EACH);
const report = await chaos({
  seed,
  count,
  lastsMs,
  paceMs: 1_000,
  patienceMs: patience * 1_000,
  report: (text) => printer.note(text),
});
const { before, after, truth, planned, unmet, kills, exits, calls, requests, seconds } = report;

printer.line('\nBefore any uncertain write was answered:\n');
printer.line(verdictTable(before.verdicts));
printer.line('\nAfter examples/scripts/answer-uncertain-writes.sh:\n');
printer.line(verdictTable(after.verdicts));
printer.line('');
printer.line(faultTable(planned, unmet));
printer.line('\nQuestions about writes, and the request that each is about:\n');
for (const line of questionLines(truth.questions)) printer.line(line);
printer.line('\nWhat happened to processes:\n');
for (const incident of report.incidents) printer.line(incident);
const neverSent = truth.questions.filter(({ request }) => request === undefined);
printer.line(`\nbeliefs that the ledger contradicts: ${truth.contradicted.length}`);
printer.line(
  `questions that the ledger could have answered as "never sent": ${neverSent.length} of ${truth.questions.length}`,
);
const killed = Object.entries(kills).map(([name, times]) => `${name} ${times} times`);
printer.line(`\nkilled with SIGKILL and restarted: ${killed.join(', ')}, gangway batch once`);
printer.line(
  `workers cut off from Temporal ${report.cuts} times, stopped with SIGSTOP ${report.stops} times`,
);
printer.line(`ended on their own or could not start without Temporal, and were restarted: ${exits}`);
printer.line(
  `${calls} calls to partners, ${requests} requests to the receiver, ${after.effects} writes took effect`,
);
printer.line(
  `${seconds.all.toFixed(0)} s for all, ${seconds.before.toFixed(0)} s until only questions about writes were open`,
);

const wrong = [
  ...wrongIn('before', before),
  ...wrongIn('after', after),
  ...truth.contradicted.map((belief) => `contradicted: ${belief}`),
  ...neverSent.map(({ workflowId, title }) => `never sent: ${workflowId} asks about: ${title}`),
  ...report.problems,
];
for (const problem of wrong) printer.line(problem);
printer.line(
  wrong.length === 0 ? '\nNothing was lost, doubled or leaked.' : `\n${wrong.length} things are wrong.`,
);
process.exit(wrong.length === 0 ? 0 : 1);
