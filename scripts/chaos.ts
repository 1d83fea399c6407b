/**
 * Onboards hundreds while everything fails, and prints the result: `npm run chaos -- --seed 7 --count 300`. Exit code 1 when
 * anything was lost, doubled or leaked, or ended differently from its scenario.
 *
 * With `--cluster`, Temporal is a cluster on PostgreSQL, and each of its services and the database are killed. That needs
 * PostgreSQL, and Go for the first run, which builds Temporal's server.
 */
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { positiveInteger } from '../src/apps/command/cli/options.js';
import { Printer } from '../src/apps/command/cli/output.js';
import { chaos } from '../test/rigs/chaos/chaos.js';
import { type Serve, serveInOne } from '../test/rigs/chaos/served.js';
import { ensureFreshBuild } from './build-stamp.js';
import { startCluster } from './cluster/cluster.js';
import { missing } from './cluster/programs.js';

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
  readonly timeout: number;
}

const { seed, cluster, timeout, ...input } = new Command('chaos')
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
  .option('--timeout <s>', 'give up after so many seconds without progress', positiveInteger, 240)
  .parse()
  .opts<Options>();

const printer = new Printer(process);
const lacking = cluster && (await missing());
if (lacking) {
  printer.note(lacking);
  process.exit(2);
}
const { many, msForEach } = SIZES[cluster ? 'cluster' : 'server'];
const { count = many } = input;
const onCluster: Serve = (folder) => startCluster(folder, (text) => printer.note(text));
printer.line(`seed ${seed}, ${count} onboardings${cluster ? ' on a Temporal cluster' : ''}`);
const lastsMs = Math.max(LEAST_MS, count * msForEach);
const report = await chaos({
  seed,
  count,
  lastsMs,
  serve: cluster ? onCluster : serveInOne,
  paceMs: 1_000,
  timeoutMs: timeout * 1_000,
  report: (text) => printer.note(text),
});
const { wrong, waited, waiting, questions, incidents, calls, requests, links } = report;

printer.line('\nQuestions about writes, and the request that each is about:\n');
for (const { workflowId, title, at, warning, request } of questions) {
  const about = request ? `request ${request.seq} of ${request.at}` : 'never sent';
  printer.line(`${at} ${workflowId}: ${title}${warning}: ${about}`);
}
printer.line('\nWhat happened to processes:\n');
for (const { at, what } of incidents) printer.line(`${at} ${what}`);
printer.line(`\n${waited} of ${count} onboardings waited for an answer about an uncertain write.`);
printer.line(`${calls} calls to partners, ${requests} requests to the receiver`);
printer.line(
  `${links.answered} answers by merchants in ${links.visits} visits, of which ${links.failed} failed\n`,
);
const problems = [...wrong, ...waiting.map((workflowId) => `${workflowId} still waits`)];
for (const problem of problems) printer.line(problem);
const isRight = problems.length === 0;
printer.line(isRight ? 'Nothing was lost, doubled or leaked.' : `\n${problems.length} things are wrong.`);
// Ends once all of it is written.
process.stdout.write('', () => process.exit(isRight ? 0 : 1));
