import { expect, it } from 'vitest';
import { run } from '../../rigs/processes.js';

const simulate = (...args: string[]) =>
  run(process.execPath, ['--import', 'tsx', 'simulation/run.ts', ...args], {});

it('keeps every promise in forty runs on virtual time, with all faults there are', async () => {
  const { code, stdout } = await simulate('--seed', '1', '--count', '40');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^40 runs, \d{2} onboardings, \d+ steps in /),
  });
});

it('does the same, byte for byte, with the same seed', async () => {
  const [one, other] = await Promise.all(
    [1, 2].map(() => simulate('--seed', '3', '--count', '4', '--trace')),
  );
  const traceOf = (printed?: string) => printed?.split('\n').filter((line) => line.startsWith('2026-'));
  expect(traceOf(one?.stdout)?.length).toBeGreaterThan(100);
  expect(traceOf(one?.stdout)).toEqual(traceOf(other?.stdout));
});

it('names which promise a run breaks, what is enough for it, and how to repeat it', async () => {
  // Both workers die, and nobody starts them again.
  const forEver = Array.from({ length: 12 }, (_, step) => ({ step, how: 'killed', milliseconds: 1e12 }));
  const plan = {
    seed: 1,
    parties: 1,
    fates: [],
    losses: [],
    moves: [],
    shiftMs: 60_000,
    incidents: forEver,
    continueAfter: 10_000,
  };
  const { code, stdout } = await simulate('--plan', JSON.stringify(plan));
  expect(code).toBe(1);
  expect(stdout).toMatch(/^\nseed 1 breaks a promise:\n {2}\S+ never ended: /);
  expect(stdout).toContain('\nwhat is enough for it:\n\n2026-01-05T');
  expect(stdout).toContain(`\nto repeat it: npm run simulate -- --trace --plan '{"seed":1,`);
});
