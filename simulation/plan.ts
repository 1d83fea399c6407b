import { UW_LEVEL_1_PENDING } from '../src/partners/boarding/schemas.js';
import { Seeded } from '../test/rigs/chaos/seeded.js';

/** What can happen to a request on its way to a partner and back. */
export const FATES = [
  'refused', // no connection
  'lost', // it leaves, and never arrives
  'unanswered', // it takes effect, and its response is lost
  'reset', // it takes effect, and the connection breaks
  'slow', // its response takes most of the time that there is
  'limited', // the partner asks for a pause, and does nothing
  'broken', // the partner fails before it does anything
] as const;

export type Fate = (typeof FATES)[number];

/** What can happen to a request to Temporal. */
export const LOSSES = ['lost', 'unanswered', 'late'] as const;

export type Loss = (typeof LOSSES)[number];

/** Everything that goes wrong in a run. All else follows from the seed. */
export interface Plan {
  readonly seed: number;
  /** How many customers, merchants and businesses are onboarded. */
  readonly parties: number;
  /** The faults of requests to partners, by their number among the writes, or among the reads. */
  readonly fates: readonly { readonly of: 'write' | 'read'; readonly number: number; readonly fate: Fate }[];
  /** The faults of requests to Temporal, by their number. */
  readonly losses: readonly { readonly request: number; readonly loss: Loss }[];
  /** After how many steps a worker is killed or frozen, and how long until it is back, in milliseconds. */
  readonly incidents: readonly Incident[];
  /** Writes that fail while the partner moves the merchant for another reason. */
  readonly moves: readonly (keyof typeof MOVES)[];
  /** How long at most until somebody looks at what is asked, in milliseconds. */
  readonly shiftMs: number;
  /** Workflows continue as new from this many events on. */
  readonly continueAfter: number;
}

/** What the partner does instead of a write. Its new status is no evidence that the write arrived. */
export const MOVES = {
  review: {
    ...{ fault: '500-before-commit', operation: 'request-underwriting-review' },
    meanwhile: { status: UW_LEVEL_1_PENDING },
  },
  submission: {
    ...{ fault: '500-before-commit', operation: 'submit-merchant' },
    meanwhile: { status: 'On Hold', steps: 3 },
  },
  refusedReview: {
    ...{ fault: '400', operation: 'request-underwriting-review' },
    meanwhile: { status: 'On Hold', steps: 3 },
  },
} as const;

const MINUTE_MS = 60_000;

export interface Incident {
  readonly step: number;
  readonly how: 'killed' | 'frozen';
  readonly milliseconds: number;
}

/** How much goes wrong differs from seed to seed, from nothing to almost everything. */
export function planOf(seed: number): Plan {
  const chance = new Seeded(Math.imul(seed, 7_919));
  const times = <Item>(most: number, make: () => Item): Item[] =>
    Array.from({ length: chance.between(0, most) }, make);
  const harshness = chance.pick([0, 1, 3, 10, 40]);
  return {
    ...{ seed, parties: chance.between(1, 2) },
    fates: times(harshness * 2, () => {
      const of = chance.pick<'write' | 'read'>(['write', 'read']);
      const number = chance.between(1, of === 'write' ? 5 + harshness : 20 + 5 * harshness);
      return { of, number, fate: chance.pick([...FATES] as [Fate, ...Fate[]]) };
    }),
    losses: times(harshness, () => ({
      request: chance.between(1, 40 + 10 * harshness),
      loss: chance.pick([...LOSSES] as [Loss, ...Loss[]]),
    })),
    incidents: times(4, () => ({
      step: chance.between(1, chance.pick([60, 200, 600])),
      how: chance.pick(['killed', 'killed', 'frozen']),
      milliseconds: chance.pick([200, 5_000, 90_000, 300_000, 120 * MINUTE_MS]),
    })),
    moves: times(harshness === 0 ? 0 : 2, () => chance.pick(['review', 'submission', 'refusedReview'])),
    shiftMs: chance.pick([MINUTE_MS / 2, 10 * MINUTE_MS, 40 * MINUTE_MS, 360 * MINUTE_MS]),
    continueAfter: chance.pick([60, 200, 10_000]),
  };
}
