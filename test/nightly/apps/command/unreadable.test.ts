import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { gangway } from '../../../rigs/command.js';
import { waitingBoarding } from '../../../rigs/commands/waiting-boarding.js';
import { launch, type RunningProcess, run } from '../../../rigs/processes.js';
import { problemOf, runReceiver, TOKEN } from '../../../rigs/receiver/running-receiver.js';
import { createRig, type Rig } from '../../../rigs/rig.js';
import { FORGETFUL } from '../../../rigs/temporal-server.js';
import { eventually } from '../../../rigs/waiting.js';
import { changedBuild } from '../../../rigs/worker/changed-build.js';
import { bankOf } from '../../../rigs/workflows/bank.js';

const TIMEOUT_MS = 600_000;
const WAIT_LIMIT_MS = 150_000;

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ worker: false, payloadKeys: '', server: { dynamicConfig: FORGETFUL } });
});
afterAll(() => rig.close());

/** On the same Temporal server, with a task queue of its own. */
const beside = (payloadKeys?: string) =>
  createRig({
    address: rig.env['TEMPORAL_ADDRESS'] ?? '',
    worker: false,
    // What can be read waits until the end, and nothing about it changes at the partner.
    poll: { minMs: 50, maxMs: 10_000 },
    ...(payloadKeys !== undefined && { payloadKeys }),
  });

async function release(buildId: string, build?: string): Promise<RunningProcess> {
  const worker = await launch('worker', { ...rig.env, GANGWAY_BUILD_ID: buildId }, 'worker is ready', {
    build,
  });
  onTestFinished(async () => void (await worker.stop()));
  const args = ['--deployment-name', rig.taskQueue, '--build-id', buildId, '--yes'];
  const address = rig.env['TEMPORAL_ADDRESS'] ?? '';
  const makeCurrent = () =>
    run(
      inject('temporalCli'),
      ['worker', 'deployment', 'set-current-version', ...args, '--address', address],
      {},
    );
  await eventually(makeCurrent, ({ code }) => code === 0, `${buildId} as the current version`, WAIT_LIMIT_MS);
  return worker;
}

it(
  'onboardings that cannot be read are named with the reason by inbox, status, doctor and the receiver, next to those that can be read',
  async () => {
    const [readable, unserved, locked] = [await beside(''), await beside(''), await beside()];
    for (const each of [readable, unserved, locked]) onTestFinished(() => each.close());
    await readable.startWorker();
    await locked.startWorker();
    const leaving = await unserved.startWorker();
    const { externalId } = await waitingBoarding(readable);
    const { boarding: encrypted } = await waitingBoarding(locked);
    const { boarding: alone } = await waitingBoarding(unserved);
    await leaving.stop();

    const good = await release('good');
    const { boarding: stuck } = await waitingBoarding(rig);
    const { merchantProfileId = 0 } = await stuck.state();
    const pinned = await bankOf(rig).closingInWarning();
    await good.stop();
    await release('bad', await changedBuild('without-patch'));
    await rig.sandbox.transition(merchantProfileId, { status: 'Declined' });

    const queue = rig.taskQueue;
    // A worker can come back; the others need a repair.
    const why = [
      [pinned, `its build is gone: no worker runs ${queue}:good`, 4],
      [stuck, 'its workflow task fails: [TMPRL1100] Nondeterminism error', 1],
      [alone, `no worker polls task queue ${unserved.taskQueue}`, 4],
      [encrypted, 'its key is not in PAYLOAD_KEYS', 1],
    ] as const;
    const inbox = await eventually(
      () => gangway(rig.env, ['inbox', '--details']),
      ({ stderr, stdout }) =>
        stdout.includes(externalId) &&
        why.every(([{ workflowId }, detail]) => stderr.includes(`${workflowId} cannot be read: ${detail}`)),
      'an inbox that names all four',
      WAIT_LIMIT_MS,
    );
    expect(inbox.code).toBe(0);
    expect(inbox.stderr.trimEnd().split('\n')).toHaveLength(4);
    for (const [{ workflowId: id }, detail, code] of why) {
      expect(await gangway(rig.env, ['status', id])).toMatchObject({
        code,
        stdout: expect.stringContaining(`workflow          ${id}\n`),
        stderr: expect.stringContaining(`${id} cannot be read: ${detail}`),
      });
      expect(await gangway(rig.env, ['status', id, '--json'])).toMatchObject({ code, stdout: '' });
    }
    const facts = /stage {13}underwriting\npartner status {4}Pending\nmerchant {10}\d+\n/;
    expect((await gangway(rig.env, ['status', alone.workflowId])).stdout).toMatch(facts);

    const failed = async (taskQueue: string) => {
      const { stdout } = await gangway({ ...rig.env, GANGWAY_TASK_QUEUE: taskQueue }, ['doctor']);
      return stdout.split('\n').filter((line) => line.startsWith('wrong'));
    };
    const [versions, tasks, ...more] = await eventually(
      () => failed(queue),
      (lines) => lines.length === 2,
      'a doctor that names both',
      WAIT_LIMIT_MS,
    );
    expect(more).toEqual([]);
    expect(versions).toMatch(
      new RegExp(`builds +no worker runs ${queue}:good, and workflows are pinned to it: 1`),
    );
    expect(tasks).toContain(`1 blocked: ${stuck.workflowId} cannot be read: ${why[1][1]}`);
    await expect
      .poll(() => failed(unserved.taskQueue))
      .toEqual([expect.stringContaining(`no worker polls task queue ${unserved.taskQueue}`)]);
    await expect
      .poll(() => failed(locked.taskQueue))
      .toEqual([expect.stringMatching(new RegExp(`key \\S+ is missing of ${encrypted.workflowId}`))]);

    const { call } = await runReceiver(rig);
    for (const [{ workflowId }, reason] of [
      [stuck, 'its workflow task fails'],
      [alone, 'no worker is running to respond'],
      [encrypted, 'the key that it is encrypted with is missing or wrong'],
      [pinned, 'no worker runs the build that it is pinned to'],
    ] as const) {
      const bearer = { authorization: `Bearer ${TOKEN}` };
      const reply = await call(`GET /v1/onboardings/${workflowId}`, undefined, bearer);
      expect([reply.headers.get('retry-after'), problemOf(reply)]).toEqual([
        '5',
        {
          type: 'urn:gangway:problem:unreadable-onboarding',
          title: 'The onboarding cannot be read now',
          status: 503,
          detail: `${reason}; nothing is lost. "gangway status" shows an operator more`,
        },
      ]);
    }
  },
  TIMEOUT_MS,
);
