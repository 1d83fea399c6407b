/**
 * Onboards merchants and businesses on a Temporal cluster whose services are killed in turn. Prints for each question about a
 * write whether its request was sent: `npm run cluster-kills -- --seed 7`. Exit code 1 when one was not sent, or when anything
 * else is wrong. Needs `npm run build`, Go and PostgreSQL. The first run builds Temporal's server, which takes some minutes.
 */
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { positiveInteger } from '../src/commands/cli/arguments.js';
import { Printer } from '../src/commands/cli/output.js';
import { KINDS, type Party } from '../test/rigs/chaos/cast.js';
import { chaos } from '../test/rigs/chaos/chaos.js';
import { questionLines, wrongIn } from '../test/rigs/chaos/report.js';
import type { Kill, Weather } from '../test/rigs/chaos/weather.js';
import { SERVICES, startCluster } from '../test/rigs/cluster/cluster.js';
import { requireFreshBuild } from './build-stamp.js';

requireFreshBuild();

const LASTS_MS = 180_000;
/** How often each service is killed. */
const ROUNDS = 3;
const DOWN_MS = 3_000;

const { seed, merchants, businesses, patience } = new Command('cluster-kills')
  .description('Onboard merchants and businesses while each service of a Temporal cluster is killed in turn.')
  .option('--seed <n>', 'decides who they are; default: random', positiveInteger, randomInt(1, 1_000_000))
  .option('--merchants <n>', 'how many merchants', positiveInteger, 60)
  .option('--businesses <n>', 'how many businesses', positiveInteger, 30)
  .option('--patience <s>', 'give up after so many seconds without progress', positiveInteger, 240)
  .parse()
  .opts<{ seed: number; merchants: number; businesses: number; patience: number }>();

const left: Partial<Record<Party['kind'], number>> = { merchant: merchants, business: businesses };

/** Whether more parties of this kind are wanted. */
function isWanted({ kind }: Party): boolean {
  const count = left[kind] ?? 0;
  left[kind] = count - 1;
  return count > 0;
}

/** Kills one service after the other, evenly spread. */
const kills = Array.from({ length: ROUNDS }, () => SERVICES)
  .flat()
  .map((service, index, all): Kill => {
    const at = Math.round(((index + 0.5) * LASTS_MS) / all.length);
    return { at, target: `temporal ${service}`, downMs: DOWN_MS };
  });
const weather: Weather = { lastsMs: LASTS_MS, faults: [], kills, spells: [] };

const printer = new Printer(process);
printer.line(`seed ${seed}, ${merchants} merchants and ${businesses} businesses`);
const report = await chaos({
  seed,
  // All kinds are equally frequent.
  count: Math.max(merchants, businesses) * KINDS.length,
  only: isWanted,
  weather,
  serve: () => startCluster((text) => printer.note(text)),
  lastsMs: LASTS_MS,
  paceMs: 1_000,
  patienceMs: patience * 1_000,
  report: (text) => printer.note(text),
});
const { before, after, truth, problems, seconds } = report;
const neverSent = truth.questions.filter(({ request }) => request === undefined);
const killed = Object.entries(report.kills).map(([name, times]) => `${name} ${times} times`);
printer.line(`killed with SIGKILL and restarted: ${killed.join(', ')}`);
printer.line(
  `${truth.questions.length} questions about writes, ${neverSent.length} about writes that were never sent`,
);
for (const line of questionLines(truth.questions)) printer.line(line);
printer.line(`beliefs that the ledger contradicts: ${truth.contradicted.length}`);
printer.line(`${seconds.all.toFixed(0)} s`);

const wrong = [
  ...wrongIn('before', before),
  ...wrongIn('after', after),
  ...truth.contradicted,
  ...neverSent.map(({ workflowId, title }) => `never sent: ${workflowId} asks about: ${title}`),
  ...problems,
];
for (const problem of wrong) printer.line(problem);
printer.line(wrong.length === 0 ? 'Nothing is wrong.' : `${wrong.length} things are wrong.`);
process.exit(wrong.length === 0 ? 0 : 1);
