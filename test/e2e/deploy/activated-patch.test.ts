import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { gangway } from '../../rigs/command.js';
import { type Builds, serveBuilds } from '../../rigs/deploy/builds.js';
import { SECRET, type Subscriber, subscriber } from '../../rigs/events/subscriber.js';
import { merchant } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { run } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';
import { changedBuild } from '../../rigs/worker/changed-build.js';
import { bankOf } from '../../rigs/workflows/bank.js';
import { tasksOf } from '../../rigs/workflows/workflow-tasks.js';

const TIMEOUT_MS = 600_000;

/** The patch of the documented change, which the new build has. */
const PATCH = 'fees-after-submission';

let rig: Rig;
let builds: Builds;
let crm: Subscriber;
let env: Record<string, string>;
beforeAll(async () => {
  rig = await createRig({ worker: false, payloadKeys: '', server: {} });
  crm = await subscriber(SECRET, rig.atClose);
  crm.response = { status: 503, headers: { 'retry-after': '5' } };
  const events = { EVENTS_URLS: crm.url, EVENTS_SECRETS: SECRET, EVENTS_TO_LOOPBACK: 'true' };
  env = { ...rig.env, ...events, GANGWAY_POLL_MAX: '3s' };
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

/** Waits until doctor finds this. The server lists a worker a moment after its first poll. */
const found = (words: RegExp) =>
  eventually(
    () => gangway(rig.env, ['doctor']),
    ({ stdout }) => words.test(stdout),
    `${words}`,
    120_000,
  );

/** The new step reads the fees a second time. */
const feesRead = async (boarding: Onboarding) =>
  (await boarding.events()).filter((event) => event === 'fees-read').length;

it(
  'a patch that is deployed first and activated later strands nobody: forward, back, forward, activated',
  async () => {
    await rollOut('start', '0.1.0');
    await found(/has no current version[\s\S]* set-current-version .* --build-id 0\.1\.0 --yes"/);
    await rollOut('promote', '0.1.0');
    const old = await waiting();
    const pinned = await bankOf(rig).closingInDoubt();

    await rollOut('start', '0.2.0');
    await rollOut('replay', '0.2.0');
    await rollOut('promote', '0.2.0');
    await allOn([old], '0.2.0');
    const inactive = await waiting();
    await allOn([inactive], '0.2.0');
    expect(await feesRead(inactive)).toBe(1);
    await found(/:0\.1\.0 is draining, pinned to it: 1/);
    const { id: whetherClosed } = await pinned.requirement('uncertain-write');
    await pinned.resolve(whetherClosed, { kind: 'retry' });
    expect(await pinned.outcome()).toMatchObject({ outcome: 'done' });
    expect(new Set(await tasksOf(pinned))).toEqual(new Set(['0.1.0']));

    // It has passed the place of the patch on the new build, and no patch needs to be named.
    await rollOut('back', '0.1.0');
    await allOn([old, inactive], '0.1.0');
    await rollOut('promote', '0.2.0');
    await allOn([old, inactive], '0.2.0');

    const workers = (verb: string, build = '0.2.0') => {
      const [program = '', ...args] = builds.command.split(' ');
      return run(program, [...args, verb, build], {});
    };
    env['GANGWAY_ACTIVE_PATCHES'] = PATCH;
    expect(await workers('stop')).toMatchObject({ code: 0 });
    expect(await workers('start')).toMatchObject({ code: 0 });

    // Only workflows are tied to a build: the new one delivers events of the old one.
    expect(await workers('stop', '0.1.0')).toMatchObject({ code: 0 });
    const refused = new Set(crm.received.map(({ id }) => id));
    expect(refused.size).toBeGreaterThan(0);
    const before = crm.received.length;
    crm.response = { status: 204 };
    await eventually(
      async () => new Set(crm.received.slice(before).map(({ id }) => id)),
      (delivered) => [...refused].every((id) => delivered.has(id)),
      'the delivered events',
      120_000,
    );
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
