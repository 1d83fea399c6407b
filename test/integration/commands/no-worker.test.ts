import { afterAll, beforeAll, describe, it } from 'vitest';
import { gangway, startGangway } from '../../rigs/command.js';
import { waitingBoarding } from '../../rigs/commands/waiting-boarding.js';
import { createRig, type Rig } from '../../rigs/rig.js';

/** With a server of its own, because an inbox reads all onboardings of a server. */
let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ server: {} });
});
afterAll(() => rig.close());

/** Settings for a task queue that no worker polls. */
const unserved = () => ({ ...rig.env, GANGWAY_TASK_QUEUE: 'nobody-polls-this' });

const isOneRunning = (taskQueue: string) => ({
  code: 4,
  stdout: '',
  stderr: `no worker polls task queue ${taskQueue}: is one running?\n`,
});

// Each test waits some seconds for a worker, so they run concurrently.
describe.concurrent('without a worker', () => {
  it('call reports it', async ({ expect }) => {
    const args = ['call', 'plant-store', 'list-plants', '--start-within', '1s'];
    expect(await gangway(unserved(), args)).toEqual(isOneRunning('nobody-polls-this-plant-store'));
  });

  it('show reports it', async ({ expect }) => {
    expect(await gangway(unserved(), ['show', 'tickets'])).toEqual(isOneRunning('nobody-polls-this-banking'));
  });

  it('show also reports it on a server without standalone activities', async ({ expect }) => {
    const old = await createRig({
      server: { dynamicConfig: { 'activity.enableStandalone': false } },
      worker: false,
    });
    const env = { ...old.env, GANGWAY_TASK_QUEUE: 'nobody-polls-this' };
    const shown = await gangway(env, ['show', 'tickets']);
    await old.close();
    expect(shown).toMatchObject(isOneRunning('nobody-polls-this'));
  });

  it('an operation waits for one, and reports it', async ({ expect }) => {
    const started = await gangway(unserved(), ['restore-sub-user', '72', '--no-wait']);
    expect(started).toMatchObject({ code: 0, stderr: '' });
    const running = startGangway(unserved(), ['restore-sub-user', '72']);
    await running.says('restore-sub-user-72 cannot be read: no worker polls task queue nobody-polls-this\n');
    await rig.client.workflow.getHandle('restore-sub-user-72').terminate();
    expect(await running.finished).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /\nrestore-sub-user-72: it was terminated; run the same command to start it again\n$/,
      ),
    });
  });

  it('the inbox shows all boardings, and names those whose details cannot be read', async ({ expect }) => {
    const { TEMPORAL_ADDRESS: address = '', PAYLOAD_KEYS: payloadKeys = '' } = rig.env;
    const abandoned = await createRig({ address, payloadKeys, worker: false });
    const worker = await abandoned.startWorker();
    const { boarding, externalId: unread, id } = await waitingBoarding(abandoned);
    await worker.stop();
    const { externalId } = await waitingBoarding(rig);
    const { code, stdout, stderr } = await gangway(rig.env, ['inbox', '--details']);
    await abandoned.close();
    expect(code).toBe(0);
    expect(stderr).toMatch(
      new RegExp(
        `^${boarding.workflowId} cannot be read: no worker responds on task queue .*: is one running\\?, nor any other there$`,
        'm',
      ),
    );
    expect(stdout).toContain(`  answer note, due in 47 h\n    gangway resolve ${unread} ${id}\n`);
    expect(stdout).toContain(`    gangway resolve ${externalId} ${id} --text TEXT\n`);
  });
});
