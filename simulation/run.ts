import { parseArgs } from 'node:util';
import { type Plan, planOf } from './plan.js';
import { shrunk } from './shrink.js';
import { simulate, type Verdict } from './simulation.js';

/**
 * `npm run simulate`: onboardings on virtual time, of which a seed decides everything. Stops at the first promise that is not kept, and
 * prints how to repeat it. See docs/simulation.md.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '100' },
    minutes: { type: 'string' },
    plan: { type: 'string' },
    trace: { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
    stop: { type: 'boolean', default: false },
  },
});

// Stack traces with positions in the sources take a quarter of the time.
process.setSourceMapsEnabled(false);

const print = (line: string) => process.stdout.write(`${line}\n`);
const seconds = () => Number(process.hrtime.bigint() / 1_000_000n) / 1_000;

function printTrace({ trace }: Verdict): void {
  for (const { at, who, what } of trace) print(`${new Date(at).toISOString()}  ${who.padEnd(8)}  ${what}`);
}

function printProblems({ problems }: Verdict): void {
  for (const problem of problems) print(`  ${problem}`);
}

async function explain(failing: Verdict): Promise<void> {
  const { seed } = failing.plan;
  print(`\nseed ${seed} breaks a promise:`);
  printProblems(failing);
  const smallest = await shrunk(failing);
  print('\nwhat is enough for it:\n');
  printTrace(smallest);
  print('');
  printProblems(smallest);
  print(`\nto repeat it: npm run simulate -- --trace --plan '${JSON.stringify(smallest.plan)}'`);
}

const first = Number(values.seed);
const began = seconds();
const total = { runs: 0, onboardings: 0, steps: 0, virtualMs: 0, failing: 0 };

function printTotal(): void {
  const took = seconds() - began;
  const years = total.virtualMs / (365.25 * 24 * 3_600_000);
  const [rate, perMinute] = [total.onboardings / took, (years / took) * 60];
  print(
    `${total.runs} runs, ${total.onboardings} onboardings, ${total.steps} steps in ${took.toFixed(1)} s: ${rate.toFixed(1)} onboardings a second, ${perMinute.toFixed(2)} virtual years a minute`,
  );
}

function isDue(seed: number): boolean {
  if (values.plan !== undefined) return seed === first;
  if (values.minutes !== undefined) return seconds() - began < Number(values.minutes) * 60;
  return seed < first + Number(values.count);
}

for (let seed = first; isDue(seed); seed += 1) {
  const plan = values.plan === undefined ? planOf(seed) : (JSON.parse(values.plan) as Plan);
  const verdict = await simulate(plan);
  total.runs += 1;
  total.onboardings += verdict.onboardings;
  total.steps += verdict.steps;
  total.virtualMs += verdict.virtualMs;
  if (values.trace) printTrace(verdict);
  if (verdict.problems.length === 0) continue;
  total.failing += 1;
  if (values['keep-going'] || values.stop || values.trace) {
    print(`seed ${seed}:`);
    printProblems(verdict);
    if (values.stop) break;
  } else {
    await explain(verdict);
    break;
  }
}
printTotal();
process.exit(total.failing > 0 ? 1 : 0);
