import type { FaultKind } from '../../src/apps/sandbox/fault-kinds.js';
import { FAMILIES, habitOutcome } from '../../src/apps/sandbox/habits/habits.js';
import { castOf, KINDS, type Party } from '../cast.js';
import { twisted } from '../existing.js';
import { MARKERS } from '../markers.js';
import { type Plan, planOf, type Slip } from '../plan.js';

/** A plan as far as a real server can follow it: one onboarding, in minutes, and nothing that depends on the time of day. */
export interface Walk {
  readonly plan: Plan;
  readonly party: Party;
  /** By the operation that each of them hits, because a server in real time makes its calls in another order. */
  readonly faults: readonly { readonly fault: FaultKind; readonly operation: string }[];
  readonly habits: readonly string[];
  /** Workflows continue as new from this many events on. */
  readonly continueAfter: number;
}

/** The faults that do not depend on how long a walk takes. */
const FAULTS: readonly string[] = [
  'drop-before-commit',
  'drop-after-commit',
  '500-after-commit',
  '429',
  '503',
  '400',
  'expired-token',
];

const READS = { boarding: ['get-status'], business: ['search-business-account-holders', 'list-new-tickets'] };

/** No walk has as many events. */
const NEVER = 10_000;

/** More of them change nothing but the time that a walk takes. */
const MOST_FAULTS = 3;

/** What people do whatever the time is. */
export const SLIPS: readonly Slip[] = ['wrong', 'again', 'proposed', 'claimed', 'abandoned'];

const TWISTS = ['agent', 'nobody', 'undue', 'unclaimed', 'fees', 'cancels'];

/** Habits of time and pace depend on how long a walk takes. */
const isComparable = (habit: string) =>
  habitOutcome(habit) === 'tolerated' && !(habit in (FAMILIES['pace'] ?? {}));

export function walkOf(seed: number): Walk {
  const drawn = planOf(seed);
  const plan = { ...drawn, twists: drawn.twists.filter((twist) => TWISTS.includes(twist)) };
  const cast = castOf(seed, 4 * KINDS.length, MARKERS).filter(
    ({ twin, parts }) => !twin && !parts.boarding?.moved && !parts.business?.moved,
  );
  const party = twisted(cast[plan.parties[0] ?? 0] as Party, plan);
  const writes = Object.keys({ ...party.parts.boarding?.writes, ...party.parts.business?.writes });
  const reads = Object.keys(party.parts).flatMap((part) => READS[part as keyof typeof READS]);
  const faults = plan.faults.flatMap(({ of, number, fault }) => {
    const all = of === 'write' ? writes : reads;
    const operation = all[number % all.length];
    return FAULTS.includes(fault) && operation ? [{ fault: fault as FaultKind, operation }] : [];
  });
  return {
    plan,
    party,
    faults: faults.slice(0, MOST_FAULTS),
    habits: plan.habits.filter(isComparable),
    // Where a run ends depends on the number of its workflow tasks, which the speed of a machine decides when much happens at once.
    continueAfter: faults.length === 0 && party.type !== 'customerOnboarding' ? plan.continueAfter : NEVER,
  };
}
