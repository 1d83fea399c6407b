import { HABITS } from '../src/apps/sandbox/habits/habits.js';
import { FAULTS, LENGTHS, type Plan, planOf, SLIPS } from './plan.js';
import { Seeded } from './seeded.js';
import type { Verdict } from './simulation.js';

/**
 * Chooses the next run: a plan drawn from its seed, or a change of one that has reached something new. A greybox fuzzer does the
 * same: what has led somewhere is kept, and changed a little.
 */

/** How many plans are kept at most; the oldest goes. */
const MAX_KEPT = 400;

/** A plan that takes longer is not kept: changes of others find more in that time. */
const MAX_STEPS = 6_000;

/** How many plans the corpus has at most. */
const MAX_CORPUS = 12;

/** How many habits count as rare. Some are met only where something else happens. */
const RARE = 30;

interface Kept {
  readonly plan: Plan;
  /** Empty for a plan of the corpus until it runs again. */
  readonly reached: readonly string[];
}

/** What all runs have reached, and the plans that reached something new. */
export class Search {
  readonly #reached = new Set<string>();
  readonly #kept: Kept[];

  /**
   * @param corpus plans that reached much in earlier searches
   * @param tried how many runs met each habit
   */
  constructor(
    corpus: readonly Plan[],
    readonly tried: Record<string, number>,
  ) {
    this.#kept = corpus.map((plan) => ({ plan, reached: [] }));
  }

  /** How many pairs of a fault or habit and a state there were. */
  get pairs(): number {
    return [...this.#reached].filter((each) => each.includes(' × ')).length;
  }

  next(seed: number): Plan {
    return this.#chosen(new Seeded(Math.imul(seed, 104_729)), seed);
  }

  /** A new plan, one with a habit that was met least, or a kept one with changes. */
  #chosen(chance: Seeded, seed: number): Plan {
    if (this.#kept.length === 0 || chance.happens(0.3)) return planOf(seed);
    if (chance.happens(0.5)) return this.#withRareHabit(chance, seed);
    const { plan: parent } = chance.pick(this.#kept);
    const { plan: other } = chance.pick(this.#kept);
    const changes = CHANGES.filter(() => chance.happens(1.5 / CHANGES.length));
    const plan: Plan = { ...parent, ...(changes.length === 0 && { seed }) };
    for (const change of changes) Object.assign(plan, change(plan, chance, other));
    return plan;
  }

  /** Somewhere else than where a kept plan met it, it may change nothing. */
  #withRareHabit(chance: Seeded, seed: number): Plan {
    const byRuns = Object.keys(HABITS).toSorted((one, two) => this.#runsWith(one) - this.#runsWith(two));
    const rare = chance.pick(byRuns.slice(0, RARE));
    const drawn = planOf(seed);
    const where = this.#kept.filter(({ reached }) => reached.some((each) => each.startsWith(`${rare} × `)));
    const parent = where.length > 0 ? chance.pick(where).plan : drawn;
    const habits = [...new Set([rare, ...drawn.habits])].slice(0, 2);
    return { ...parent, seed, habits };
  }

  #runsWith(habit: string): number {
    return this.tried[habit] ?? 0;
  }

  learn({ plan, reached, steps }: Verdict): void {
    for (const habit of plan.habits)
      if (reached.some((each) => each.startsWith(`${habit} × `)))
        this.tried[habit] = this.#runsWith(habit) + 1;
    const size = this.#reached.size;
    for (const each of reached) this.#reached.add(each);
    if (this.#reached.size > size && steps <= MAX_STEPS) this.#kept.push({ plan, reached });
    if (this.#kept.length > MAX_KEPT) this.#kept.shift();
  }

  /** The kept plans that together reach most: each adds to what those before it reach. */
  corpus(): Plan[] {
    const seen = new Set<string>();
    const plans: Plan[] = [];
    const isNew = (each: string) => !seen.has(each);
    const added = ({ reached }: Kept) => reached.filter(isNew).length;
    for (let left = this.#kept; plans.length < MAX_CORPUS && left.length > 0; ) {
      const best = left.reduce((one, two) => (added(two) > added(one) ? two : one));
      for (const each of best.reached) seen.add(each);
      plans.push(best.plan);
      left = left.filter((each) => each !== best && added(each) > 0);
    }
    return plans;
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
    habits: [...habits, chance.pick(Object.keys(HABITS))].slice(-2),
  }),
  ({ habits }) => ({ habits: habits.slice(1) }),
  ({ slips }, chance) => ({ slips: [...slips, { answer: chance.between(1, 6), slip: chance.pick(SLIPS) }] }),
  ({ incidents }, _, other) => ({ incidents: [...incidents.slice(0, 4), ...other.incidents.slice(0, 2)] }),
  (_, chance) => ({ seed: chance.between(1, 99_999_999) }),
  (_, chance) => ({ continueAfter: chance.pick([40, 60, 200, 10_000]) }),
  (_, __, { who, parties, existing, errands }) => ({ who, parties, existing, errands }),
  (_, __, { twists, moves, shiftMs, paceMs }) => ({ twists, moves, shiftMs, paceMs }),
];
