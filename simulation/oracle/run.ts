import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { ensureFreshBuild } from '../../scripts/build-stamp.js';
import { realPlace } from '../../test/rigs/rig.js';
import { startTemporal } from '../../test/rigs/temporal-server.js';
import { differenceOf, ORDER, reasonsOf } from './compare.js';
import type { History } from './facts.js';
import { type Walk, walked, walkOf } from './walk.js';

/** `npm run compare`: the same plans on the simulated service and on a development server. See docs/simulation.md. */

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '50' } },
});

/** How often a plan runs on the simulated service, until its events come in the order of the server. */
const DRAWS = 6;

/** A busy server takes its time. */
const TIMEOUT_MS = 120_000;

/** Plans wait most of the time. */
const AT_ONCE = 6;

/** Beyond this share of runs, an order is not one of chance. */
const MOST_REORDERED = 0.25;

const print = (line: string) => process.stdout.write(`${line}\n`);

ensureFreshBuild();

const thread = new Worker(new URL('./simulated.ts', import.meta.url), {
  execArgv: [...process.execArgv, '--import', 'tsx'],
});
const oneByOne = pLimit(1);
const servers = new Map<number, ReturnType<typeof startTemporal>>();

const simulated = (walk: Walk) =>
  oneByOne(async () => {
    thread.postMessage(walk);
    return (await once(thread, 'message'))[0] as readonly History[] | undefined;
  });

async function onServer(walk: Walk): Promise<readonly History[] | undefined> {
  const { continueAfter: events, plan } = walk;
  const dynamicConfig = { 'limit.historyCount.suggestContinueAsNew': events };
  const starting = servers.get(events) ?? startTemporal({ dynamicConfig });
  servers.set(events, starting);
  const { address } = await starting;
  const taskQueue = `compared-${plan.seed}`;
  return walked(walk, await realPlace({ address, payloadKeys: '' }, taskQueue), taskQueue, TIMEOUT_MS);
}

const total = { plans: 0, 'plans that take too long': 0, runs: 0, events: 0 };
const counts = new Map<string, number>();
const unlisted: string[] = [];

/** @returns whether the plan could be compared */
async function compare(walk: Walk): Promise<boolean> {
  const { seed } = walk.plan;
  const draws = [await simulated(walk)];
  const real = draws[0] && (await onServer(walk));
  if (!real) {
    while (draws.length < DRAWS && draws.at(-1)) draws.push(await simulated(walk));
    total['plans that take too long'] += 1;
    // Chance decides it on the simulated service, too.
    if (draws.at(-1)) unlisted.push(`seed ${seed}: does not end on the server`);
    return false;
  }
  total.plans += 1;
  const drawn = (run: History) =>
    draws.flatMap((each) => each?.filter(({ name }) => name === run.name) ?? []);
  const reasonsFor = (run: History) => {
    const all = drawn(run)
      .map((own) => reasonsOf(own, run))
      .filter((reasons) => reasons !== undefined);
    return all.find((reasons) => !reasons.includes(ORDER)) ?? all[0];
  };
  const isOpen = (run: History) => reasonsFor(run)?.includes(ORDER) ?? true;
  while (draws.length < DRAWS && real.some(isOpen)) draws.push(await simulated(walk));
  for (const run of real) {
    total.runs += 1;
    total.events += run.facts.length;
    const reasons = reasonsFor(run);
    for (const reason of reasons ?? []) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    if (!reasons) unlisted.push(`seed ${seed}: ${run.name} ${differenceOf(drawn(run).at(-1), run)}`);
  }
  return true;
}

const began = performance.now();
const wanted = Number(values.count);
let next = Number(values.seed);
const limit = pLimit(AT_ONCE);
// A plan that takes too long for a real server makes room for the next seed.
const one = async (): Promise<void> => {
  const seed = next++;
  if (!(await compare(walkOf(seed)))) return one();
  process.stderr.write(`seed ${seed} compared, ${total.plans} of ${wanted}\n`);
};
await Promise.all(Array.from({ length: wanted }, () => limit(one)));
const reordered = counts.get(ORDER) ?? 0;
if (reordered > Math.max(3, total.runs * MOST_REORDERED))
  unlisted.push(`${reordered} runs have another order`);
for (const each of unlisted) print(each);
for (const [reason, count] of counts) print(`${count} runs differ in ${reason}`);
const seconds = Math.round((performance.now() - began) / 1_000);
print(`${JSON.stringify(total)} in ${seconds} s, ${unlisted.length} differences without a reason`);
for (const server of servers.values()) await (await server).stop();
process.exit(unlisted.length > 0 ? 1 : 0);
