import { afterAll, describe, it } from 'vitest';
import { gangway, startGangway } from '../../../rigs/command.js';
import { waitingBoarding } from '../../../rigs/commands/waiting-boarding.js';
import { business, merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { createRig } from '../../../rigs/rig.js';
import { tcpProxy } from '../../../rigs/tcp-proxy.js';
import { eventually } from '../../../rigs/waiting.js';

/** An inbox reads all onboardings of a namespace. */
const rig = await createRig({ ownNamespace: true });
afterAll(() => rig.close());

/** Settings for a task queue that no worker polls. */
const unserved = () => ({ ...rig.env, GANGWAY_TASK_QUEUE: 'nobody-polls-this' });

const isOneRunning = (taskQueue: string) => ({
  code: 4,
  stdout: '',
  stderr: `no worker polls task queue ${taskQueue}: is one running?\n`,
});

// Each test waits some seconds for a worker, so they run concurrently.
describe.concurrent('without a worker, or without Temporal:', () => {
  it('call reports it', async ({ expect }) => {
    const args = ['call', 'plant-store', 'list-plants', '--start-within', '1s'];
    expect(await gangway(unserved(), args)).toEqual(isOneRunning('nobody-polls-this-plant-store'));
  });

  it('call reports at once that a partner is off where other task queues have a worker, and sends nothing', async ({
    expect,
  }) => {
    const env = { ...rig.env, GANGWAY_ACCOUNTS: 'acme' };
    const args = ['call', 'plant-store', 'list-plants', '--partner-account', 'acme', '--start-within', '10m'];
    const set = 'set ACME_PLANT_STORE_URL, and acme in GANGWAY_ACCOUNTS, for a worker';
    expect(await gangway(env, args)).toEqual({
      code: 4,
      stdout: '',
      stderr: `no worker polls task queue ${rig.taskQueue}-plant-store-acme: ${set}; nothing was sent\n`,
    });
  });

  it('an onboarding names the setting of a partner that is off, and continues when a worker has it', async ({
    expect,
    onTestFinished,
  }) => {
    const own = await createRig({ bankingUser: null });
    onTestFinished(() => own.close());
    const input = business();
    const why = `no worker polls task queue ${own.taskQueue}-banking: set BANKING_URL for a worker`;
    const started = await gangway(own.env, ['onboard-business', '-'], JSON.stringify(input));
    expect(started).toMatchObject({ code: 0, stderr: `it waits: ${why}\n` });
    const onboarding = new Onboarding(own.client, `business-onboarding-${input.externalId}`);
    const status = ['status', onboarding.workflowId];
    await eventually(
      () => gangway(own.env, status),
      ({ stdout }) => stdout.includes(why),
      'the reason',
    );
    await own.startWorker({ bankingUser: 'sandbox' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
  });

  it('resolve reports that it does not know, and the answer is applied later', async ({
    expect,
    onTestFinished,
  }) => {
    const own = await createRig({ worker: false });
    onTestFinished(() => own.close());
    const worker = await own.startWorker();
    const { boarding, externalId, id } = await waitingBoarding(own);
    await worker.stop();
    const resolving = startGangway(own.env, ['resolve', externalId, id, '--text', 'Yes.']);
    await resolving.says(`... ${boarding.workflowId}: waiting for a worker\n`);
    // A minute after its last poll, the server no longer lists the worker.
    const why = `no worker (responds on|polls) task queue ${own.taskQueue}(: is one running\\?)?`;
    const check = `Check with "gangway status ${boarding.workflowId}"`;
    expect(await resolving.finished).toEqual({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(
          `^${id}: no worker has responded in time, so it is not known whether it took effect, and one may still ` +
            `apply it \\(${why}\\). ${check}, ` +
            'and answer again if the requirement is still open then.\n$',
        ),
      ),
    });
    expect(resolving.stderr()).toContain(`... ${id}: waiting for a worker\n`);
    await own.startWorker();
    await boarding.until(({ requirements }) => requirements.length === 1, 'the answer, applied');
  });

  it('board --wait reports it, and exits 4 when --timeout ends it', async ({ expect }) => {
    const input = JSON.stringify(merchant());
    const waiting = startGangway(unserved(), ['board', '-', '--wait'], { input });
    await waiting.says('cannot be read: no worker polls task queue nobody-polls-this');
    waiting.timeOut();
    expect((await waiting.finished).code).toBe(4);
  });

  it('a command ends with a message when Temporal stops responding', async ({ expect, onTestFinished }) => {
    const wire = await tcpProxy(rig.env['TEMPORAL_ADDRESS'] ?? '');
    onTestFinished(() => wire.close());
    const { externalId } = await waitingBoarding(rig);
    const watching = startGangway({ ...rig.env, TEMPORAL_ADDRESS: wire.address }, ['watch', externalId]);
    await watching.says('--document FILE');
    wire.cut();
    expect(await watching.finished).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        / continues; "gangway watch .*" follows it again\nTemporal: Deadline exceeded/,
      ),
    });
  });
});
