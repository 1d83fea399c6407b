import { readFileSync, writeFileSync } from 'node:fs';
import { HABITS } from '../src/apps/sandbox/habits/habits.js';
import { FAULTS, LENGTHS, type Only, type Plan, planOf, SLIPS } from './plan.js';
import { Seeded } from './seeded.js';
import type { Verdict } from './simulation.js';

/**
 * Chooses the next run: a plan drawn from its seed, or a change of one that has reached something new. A greybox fuzzer does the
 * same: what has led somewhere is kept, and changed a little.
 */

/** Kept plans of earlier searches, trimmed to those that reach what no other one does. */
const CORPUS = new URL('./corpus.json', import.meta.url);

/** How many plans are kept at most; the oldest goes. */
const MOST_KEPT = 400;

/** A file that people look at. */
const MOST_IN_FILE = 40;

export class Search {
  readonly reached = new Set<string>();
  readonly #kept: Plan[];

  constructor(
    private readonly only: Only | undefined,
    kept: readonly Plan[] = corpus(),
  ) {
    this.#kept = [...kept];
  }

  next(seed: number): Plan {
    const chance = new Seeded(Math.imul(seed, 104_729));
    if (this.#kept.length === 0 || chance.happens(0.4)) return planOf(seed, this.only);
    const [parent, other] = [0, 1].map(() => chance.pick(this.#kept as [Plan, ...Plan[]])) as [Plan, Plan];
    const changes = CHANGES.filter(() => chance.happens(1.5 / CHANGES.length));
    const plan: Plan = { ...parent, ...(changes.length === 0 && { seed }), only: this.only };
    for (const change of changes) Object.assign(plan, change(plan, chance, other));
    return plan;
  }

  /** Keeps a plan that has reached something new. */
  learn({ plan, reached }: Verdict): void {
    const size = this.reached.size;
    for (const each of reached) this.reached.add(each);
    if (this.reached.size > size) this.#kept.push(plan);
    if (this.#kept.length > MOST_KEPT) this.#kept.shift();
  }
}

type Change = (plan: Plan, chance: Seeded, other: Plan) => Partial<Plan>;

/** One fault or habit more, elsewhere or less; the seed, the people or the pace of another one. */
const CHANGES: readonly Change[] = [
  ({ faults }, chance) => {
    const { of, number } = chance.pick<Pick<Plan['faults'][number], 'of' | 'number'>>([
      { of: 'write', number: 1 },
      ...faults,
    ]);
    const [fault, milliseconds] = [chance.pick(FAULTS), chance.pick(LENGTHS)];
    return { faults: [...faults, { of, number: number + chance.between(0, 4), fault, milliseconds }] };
  },
  ({ faults }, chance) => ({
    faults: faults.map((each) =>
      chance.happens(0.3) ? { ...each, number: Math.max(1, each.number + chance.between(-3, 3)) } : each,
    ),
  }),
  ({ faults }, chance) => ({ faults: faults.filter(() => chance.happens(0.7)) }),
  ({ habits }, chance) => ({
    habits: [...habits, chance.pick(Object.keys(HABITS) as [string, ...string[]])].slice(-2),
  }),
  ({ habits }) => ({ habits: habits.slice(1) }),
  ({ slips }, chance) => ({ slips: [...slips, { answer: chance.between(1, 6), slip: chance.pick(SLIPS) }] }),
  ({ incidents }, _, other) => ({ incidents: [...incidents.slice(0, 4), ...other.incidents.slice(0, 2)] }),
  (_, chance) => ({ seed: chance.between(1, 99_999_999) }),
  (_, chance) => ({ continueAfter: chance.pick([40, 60, 200, 10_000]) }),
  (_, __, { who, parties, existing, errands }) => ({ who, parties, existing, errands }),
  (_, __, { twists, shiftMs, paceMs }) => ({ twists, shiftMs, paceMs }),
];

/** Writes the plans that reach what no other one does, at most so many. */
export function keepCorpus(verdicts: Parameters<typeof trimmed>[0]): void {
  const lines = trimmed(verdicts, MOST_IN_FILE).map((plan) => `  ${JSON.stringify(plan)}`);
  writeFileSync(CORPUS, `[\n${lines.join(',\n')}\n]\n`);
}

/** The fewest plans, one after the other, that reach all of it. */
function trimmed(verdicts: readonly Pick<Verdict, 'plan' | 'reached'>[], most: number): Plan[] {
  const seen = new Set<string>();
  const adds = ({ reached }: Pick<Verdict, 'reached'>) => reached.filter((each) => !seen.has(each)).length;
  const plans: Plan[] = [];
  for (let left = [...verdicts]; left.length > 0 && plans.length < most; ) {
    left = left
      .map((each) => [adds(each), each] as const)
      .sort(([one], [other]) => other - one)
      .flatMap(([count, each]) => (count > 0 ? [each] : []));
    const best = left.shift();
    if (!best) break;
    for (const each of best.reached) seen.add(each);
    plans.push(best.plan);
  }
  return plans;
}

function corpus(): Plan[] {
  return JSON.parse(readFileSync(CORPUS, 'utf8')) as Plan[];
}
