import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Builds, serveBuilds } from '../../rigs/deploy/builds.js';
import { merchant } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { run } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';
import { changedBuild } from '../../rigs/worker/changed-build.js';
import { tasksOf } from '../../rigs/workflows/workflow-tasks.js';

const TIMEOUT_MS = 600_000;

/** The patch of the documented change, which the new build has. */
const PATCH = 'fees-after-submission';

let rig: Rig;
let builds: Builds;
let env: Record<string, string>;
beforeAll(async () => {
  rig = await createRig({ worker: false, payloadKeys: '', server: {} });
  env = { ...rig.env, GANGWAY_POLL_MAX: '3s' };
  builds = await serveBuilds(env, { '0.1.0': undefined, '0.2.0': await changedBuild('documented') });
});
afterAll(async () => {
  await builds.close();
  await rig.close();
});

async function rollOut(...args: string[]): Promise<void> {
  const settings = { ...rig.env, WORKERS: builds.command, TEMPORAL: inject('temporalCli') };
  const { code, stderr } = await run('deploy/roll-out.sh', args, settings);
  expect([code, stderr], args.join(' ')).toEqual([0, expect.not.stringContaining('roll-out.sh:')]);
}

async function waiting(): Promise<Onboarding> {
  const boarding = await rig.board(merchant('uw-level-1', { fees: { minimumDiscountAmount: 25 } }));
  await boarding.requirement('underwriting-note');
  return boarding;
}

const allOn = (onboardings: readonly Onboarding[], build: string) =>
  eventually(
    () => Promise.all(onboardings.map(tasksOf)),
    (tasks) => tasks.every((each) => each.at(-1) === build),
    `a workflow task of each on ${build}`,
    120_000,
  );

/** The new step reads the fees a second time. */
const feesRead = async (boarding: Onboarding) =>
  (await boarding.events()).filter((event) => event === 'fees-read').length;

it(
  'a patch that is deployed first and activated later strands nobody: forward, back, forward, activated',
  async () => {
    await rollOut('start', '0.1.0');
    await rollOut('promote', '0.1.0');
    const old = await waiting();

    await rollOut('start', '0.2.0');
    await rollOut('replay', '0.2.0');
    await rollOut('promote', '0.2.0');
    await allOn([old], '0.2.0');
    const inactive = await waiting();
    await allOn([inactive], '0.2.0');
    expect(await feesRead(inactive)).toBe(1);

    // It has passed the place of the patch on the new build, and no patch needs to be named.
    await rollOut('back', '0.1.0');
    await allOn([old, inactive], '0.1.0');
    await rollOut('promote', '0.2.0');
    await allOn([old, inactive], '0.2.0');

    const workers = (verb: string) => {
      const [program = '', ...args] = builds.command.split(' ');
      return run(program, [...args, verb, '0.2.0'], {});
    };
    env['GANGWAY_ACTIVE_PATCHES'] = PATCH;
    expect(await workers('stop')).toMatchObject({ code: 0 });
    expect(await workers('start')).toMatchObject({ code: 0 });
    const active = await waiting();
    const all = [old, inactive, active];
    for (const each of all) {
      const { id } = await each.requirement('underwriting-note');
      await each.resolve(id, { kind: 'text', text: 'Answered.' });
      expect(await each.outcome()).toMatchObject({ outcome: 'boarded' });
    }
    expect(await Promise.all(all.map(feesRead))).toEqual([1, 1, 2]);
    expect(await Promise.all(all.map(async (each) => new Set(await tasksOf(each))))).toEqual([
      new Set(['0.1.0', '0.2.0']),
      new Set(['0.1.0', '0.2.0']),
      new Set(['0.2.0']),
    ]);
    for (const operation of ['create-merchant', 'submit-merchant'])
      expect(await rig.sandbox.ledger({ operation })).toHaveLength(3);
  },
  TIMEOUT_MS,
);
