import type { Plan } from './plan.js';
import { simulate, type Verdict } from './simulation.js';

const LISTS = ['parties', 'incidents', 'losses', 'moves', 'slips', 'faults', 'twists', 'errands'] as const;

/** No workflow has so many events that it continues as new. */
const NEVER = 10_000;

/** Leaves out whatever a failing run does not need to break the same promise. */
export async function shrunk(failing: Verdict): Promise<Verdict> {
  let best = failing;
  const isEnough = async (changed: Partial<Plan>): Promise<boolean> => {
    const verdict = await simulate({ ...best.plan, ...changed });
    const isSame = verdict.problems[0]?.promise === failing.problems[0]?.promise;
    if (isSame) best = verdict;
    return isSame;
  };
  for (const name of LISTS) {
    const least = name === 'parties' ? 1 : 0;
    for (let size = best.plan[name].length - least; size >= 1; size = Math.floor(size / 2))
      for (let from = 0; from + size <= best.plan[name].length && best.plan[name].length - size >= least; )
        if (!(await isEnough({ [name]: (best.plan[name] as readonly unknown[]).toSpliced(from, size) })))
          from += size;
  }
  if (best.plan.continueAfter < NEVER) await isEnough({ continueAfter: NEVER });
  return best;
}
