import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nudge } from '../../../src/temporal/nudge.js';
import { merchant } from '../../rigs/inputs.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

const HOUR_MS = 3_600_000;

let patient: Rig;
let eager: Rig;
beforeAll(async () => {
  patient = await createRig({ poll: { minMs: HOUR_MS, maxMs: HOUR_MS } });
  eager = await createRig({ poll: { minMs: 1, maxMs: 1 } });
});
afterAll(async () => {
  await patient.close();
  await eager.close();
});

async function waiting(rig: Rig) {
  const boarding = await rig.board(merchant('waiting'));
  const { merchantProfileId = 0 } = await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
  return { boarding, merchantProfileId };
}

describe.concurrent('a poll writes the same history', () => {
  const decline = { status: 'Declined', comment: 'no' };

  it('for 2, 12 and 40 reads at its own pace', async () => {
    const [first, ...others] = await Promise.all(
      [2, 12, 40].map(async (reads) => {
        const { boarding, merchantProfileId } = await waiting(eager);
        await eventually(
          async () => (await boarding.poll())?.attempt ?? 0,
          (attempt) => attempt > reads,
          `${reads} reads`,
        );
        await eager.sandbox.transition(merchantProfileId, decline);
        await boarding.outcome();
        expect((await boarding.state()).polls).toBeGreaterThan(reads);
        return boarding.written();
      }),
    );
    for (const other of others) expect(other).toEqual(first);
  });
});

describe.concurrent('the count of reads', () => {
  /** A boarding that has read at least 20 times in its status, and now sleeps for an hour. */
  async function afterManyReads(rig: Rig) {
    const fast = await rig.startWorker({ poll: { minMs: 1, maxMs: 1 } });
    const { boarding, merchantProfileId } = await waiting(rig);
    const { polls: before } = await boarding.state();
    await eventually(
      async () => (await boarding.poll())?.attempt ?? 0,
      (attempt) => attempt > 20,
      '20 reads',
    );
    await fast.stop();
    await rig.startWorker({ poll: { minMs: HOUR_MS, maxMs: HOUR_MS } });
    // The last read of the first worker may have been the one of attempt 20.
    await boarding.asleepAfter(20);
    const next = (await boarding.poll())?.attempt ?? 0;
    return { boarding, merchantProfileId, before, reads: next - 1 };
  }

  it('has at least a quarter of the reads before a nudge, and all after it', async () => {
    const rig = await createRig({ worker: false });
    const { boarding, merchantProfileId, before, reads } = await afterManyReads(rig);
    expect(reads).toBeLessThan(64);
    await nudge(rig.client, boarding.workflowId);
    await boarding.asleepAfter(17);
    await rig.sandbox.transition(merchantProfileId, { status: 'Declined', comment: 'no' });
    await nudge(rig.client, boarding.workflowId);
    await boarding.outcome();
    // Two reads followed the nudges.
    const { polls } = await boarding.state();
    const counted = polls - before - 2;
    // The first attempt may have come too soon to read. Attempt 16 sent a heartbeat, and so does any later read that takes long.
    expect(counted).toBeGreaterThanOrEqual(15);
    expect(counted).toBeLessThanOrEqual(reads);
    await rig.close();
  });
});

describe.concurrent('a nudge', () => {
  it('turns a change into a result at once, although the poll sleeps for an hour', async () => {
    const { boarding, merchantProfileId } = await waiting(patient);
    await boarding.asleepAfter(1);
    await patient.sandbox.transition(merchantProfileId, { status: 'Approved', mid: '4711' });
    expect(await nudge(patient.client, boarding.workflowId)).toBe(true);
    expect(await boarding.outcome()).toMatchObject({ mid: '4711' });
  });

  it('that meets a running read waits for it and reads again', async () => {
    const { boarding, merchantProfileId } = await waiting(patient);
    await boarding.asleepAfter(1);
    // The status is read at once, its answer takes a while: it will be an old one.
    const held = await patient.sandbox.hold('get-underwriting-notes', `${merchantProfileId}`);
    await nudge(patient.client, boarding.workflowId);
    await held.underWay();
    await patient.sandbox.transition(merchantProfileId, { status: 'Approved', mid: '4712' });
    const second = nudge(patient.client, boarding.workflowId);
    await held.letGo();
    await second;
    expect(await boarding.outcome()).toMatchObject({ mid: '4712' });
  });

  it('whose read fails is followed by another one after a minute, although the poll sleeps for an hour', async () => {
    const { boarding, merchantProfileId } = await waiting(patient);
    await boarding.asleepAfter(1);
    await patient.sandbox.plan('500-before-commit', 'get-status', { about: `id=${merchantProfileId}` });
    await nudge(patient.client, boarding.workflowId);
    const { currentRetryInterval } = (await eventually(
      () => boarding.poll(),
      (poll) => poll?.lastFailure?.applicationFailureInfo?.type === 'PartnerError',
      'the failed read',
    )) ?? { currentRetryInterval: undefined };
    expect(Number(currentRetryInterval?.seconds)).toBe(60);
  });
});
