import type { Plan } from './plan.js';
import { simulate, type Verdict } from './simulation.js';

/** Leaves out whatever a failing run does not need to fail with the same promise broken. */
export async function shrunk(failing: Verdict): Promise<Verdict> {
  const wanted = kindOf(failing);
  let best = failing;
  const fails = async (plan: Plan): Promise<boolean> => {
    const verdict = await simulate(plan);
    if (verdict.problems.length === 0 || kindOf(verdict) !== wanted) return false;
    best = verdict;
    return true;
  };
  if (best.plan.parties > 1) await fails({ ...best.plan, parties: 1 });
  for (const part of ['incidents', 'losses', 'moves', 'fates'] as const) {
    for (let size = best.plan[part].length; size >= 1; size = Math.floor(size / 2)) {
      for (let from = 0; from < best.plan[part].length; ) {
        const without = (best.plan[part] as readonly unknown[]).toSpliced(from, size);
        if (!(await fails({ ...best.plan, [part]: without } as Plan))) from += size;
      }
    }
  }
  if (best.plan.continueAfter < NEVER) await fails({ ...best.plan, continueAfter: NEVER });
  return best;
}

const NEVER = 10_000;

/** The first promise that was broken, without the names in it. */
function kindOf({ problems: [first = ''] }: Verdict): string {
  return first.replace(/\S*\d\S*/g, '#');
}
