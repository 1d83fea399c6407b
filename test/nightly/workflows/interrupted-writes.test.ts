import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { merchant } from '../../rigs/inputs.js';
import { launch } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { tcpProxy } from '../../rigs/tcp-proxy.js';
import { giveUp } from '../../rigs/workflows/give-up.js';

/** Of a machine that has other tests to run. */
const TIMEOUT_MS = 200_000;

/** `NETWORK_CUT_SECONDS=60` cuts for longer. The SDK's own report of a result gives up after ten. */
const CUT_SECONDS = Number(process.env['NETWORK_CUT_SECONDS'] ?? 20);

const SUBMIT = 'submit-merchant';
const CREATE = 'create-merchant';

async function rigOfTest(): Promise<Rig> {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  return rig;
}

const startWorker = (rig: Rig, env: Record<string, string> = {}) =>
  launch('worker', { ...rig.env, ...env }, 'worker is ready');

/** A boarding whose submission has begun: its worker is in the read before the request, without an intent. */
async function beforeMark(rig: Rig) {
  const input = merchant();
  const read = await rig.sandbox.hold('get-status', 'id=');
  const boarding = await rig.board(input);
  await read.underWay();
  return { input, boarding, read };
}

async function submittedOnce(rig: Rig, { externalId }: { externalId: string }): Promise<void> {
  expect(await rig.sandbox.writes(externalId)).toEqual([CREATE, SUBMIT]);
  expect(await rig.sandbox.requests(SUBMIT)).toHaveLength(1);
}

describe('a write', { timeout: TIMEOUT_MS }, () => {
  it('is not sent by a worker that was stopped before its intent and goes on once it was given up on', async () => {
    const rig = await rigOfTest();
    const slow = await startWorker(rig);
    const { input, boarding, read } = await beforeMark(rig);
    slow.child.kill('SIGSTOP');
    await giveUp(rig);
    await read.letGo();
    const next = await startWorker(rig);
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    slow.child.kill('SIGCONT');
    // It has its response by now, and would send at once.
    await sleep(2_000);
    expect(await boarding.events()).not.toContain('write-uncertain');
    await submittedOnce(rig, input);
    await Promise.all([slow.stop(), next.stop()]);
  });

  it('whose worker is killed while it is cut off from Temporal before its intent is sent by the next attempt', async () => {
    const rig = await rigOfTest();
    const wire = await tcpProxy(rig.env['TEMPORAL_ADDRESS'] ?? '');
    const doomed = await startWorker(rig, { TEMPORAL_ADDRESS: wire.address });
    const { input, boarding, read } = await beforeMark(rig);
    wire.cut();
    await read.letGo();
    // It has its response by now, and would record its intent.
    await sleep(2_000);
    await doomed.stop('SIGKILL');
    await giveUp(rig);
    // What it has sent to Temporal arrives although it is dead.
    wire.mend();
    const next = await startWorker(rig);
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await boarding.events()).not.toContain('write-uncertain');
    await submittedOnce(rig, input);
    await next.stop();
    await wire.close();
  });

  it('whose response arrives during a network cut between worker and Temporal counts', async () => {
    const rig = await rigOfTest();
    const wire = await tcpProxy(rig.env['TEMPORAL_ADDRESS'] ?? '');
    const worker = await startWorker(rig, { TEMPORAL_ADDRESS: wire.address });
    const input = merchant();
    const held = await rig.sandbox.hold(CREATE, input.externalId, 'delay-after-commit');
    const boarding = await rig.board(input);
    await held.underWay();
    wire.cut();
    await held.letGo();
    await sleep(CUT_SECONDS * 1_000);
    wire.mend();
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await boarding.events()).not.toContain('write-uncertain');
    await submittedOnce(rig, input);
    expect(await rig.sandbox.requests(CREATE)).toHaveLength(1);
    await worker.stop();
    await wire.close();
  });
});
