import { describe, it } from 'vitest';
import { startGangway } from '../../rigs/command.js';
import { inputFile } from '../../rigs/commands/files.js';
import { waitingBoarding } from '../../rigs/commands/waiting-boarding.js';
import { merchant } from '../../rigs/inputs.js';
import {
  event,
  NOT_APPLIED,
  problemOf,
  runReceiver,
  STRUCTURED,
} from '../../rigs/receiver/running-receiver.js';
import { createRig } from '../../rigs/rig.js';
import { ends } from '../../rigs/shared.js';
import { tcpProxy } from '../../rigs/tcp-proxy.js';

/** Longer than the deadlines of single calls, in milliseconds. */
const MOST_MS = 120_000;

// Each test waits some seconds for a response that does not come, so they run concurrently.
describe.concurrent('a command does not hang', () => {
  it('resolve without a worker reports "accepted, not yet applied", and the answer is applied later', async ({
    expect,
    onTestFinished,
  }) => {
    const rig = await createRig({ worker: false });
    onTestFinished(() => rig.close());
    const worker = await rig.startWorker();
    const { boarding, externalId, id } = await waitingBoarding(rig);
    await worker.stop();
    const resolving = startGangway(rig.env, ['resolve', externalId, id, '--text', 'Yes.']);
    await resolving.says(`... ${boarding.workflowId}: waiting for a worker\n`);
    expect(await resolving.finished).toEqual({
      code: 4,
      stdout: '',
      stderr:
        `${id} accepted, not yet applied (no worker responds on task queue ${rig.taskQueue}: is one running?). A worker ` +
        `applies it later: check with "gangway status ${boarding.workflowId}", and answer again if the requirement is still open then.\n`,
    });
    expect(resolving.stderr()).toContain(`... ${id}: waiting for a worker\n`);
    await rig.startWorker();
    await boarding.until(({ requirements }) => requirements.length === 1, 'the answer, applied');
  });

  it('an event with an answer is rejected as "accepted, not yet applied", too', async ({
    expect,
    onTestFinished,
  }) => {
    const rig = await createRig({ worker: false });
    onTestFinished(() => rig.close());
    const { post } = await runReceiver(rig, {}, ends(onTestFinished));
    const { workflowId } = await rig.board(merchant());
    const who = { id: workflowId, requirementId: 'note-1', actor: 'olga', reason: 'r' };
    const answer = event('requirement.resolved.v1', { ...who, answer: { kind: 'text', text: 'Yes.' } });
    expect(problemOf(await post(JSON.stringify(answer), { 'content-type': STRUCTURED }))).toEqual(
      NOT_APPLIED,
    );
  });

  it('board --wait reports that no worker responds, and --timeout ends it', async ({
    expect,
    onTestFinished,
  }) => {
    const rig = await createRig({ worker: false });
    onTestFinished(() => rig.close());
    const file = await inputFile(rig, merchant());
    const waiting = startGangway(rig.env, ['board', file, '--wait', '--timeout', '40s']);
    await waiting.says(`cannot be read: no worker polls task queue ${rig.taskQueue}`);
    expect(await waiting.finished).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('stopped after 40 s (--timeout); what it started continues\n'),
    });
  });

  it('a command ends with a message when Temporal stops responding', async ({ expect, onTestFinished }) => {
    const rig = await createRig();
    const wire = await tcpProxy(rig.env['TEMPORAL_ADDRESS'] ?? '');
    onTestFinished(async () => {
      await wire.close();
      await rig.close();
    });
    const { externalId } = await waitingBoarding(rig);
    const env = { ...rig.env, TEMPORAL_ADDRESS: wire.address };
    const watching = startGangway(env, ['watch', externalId]);
    await watching.says('--document FILE');
    wire.cut();
    const began = Date.now();
    const { code, stderr } = await watching.finished;
    expect(Date.now() - began).toBeLessThan(MOST_MS);
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringMatching(
        / continues; "gangway watch .*" follows it again\nTemporal: Deadline exceeded/,
      ),
    });
  });
});
