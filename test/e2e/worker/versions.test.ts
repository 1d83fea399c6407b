import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { examineBuilds, examineWorkers } from '../../../src/commands/system/doctor/temporal.js';
import { nameOf, pollersOf } from '../../../src/temporal/workers.js';
import { WORKFLOW_BUNDLES } from '../../../src/worker/bundles.js';
import { loadWorkerSettings } from '../../../src/worker/settings.js';
import { SECRET, type Subscriber, subscriber } from '../../rigs/events/subscriber.js';
import { merchant } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { launch, type RunningProcess, run } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';
import { changedBuild } from '../../rigs/worker/changed-build.js';
import { bankOf } from '../../rigs/workflows/bank.js';
import { tasksOf } from '../../rigs/workflows/workflow-tasks.js';

/** Boardings wait for days, and the worker is changed meanwhile. */
const TIMEOUT_MS = 600_000;

/** Workers start, and a build becomes current, while the machine has other tests to run. */
const PATIENCE_MS = 120_000;

/** The name of the documented change. */
const PATCH = 'fees-after-submission';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ worker: false, payloadKeys: '' });
});
afterAll(() => rig.close());

/** The official command, as in docs/changing-workflows.md. */
async function temporal(...args: string[]): Promise<string> {
  const address = rig.env['TEMPORAL_ADDRESS'] ?? '';
  const ended = await run(inject('temporalCli'), [...args, '--address', address], {});
  if (ended.code !== 0) throw new Error(ended.stderr);
  return ended.stdout;
}

const deployment = (command: string, buildId: string, ...more: string[]) =>
  temporal(
    ...['worker', 'deployment', command, '--deployment-name', rig.taskQueue],
    ...['--build-id', buildId, '--yes', ...more],
  );

async function runBuild(buildId: string, root?: string, crm?: Subscriber): Promise<RunningProcess> {
  const env = {
    ...rig.env,
    GANGWAY_BUILD_ID: buildId,
    GANGWAY_ACTIVE_PATCHES: PATCH,
    ...(crm && { EVENTS_URLS: crm.url, EVENTS_SECRETS: SECRET, EVENTS_TO_LOOPBACK: 'true' }),
  };
  const worker = await launch('worker', env, 'worker is ready', { build: root });
  onTestFinished(() => stop(worker));
  return worker;
}

async function stop({ child, exit }: RunningProcess): Promise<void> {
  child.kill('SIGTERM');
  await exit;
}

/** Makes a build current, as soon as Temporal has heard of all of its workers. */
async function makeCurrent(buildId: string): Promise<void> {
  const tried = () => deployment('set-current-version', buildId).catch((error: Error) => error.message);
  await eventually(
    tried,
    (said) => said.includes('Successfully'),
    `${buildId} as the current version`,
    PATIENCE_MS,
  );
}

const onBuild = (boarding: Onboarding, buildId: string) =>
  eventually(
    () => tasksOf(boarding),
    (tasks) => tasks.at(-1) === buildId,
    `a workflow task on ${buildId}`,
    PATIENCE_MS,
  );

/** Fees that the partner has already, so that they are read. */
const WITH_FEES = { fees: { minimumDiscountAmount: 25 } };

async function waitingForAnswer(): Promise<Onboarding> {
  const boarding = await rig.board(merchant('uw-level-1', WITH_FEES));
  await boarding.requirement('underwriting-note');
  return boarding;
}

async function answered(boarding: Onboarding): Promise<unknown> {
  const { id } = await boarding.requirement('underwriting-note');
  await boarding.resolve(id, { kind: 'text', text: 'Answered.' });
  return boarding.outcome();
}

/** An operation that waits for a person, and is pinned to the build that it began with. */
async function closingInDoubt(bank: ReturnType<typeof bankOf>): Promise<Onboarding> {
  const card = await bank.card();
  await rig.sandbox.plan('drop-before-commit', 'close-card');
  // Each sandbox counts its cards from the same number on, and this closing stays for a long time.
  const closing = await bank.operate('close-card', `${rig.taskQueue}-${card.paymentCardId}`, card);
  await closing.requirement('uncertain-write');
  return closing;
}

/** How often the fees were read: the new step reads them a second time. */
const feesRead = async (boarding: Onboarding) =>
  (await boarding.events()).filter((event) => event === 'fees-read').length;

function pin({ workflowId }: Onboarding, buildId: string): Promise<string> {
  return temporal(
    ...[
      'workflow',
      'update-options',
      '--workflow-id',
      workflowId,
      '--versioning-override-behavior',
      'pinned',
    ],
    ...['--versioning-override-deployment-name', rig.taskQueue, '--versioning-override-build-id', buildId],
  );
}

