import { Seeded } from '../../../simulation/seeded.js';
import type { FaultPlan } from '../../../src/apps/sandbox/faults.js';

export interface Kill {
  /** Milliseconds from the beginning. */
  readonly at: number;
  /** `receiver 1`, `batch`, or a part of the Temporal server, which is restarted after a while. */
  readonly target: string;
  /** How long it stays down. */
  readonly downMs: number;
}

/** A running worker that is cut off from Temporal, or stopped by SIGSTOP. */
export interface Spell {
  readonly at: number;
  readonly target: 'worker 1' | 'worker 2';
  readonly how: 'cut off' | 'stopped';
  readonly milliseconds: number;
}

export interface Weather {
  readonly lastsMs: number;
  readonly faults: readonly { readonly at: number; readonly plan: FaultPlan }[];
  readonly kills: readonly Kill[];
  readonly spells: readonly Spell[];
}

/** Writes; frequent ones are listed several times. */
const WRITES = [
  'create-merchant',
  'create-merchant',
  'submit-merchant',
  'submit-merchant',
  'create-merchant-v1',
  'upload-attachment',
  'request-underwriting-review',
  'update-fees',
  'submit-business-account-holder',
  'submit-business-account-holder',
  'update-business-account-holder',
  'submit-business-customer',
  'create-ticket',
] as const;

const READS = [
  'get-fees',
  'get-status',
  'get-underwriting-notes',
  'search-business-account-holders',
  'find-profile-by-merchant',
  'get-profile',
  'list-new-tickets',
  'list-tickets',
  'issue-token',
] as const;

const OF_WRITES = [
  'drop-before-commit',
  'drop-after-delay',
  'drop-after-commit',
  'drop-after-commit',
  '500-before-commit',
  '500-after-commit',
  '500-after-commit',
  '408-after-commit',
  '429',
  '503',
  'delay',
  'delay-after-commit',
  'expired-token',
] as const;

const OF_READS = [
  'first-page',
  'drop-before-commit',
  '500-before-commit',
  '429',
  '503',
  'delay',
  'expired-token',
] as const;

const BESIDE_OPERATIONS = ['refuse', 'duplicate-webhooks', 'reorder-webhooks'] as const;

/** Longer than a caller waits for a response, so that the write takes effect after the caller gave up. */
const HANGS_MS = 33_000;

/** Shorter weather has no delays that long, because it would end before them. */
const LONG_MS = 60_000;

/** In weather shorter than this, each kind of incident happens once: what starts again costs more than all onboardings. */
const BRIEF_MS = 10_000;

/** How long a worker is out of reach, in milliseconds: shorter and longer than calls and reports are retried. */
const SPELLS = [
  { how: 'cut off', milliseconds: 12_000 },
  { how: 'cut off', milliseconds: 60_000 },
  { how: 'stopped', milliseconds: 5_000 },
  { how: 'stopped', milliseconds: 20_000 },
] as const;

/**
 * All faults: one for each onboarding, and the processes that are killed. A pure function of the seed.
 *
 * @param lastsMs how long the faults occur
 * @param parts of the Temporal server
 */
export function weatherOf(seed: number, count: number, lastsMs: number, parts: readonly string[]): Weather {
  const chance = new Seeded(seed ^ 0x5eed);
  const moments = (times: number): number[] =>
    Array.from({ length: times }, (_, index) => Math.round(((index + chance.next()) * lastsMs) / times));
  const faults = moments(count).map((at) => ({ at, plan: faultOf(chance, lastsMs) }));
  const often = (target: string, everyMs: number) =>
    moments(Math.max(1, Math.round(lastsMs / everyMs))).map(
      (at): Kill => ({ at, target, downMs: chance.between(200, 3_000) }),
    );
  const isBrief = lastsMs < BRIEF_MS;
  const kills = [
    ...often('worker 1', 20_000),
    ...(isBrief ? [] : often('worker 2', 20_000)),
    ...often('receiver 1', 30_000),
    ...(isBrief ? [] : often('receiver 2', 30_000)),
    ...parts.flatMap((part) => often(part, 40_000)),
    { at: chance.between(2_000, Math.round(lastsMs / 3)), target: 'batch', downMs: 500 },
  ];
  const isSwapped = chance.happens(0.5);
  // A worker never gets two of one kind.
  const spells = SPELLS.filter((_, index) => !isBrief || index % 2 === 0).map((spell, index): Spell => {
    const target = (index % 2 === 0) === isSwapped ? 'worker 1' : 'worker 2';
    return { ...spellOf(chance, spell, lastsMs), target };
  });
  // Last, so that the weather of a seed stays as it was.
  const ofPage = isBrief ? [] : often('link', 40_000);
  return { lastsMs, faults, kills: [...kills, ...ofPage], spells };
}

/** Ends before the weather does, and is shorter in short weather. */
function spellOf(chance: Seeded, { how, milliseconds }: (typeof SPELLS)[number], lastsMs: number) {
  const fits = Math.min(milliseconds, Math.round(lastsMs / 2));
  const at = chance.between(0, lastsMs - fits);
  return { at, how, milliseconds: fits };
}

function faultOf(chance: Seeded, lastsMs: number): FaultPlan {
  const roll = chance.next();
  if (roll < 0.55) {
    const fault = chance.pick(OF_WRITES);
    const hangs = lastsMs >= LONG_MS && fault.startsWith('delay') && chance.happens(0.3);
    const milliseconds = hangs ? HANGS_MS : chance.between(500, 4_000);
    return { fault, operation: chance.pick(WRITES), times: 1, milliseconds };
  }
  const milliseconds = chance.between(500, 2_000);
  if (roll < 0.85)
    return {
      fault: chance.pick(OF_READS),
      operation: chance.pick(READS),
      times: chance.between(1, 3),
      milliseconds,
    };
  return { fault: chance.pick(BESIDE_OPERATIONS), times: 1, milliseconds };
}
