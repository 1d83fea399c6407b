import { beforeAll, expect, it } from 'vitest';
import { planOf } from '../../../simulation/plan.js';
import type { Verdict } from '../../../simulation/simulation.js';
import { verdictsOf } from '../../../simulation/threads.js';
import { tableOf } from '../../../simulation/trace.js';
import { run } from '../../rigs/processes.js';

const simulate = (...args: string[]) =>
  run(process.execPath, ['--import', 'tsx', 'simulation/run.ts', ...args], {});

/**
 * Of the first ninety seeds, those that add most to what the others reach (`reached`) for the steps that they take. The nightly part runs
 * for an hour, with seeds of its own.
 */
const SEEDS = [2, 13, 15, 25, 26, 32, 35, 39, 45, 46, 55, 56, 57, 60, 61, 64, 71, 72, 75, 79];

/** Runs once more after all others, which must have left nothing behind. */
const AGAIN = 60;

/** One thread for all runs: it takes longer to start than a run takes. */
let verdicts: Verdict[] = [];
let again: Verdict | undefined;
// A busy machine takes minutes.
beforeAll(async () => {
  verdicts = await Array.fromAsync(verdictsOf([...SEEDS, AGAIN].map(planOf), 1));
  again = verdicts.pop();
}, 1_200_000);

it(`keeps every promise in ${SEEDS.length} runs on virtual time, with all faults there are`, () => {
  expect(verdicts).toHaveLength(SEEDS.length);
  const broken = verdicts.filter(({ problems }) => problems.length > 0);
  expect(broken.map(({ plan: { seed }, problems }) => ({ seed, problems }))).toEqual([]);
  expect(verdicts.reduce((sum, { onboardings }) => sum + onboardings, 0)).toBeGreaterThan(SEEDS.length);
});

it('does the same with the same seed, byte for byte', () => {
  const [one, other] = [verdicts[SEEDS.indexOf(AGAIN)], again].map((each) => tableOf(each?.trace ?? []));
  expect(one).toEqual(other);
  expect(one?.length).toBeGreaterThan(50);
});

it('names which promise a run breaks, what is enough for it, and how to repeat it', async () => {
  // Both workers die, and nobody starts them again.
  const forEver = [1, 2].map((number) => ({ of: 'step', number, how: 'killed', milliseconds: 1e12 }));
  const plan = {
    seed: 1,
    who: 'any',
    parties: [0, 1],
    shiftMs: 21_600_000,
    paceMs: 3_600_000,
    continueAfter: 10_000,
    faults: [],
    losses: [],
    moves: [],
    slips: [],
    twists: [],
    errands: [],
    habits: [],
    incidents: forEver,
    existing: 'nothing',
  };
  const { code, stdout } = await simulate('--plan', JSON.stringify(plan));
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^\nseed 1 breaks a promise:\n {2}Every onboarding ends as its partners decided\.\n {4}\S+ never ended: /,
  );
  const [, trace = ''] = /\nwhat is enough for it:\n\n(2026-01-05T[\s\S]+?)\n\n/.exec(stdout) ?? [];
  expect(trace).toContain('worker 2    is killed');
  expect(trace.split('\n').length).toBeLessThan(26);
  expect(stdout).toContain(
    `\nto repeat it: npm run simulate -- --trace --plan '{"seed":1,"who":"any","parties":[`,
  );
});