/** Lets the code of build `a` go through what has happened. */
async function replay({ handle }: Onboarding): Promise<void> {
  const workflowBundle = { codePath: WORKFLOW_BUNDLES.plain };
  await Worker.runReplayHistory({ workflowBundle }, await handle.fetchHistory());
}

const builds = (at?: number) => examineBuilds(rig.client, loadWorkerSettings(rig.env), at);

describe('a changed build', () => {
  it(
    'takes over pending work, leaves pinned work to the old build, and is rolled back',
    async () => {
      const crm = await subscriber();
      crm.response = { status: 503, headers: { 'retry-after': '5' } };
      const old = await runBuild('a', undefined, crm);
      // The server lists a worker a moment after its first poll.
      await eventually(
        async () => JSON.stringify(await examineWorkers(rig.client, loadWorkerSettings(rig.env))),
        (said) =>
          /has no current version, .*"run \\"temporal worker deployment set-current-version .* --build-id a --yes\\""/.test(
            said,
          ),
        'a finding that build a is not current',
        PATIENCE_MS,
      );
      await makeCurrent('a');
      const [first, second] = [await waitingForAnswer(), await waitingForAnswer()];
      const bank = bankOf(rig);
      const closing = await closingInDoubt(bank);
      await closingInDoubt(bank);

      await runBuild('b', await changedBuild('documented'), crm);
      await makeCurrent('b');
      // Each status poll takes its boarding along, so a build that cannot go on with it is found out soon.
      await Promise.all([onBuild(first, 'b'), onBuild(second, 'b')]);
      expect(await answered(first)).toMatchObject({ outcome: 'boarded' });
      expect([await feesRead(first), new Set(await tasksOf(first))]).toEqual([1, new Set(['a', 'b'])]);

      const [newcomer, newWaiting] = [
        await rig.board(merchant(undefined, WITH_FEES)),
        await waitingForAnswer(),
      ];
      expect(await newcomer.outcome()).toMatchObject({ outcome: 'boarded' });
      expect([await feesRead(newcomer), new Set(await tasksOf(newcomer))]).toEqual([2, new Set(['b'])]);

      expect(JSON.stringify(await builds())).toContain(`${rig.taskQueue}:a is draining, pinned to it: 2`);
      const { id: whetherClosed } = await closing.requirement('uncertain-write');
      await closing.resolve(whetherClosed, { kind: 'retry' });
      expect(await closing.outcome()).toMatchObject({ outcome: 'done' });
      expect(new Set(await tasksOf(closing))).toEqual(new Set(['a']));

      // Back to the old build: what has passed the patch cannot follow, and is held where it is.
      await eventually(
        () =>
          temporal(
            'workflow',
            'count',
            '--query',
            `TemporalChangeVersion = '${PATCH}' AND TaskQueue = '${rig.taskQueue}'`,
          ),
        (counted) => counted.includes('2'),
        'two that have passed the patch',
        PATIENCE_MS,
      );
      await expect(replay(newcomer)).rejects.toThrow(/Nondeterminism/);
      await pin(newWaiting, 'b');
      await makeCurrent('a');
      await onBuild(second, 'a');
      expect(await answered(second)).toMatchObject({ outcome: 'boarded' });
      expect([await feesRead(second), new Set(await tasksOf(second))]).toEqual([1, new Set(['a', 'b'])]);
      expect(await answered(newWaiting)).toMatchObject({ outcome: 'boarded' });
      expect(new Set(await tasksOf(newWaiting))).toEqual(new Set(['b']));

      // Only workflows are tied to a build: the new one delivers events of the old one.
      await makeCurrent('b');
      await stop(old);
      const stoppedAt = Date.now();
      expect(crm.received.length).toBeGreaterThan(0);
      crm.response = { status: 204 };
      const before = crm.received.length;
      const refused = new Set(crm.received.map(({ id }) => id));
      const delivered = async () => new Set(crm.received.slice(before).map(({ id }) => id));
      const isComplete = (ids: ReadonlySet<string>) => [...refused].every((id) => ids.has(id));
      await eventually(delivered, isComplete, 'the delivered events', PATIENCE_MS);

      // A stopped worker counts as running for a minute, so we ask as of later. By then build b has polled again.
      const later = stoppedAt + 62_000;
      const running = async () => {
        await (await rig.board(merchant())).outcome();
        return (await pollersOf(rig.client, rig.taskQueue, 'workflow', later)).versions.map(nameOf);
      };
      await eventually(running, (builds) => builds.join() === `${rig.taskQueue}:b`, 'build b', PATIENCE_MS);
      expect(await builds(later)).toEqual([
        {
          state: 'wrong',
          detail: `no worker runs ${rig.taskQueue}:a, and workflows are pinned to it: 1`,
          fix: 'run a worker of that build with GANGWAY_BUILD_ID=a until they have ended',
        },
      ]);
    },
    TIMEOUT_MS,
  );
});
