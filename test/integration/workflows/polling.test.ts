import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nudge } from '../../../src/temporal/nudge.js';
import { merchant } from '../../rigs/inputs.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

const HOURLY = { minMs: 3_600_000, maxMs: 3_600_000 };

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ worker: false });
});
afterAll(() => rig.close());

async function waiting() {
  const boarding = await rig.board(merchant('waiting'));
  const { merchantProfileId = 0 } = await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
  return { boarding, merchantProfileId };
}

describe('a nudge of a poll that sleeps for an hour', () => {
  it('keeps at least a quarter of the reads before it in the count, and all after it', async () => {
    const fast = await rig.startWorker({ poll: { minMs: 1, maxMs: 1 } });
    const { boarding, merchantProfileId } = await waiting();
    const { polls: before } = await boarding.state();
    const attempt = async () => (await boarding.poll())?.attempt ?? 0;
    await eventually(attempt, (number) => number > 20, '20 reads');
    await fast.stop();
    const patient = await rig.startWorker({ poll: HOURLY });
    // The last read of the first worker may have been the one of attempt 20.
    await boarding.asleepAfter(20);
    const reads = (await attempt()) - 1;
    expect(reads).toBeLessThan(64);
    await nudge(rig.client, boarding.workflowId);
    await boarding.asleepAfter(17);
    await rig.sandbox.transition(merchantProfileId, { status: 'Declined', comment: 'no' });
    expect(await nudge(rig.client, boarding.workflowId)).toBe(true);
    await boarding.outcome();
    // Two reads followed the nudges.
    const counted = (await boarding.state()).polls - before - 2;
    // The first attempt may have come too soon to read. Attempt 16 sent a heartbeat, and so does any later read that takes long.
    expect(counted).toBeGreaterThanOrEqual(15);
    expect(counted).toBeLessThanOrEqual(reads);
    await patient.stop();
  });

  it('waits for a running read, and reads again', async () => {
    const patient = await rig.startWorker({ poll: HOURLY });
    const { boarding, merchantProfileId } = await waiting();
    await boarding.asleepAfter(1);
    // The status is read at once, its answer takes a while: it will be an old one.
    const held = await rig.sandbox.hold('get-underwriting-notes', `${merchantProfileId}`);
    await nudge(rig.client, boarding.workflowId);
    await held.underWay();
    await rig.sandbox.transition(merchantProfileId, { status: 'Approved', mid: '4712' });
    const second = nudge(rig.client, boarding.workflowId);
    await held.letGo();
    await second;
    expect(await boarding.outcome()).toMatchObject({ mid: '4712' });
    await patient.stop();
  });
});
