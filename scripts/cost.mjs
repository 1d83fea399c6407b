/**
 * What a run of tests costs: `source scripts/cost.sh` calls this file. Wall time depends on a machine and its load, so the cost is counted
 * in loops: processor seconds, divided by those of a fixed loop in the same run.
 *
 * - `node scripts/cost.mjs loop` prints the processor seconds of the loop.
 * - `node scripts/cost.mjs report NAME BUDGET BEFORE AFTER TIMES` prints the cost of a run: the seconds of the loop before and after it, and
 *   the lines of two calls of the shell's `times`. It ends with 2 above the budget if COST_IS_LIMITED is set, as for a release.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Where runs leave their cost for the next one to compare. */
const FOLDER = new URL('../.cache/cost', import.meta.url);

function fib(n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/** @returns the processor seconds of the fixed loop: the fastest of five, because the first is compiled, and a busy machine only adds */
function loop() {
  const once = () => {
    const before = process.cpuUsage();
    fib(38);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  return Math.min(...Array.from({ length: 5 }, once));
}

/** @returns the processor seconds of all children that a shell has waited for, from the second line of its `times`: `1m2.5s 0m0.25s` */
function ofChildren(times) {
  const [, line = ''] = times.trim().split('\n');
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, m, s]) => sum + Number(m) * 60 + Number(s),
    0,
  );
}

function before(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).loops;
  } catch {
    return undefined;
  }
}

function report(name, budget, first, last, began, ended) {
  const seconds = ofChildren(ended) - ofChildren(began);
  const second = (Number(first) + Number(last)) / 2;
  const loops = Math.round(seconds / second);
  mkdirSync(FOLDER, { recursive: true });
  const file = new URL(`${name.replaceAll(/\W+/g, '-')}.json`, FOLDER);
  const previous = before(file);
  writeFileSync(file, `${JSON.stringify({ name, seconds, loop: second, loops, budget: Number(budget) })}\n`);
  const change = previous === undefined ? '' : `, ${previous} before`;
  process.stdout.write(
    `cost of ${name}: ${Math.round(seconds)} processor seconds, ${loops} loops (budget ${budget}${change})\n`,
  );
  if (loops <= Number(budget)) return;
  process.stdout.write(
    `OVER BUDGET: ${name} costs ${loops - budget} loops more than its budget of ${budget}\n`,
  );
  if (process.env['COST_IS_LIMITED']) process.exitCode = 2;
}

const [, , verb, ...args] = process.argv;
if (verb === 'loop') process.stdout.write(`${loop()}\n`);
else report(...args);
