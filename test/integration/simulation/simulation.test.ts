import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../rigs/processes.js';

const simulate = (...args: string[]) =>
  run(process.execPath, ['--import', 'tsx', 'simulation/run.ts', ...args], {});

// A busy machine takes minutes.
it('keeps every promise in 300 runs on virtual time, with all faults there are', {
  timeout: 1_200_000,
}, async () => {
  const { code, stdout } = await simulate('--seed', '1', '--count', '300');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^300 runs, \d{3} onboardings, \d+ steps in /),
  });
});

it('does the same with the same seed, byte for byte, for those whom it is to onboard, and draws it as one picture', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-picture-'));
  const [one, other] = await Promise.all(
    [1, 2].map(async (number) => {
      const file = join(folder, `${number}.svg`);
      const { stdout } = await simulate('--seed', '25', '--only', 'merchant', '--trace', '--picture', file);
      const trace = stdout.split('\n').filter((line) => line.startsWith('2026-'));
      return { trace, picture: await readFile(file, 'utf8') };
    }),
  );
  expect(one).toEqual(other);
  const { trace = [], picture = '' } = one ?? {};
  expect(trace.length).toBeGreaterThan(50);
  const started = trace.flatMap((line) => /Temporal +(\w+)-\S+-chaos-\S+ starts/.exec(line)?.[1] ?? []);
  expect(new Set(started)).toEqual(new Set(['merchant']));
  for (const column of ['people', 'Temporal', 'worker 1', 'partner'])
    expect(picture).toContain(`>${column}</text>`);
  expect(picture).toMatch(/>merchant-\S+-chaos-25-\d+ starts<\/text>/);
  expect(picture.match(/https?:[^"]+/g)).toEqual(['http://www.w3.org/2000/svg']);
});

it('names which promise a run breaks, what is enough for it, and how to repeat it', async () => {
  // Both workers die, and nobody starts them again.
  const forEver = [1, 2].map((number) => ({ of: 'step', number, how: 'killed', milliseconds: 1e12 }));
  const plan = {
    ...{
      seed: 1,
      who: 'any',
      parties: [0, 1],
      shiftMs: 21_600_000,
      paceMs: 3_600_000,
      continueAfter: 10_000,
    },
    ...{
      fates: [],
      losses: [],
      moves: [],
      slips: [],
      twists: [],
      errands: [],
      incidents: forEver,
      existing: 'nothing',
    },
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
