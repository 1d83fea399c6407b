/**
 * Onboards hundreds while everything fails, and prints the result: `npm run chaos -- --seed 7 --count 300`. Exit code 1 when
 * anything was lost, doubled or leaked, or ended differently from its scenario.
 *
 * With `--cluster`, Temporal is a cluster on PostgreSQL, and each of its services and the database are killed. That needs
 * PostgreSQL, and Go for the first run, which builds Temporal's server.
 */
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { positiveInteger } from '../src/commands/cli/options.js';
import { Printer } from '../src/commands/cli/output.js';
import { chaos } from '../test/rigs/chaos/chaos.js';
import { killedAfterMark } from '../test/rigs/chaos/questions.js';
import { faultTable, questionLines, verdictTable, wrongIn } from '../test/rigs/chaos/report.js';
import { type Serve, serveInOne } from '../test/rigs/chaos/served.js';
import { startCluster } from '../test/rigs/cluster/cluster.js';
import { missing } from '../test/rigs/cluster/programs.js';
import { ensureFreshBuild } from './build-stamp.js';

ensureFreshBuild();

/** How many are onboarded by default, and the time for each at a rate that two cores can process. */
const SIZES = {
  server: { many: 300, msForEach: 400 },
  cluster: { many: 200, msForEach: 1_200 },
};
/** Long enough for a minute without a connection. */
const LEAST_MS = 120_000;

interface Options {
  readonly seed: number;
  readonly cluster?: true;
  readonly count?: number;
  readonly patience: number;
}

const { seed, cluster, patience, ...given } = new Command('chaos')
  .description('Onboard many while processes are killed and partners fail, and check the outcomes.')
  .option(
    '--seed <n>',
    'decides everything that happens; default: random',
    positiveInteger,
    randomInt(1, 1_000_000),
  )
  .option('--cluster', 'kill the services and the database of a Temporal cluster, not the development server')
  .option('--count <n>', 'how many to onboard; default: 300, or 200 with --cluster', positiveInteger)
  // The server notices after two minutes that a worker died during a write.
  .option('--patience <s>', 'give up after so many seconds without progress', positiveInteger, 240)
  .parse()
  .opts<Options>();

const printer = new Printer(process);
const lacking = cluster && (await missing());
if (lacking) {
  printer.note(lacking);
  process.exit(2);
}
const { many, msForEach } = SIZES[cluster ? 'cluster' : 'server'];
const { count = many } = given;
const onCluster: Serve = (folder) => startCluster(folder, (text) => printer.note(text));
printer.line(`seed ${seed}, ${count} onboardings${cluster ? ' on a Temporal cluster' : ''}`);
const lastsMs = Math.max(LEAST_MS, count * msForEach);
const report = await chaos({
  seed,
  count,
  lastsMs,
  serve: cluster ? onCluster : serveInOne,
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
for (const { at, what } of report.incidents) printer.line(`${at} ${what}`);
const neverSent = truth.questions
  .filter(({ request }) => request === undefined)
  .map((question) => ({ ...question, killedAfter: killedAfterMark(question, report.incidents) }));
printer.line(`\nbeliefs that the ledger contradicts: ${truth.contradicted.length}`);
printer.line(
  `questions that the ledger could have answered as "never sent": ${neverSent.length} of ${truth.questions.length}`,
);
for (const { workflowId, title, killedAfter } of neverSent)
  if (killedAfter !== undefined)
    printer.line(
      `  ${workflowId}: ${title}: a worker was killed ${killedAfter} ms after the mark of the write`,
    );
const killed = Object.entries(kills).map(([name, times]) => `${name} ${times} times`);
printer.line(`\nkilled and restarted: ${killed.join(', ')}, gangway batch once`);
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
  ...neverSent
    .filter(({ killedAfter }) => killedAfter === undefined)
    .map(({ workflowId, title }) => `never sent: ${workflowId} asks about: ${title}`),
  ...report.problems,
];
for (const problem of wrong) printer.line(problem);
printer.line(
  wrong.length === 0 ? '\nNothing was lost, doubled or leaked.' : `\n${wrong.length} things are wrong.`,
);
// Ends once all of it is written.
process.stdout.write('', () => process.exit(wrong.length === 0 ? 0 : 1));
