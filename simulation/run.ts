import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ensureFreshBuild } from '../scripts/build-stamp.js';
import { HABITS } from '../src/apps/sandbox/habits/habits.js';
import { type Plan, planOf } from './plan.js';
import { Search } from './search.js';
import type { Verdict } from './simulation.js';
import { verdictsOf } from './threads.js';
import { digestOf, shortened, tableOf } from './trace.js';

/**
 * `npm run simulate`: onboardings on virtual time, of which a seed decides everything. Stops at the first promise that is not kept, and
 * prints how to repeat it. See docs/simulation.md.
 */

const OPTIONS = {
  seed: { type: 'string', default: '1' },
  count: { type: 'string', default: '100' },
  minutes: { type: 'string' },
  plan: { type: 'string' },
  trace: { type: 'boolean', default: false },
  'keep-going': { type: 'boolean', default: false },
  stop: { type: 'boolean', default: false },
  continue: { type: 'boolean', default: false },
  corpus: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const HELP = `npm run simulate -- [options]

  --seed N      the first seed, of at most eight digits (default: 1)
  --count N     how many seeds to run (default: 100)
  --minutes N   run for so long, and learn which plans reach something new
  --keep-going  continue after a broken promise, without shrinking, and print the plan of each
  --stop        stop at the first one, without shrinking
  --trace       print the whole trace of each run, without shrinking
  --plan JSON   run the faults that an earlier run printed
  --continue    begin where the last such search stopped, and add to its number of runs
  --corpus      write the plans that reach most into simulation/corpus.jsonl, where searches begin
`;

/** The options; ends the process where it can only print them. */
function read() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    if (!values.help) return values;
    process.stdout.write(HELP);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
    process.exitCode = 2;
  }
  process.exit();
}

const values = read();

/** How often progress is printed, in seconds. */
const PROGRESS_S = process.stderr.isTTY ? 1 : 10;

// The workflows run as they are bundled.
ensureFreshBuild();

const print = (line: string) => process.stdout.write(`${line}\n`);
const seconds = () => Number(process.hrtime.bigint() / 1_000_000n) / 1_000;

function printProblems({ problems }: Verdict): void {
  for (const promise of new Set(problems.map((problem) => problem.promise))) {
    print(`  ${promise}`);
    for (const { what } of problems.filter((problem) => problem.promise === promise)) print(`    ${what}`);
  }
}

async function explain(failing: Verdict): Promise<void> {
  print(`\nseed ${failing.plan.seed} breaks a promise:`);
  const { shrunk } = await import('./shrink.js');
  const { problems, trace, plan } = await shrunk(failing);
  printProblems({ ...failing, problems });
  print('\nwhat is enough for it:\n');
  for (const line of tableOf(shortened(digestOf(trace)))) print(line);
  print(`\n${toRepeat(plan)}`);
}

const toRepeat = (plan: Plan) => `to repeat it: npm run simulate -- --trace --plan '${JSON.stringify(plan)}'`;

const TOTAL = new URL('../.cache/simulated.json', import.meta.url);

/** What all nights together have done. */
interface Total {
  readonly runs: number;
  /** With which the next one begins. */
  readonly seed: number;
  /** How many runs met each habit. */
  readonly tried: Record<string, number>;
}

const before: Total =
  values.continue && existsSync(TOTAL)
    ? JSON.parse(readFileSync(TOTAL, 'utf8'))
    : { runs: 0, seed: 1, tried: {} };
const CORPUS = new URL('corpus.jsonl', import.meta.url);
const corpus = readFileSync(CORPUS, 'utf8').split('\n').filter(Boolean);
const first = values.continue ? before.seed : Number(values.seed);
// External IDs contain it, and nine digits look like a social security number.
if (!/^\d{1,8}$/.test(values.seed)) throw new Error('--seed takes a whole number of at most eight digits');
const began = seconds();
const search = new Search(
  corpus.map((line): Plan => JSON.parse(line)),
  before.tried,
);
const total = { runs: 0, onboardings: 0, steps: 0, failing: 0 };

function soFar(): string {
  const { runs, onboardings, steps } = total;
  return (
    `${runs} runs, ${onboardings} onboardings, ${steps} steps in ${(seconds() - began).toFixed(1)} s, ` +
    `${search.pairs} pairs of a fault or habit and a state`
  );
}

let printedAt = began;

function printProgress(): void {
  if (seconds() - printedAt < PROGRESS_S) return;
  printedAt = seconds();
  process.stderr.write(process.stderr.isTTY ? `\r${soFar()}` : `${soFar()}\n`);
}

function isDue(seed: number): boolean {
  if (values.plan !== undefined) return seed === first;
  if (values.minutes !== undefined) return seconds() - began < Number(values.minutes) * 60;
  return seed < first + Number(values.count);
}

/** Only a search of many runs learns: a few seeds, as a test runs them, are the same runs each time. */
const nextPlan = values.minutes === undefined ? planOf : (seed: number) => search.next(seed);

function* plans(): Generator<Plan> {
  for (let seed = first; isDue(seed); seed += 1)
    yield values.plan === undefined ? nextPlan(seed) : JSON.parse(values.plan);
}

for await (const verdict of verdictsOf(plans())) {
  search.learn(verdict);
  total.runs += 1;
  total.onboardings += verdict.onboardings;
  total.steps += verdict.steps;
  if (values.trace) for (const line of tableOf(verdict.trace)) print(line);
  printProgress();
  if (verdict.problems.length === 0) continue;
  total.failing += 1;
  if (values['keep-going'] || values.stop || values.trace) {
    print(`seed ${verdict.plan.seed}:`);
    printProblems(verdict);
    // A search that learns makes plans of which the seed says nothing.
    print(toRepeat(verdict.plan));
    if (values.stop) break;
  } else {
    await explain(verdict);
    break;
  }
}
if (values.continue) {
  const sum: Total = { runs: before.runs + total.runs, seed: first + total.runs, tried: search.tried };
  writeFileSync(TOTAL, JSON.stringify(sum));
  print(`${sum.runs} runs in all nights`);
}
if (values.minutes !== undefined) {
  const counts = Object.keys(HABITS).map((habit) => [habit, search.tried[habit] ?? 0] as const);
  const rising = counts.toSorted(([, one], [, two]) => one - two);
  const [[rarest, least] = ['', 0]] = rising;
  const [, half] = rising[Math.floor(rising.length / 2)] ?? [];
  print(
    `each of ${counts.length} habits was met in at least ${least} runs (${rarest}), half of them in ${half}`,
  );
}
if (values.corpus)
  writeFileSync(
    CORPUS,
    search
      .corpus()
      .map((plan) => `${JSON.stringify(plan)}\n`)
      .join(''),
  );
// Ends once all of it is written: a pipe that is read slowly holds less than a trace.
process.stdout.write(`${soFar()}\n`, () => process.exit(total.failing > 0 ? 1 : 0));
