import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import type { Plan } from './plan.js';
import type { Verdict } from './simulation.js';

/** How many runs may be over before those of smaller seeds are. */
const AHEAD = 50;

/** Most of what a run makes is garbage soon: with a small nursery, the collector takes a sixth of the time. */
const resourceLimits = { maxYoungGenerationSizeMb: 192 };

/** A thread compiles its sources itself, and is as quiet as the process that starts it. */
const EXEC_ARGV = [
  ...process.execArgv.filter((option) => option.startsWith('--disable-warning')),
  '--import',
  'tsx',
];

/** Runs plans on all cores, or on as many as `count`. Yields what they have shown in the order of the plans. */
export async function* verdictsOf(
  plans: Iterable<Plan>,
  count = availableParallelism(),
): AsyncGenerator<Verdict> {
  const threads: Worker[] = [];
  const limit = pLimit(count);
  const run = async (plan: Plan): Promise<Verdict> => {
    const thread = threads.pop() ?? new Worker(FILE, { resourceLimits, execArgv: EXEC_ARGV });
    thread.postMessage(plan);
    const [verdict] = (await once(thread, 'message')) as [Verdict];
    threads.push(thread);
    return verdict;
  };
  const running: Promise<Verdict>[] = [];
  for (const plan of plans) {
    running.push(limit(run, plan));
    if (running.length === AHEAD) yield (await running.shift()) as Verdict;
  }
  for (const verdict of running) yield await verdict;
  // A thread that ends by itself writes down its coverage.
  for (const thread of threads) thread.postMessage(undefined);
  await Promise.all(threads.map((thread) => once(thread, 'exit')));
}

const FILE = new URL('./thread.ts', import.meta.url);
