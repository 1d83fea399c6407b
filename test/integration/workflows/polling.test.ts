import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nudge } from '../../../src/temporal/nudge.js';
import { merchant } from '../../rigs/inputs.js';
import { createRig, type Rig } from '../../rigs/rig.js';

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

// Proves F6.
describe('a nudge of a poll that sleeps for an hour', () => {
  it('waits for a running read, and reads again', async () => {
    const worker = await rig.startWorker({ poll: HOURLY });
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
    await worker.stop();
  });
});
