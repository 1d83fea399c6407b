import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { merchant } from '../../rigs/inputs.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import {
  boardingResponse,
  type HostilePartner,
  hostilePartner,
  NOTES,
  STATUS,
} from '../../rigs/workflows/hostile-partner.js';

let rig: Rig;
let hostile: HostilePartner;
beforeAll(async () => {
  rig = await createRig({ worker: false });
  hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
  await rig.startWorker({ boardingUrl: hostile.url });
});
afterAll(() => rig.close());

const DATE = '2026-01-31T10:00:00Z';
const statusData = (more: object) => ({
  status: 'Pending',
  statusDate: DATE,
  comment: null,
  mid: null,
  ...more,
});

/** A boarding that waits for underwriters, whose partner then responds with these. */
async function underwriting(status: object, notes: readonly object[] = []) {
  hostile.behave(STATUS);
  hostile.behave(NOTES);
  const boarding = await rig.board(merchant('waiting'));
  await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
  hostile.misbehave(NOTES, () => boardingResponse(notes));
  hostile.misbehave(STATUS, () => boardingResponse(statusData(status)));
  return boarding;
}

const attributesOf = async (boarding: Awaited<ReturnType<typeof underwriting>>) =>
  (await boarding.handle.describe()).raw.workflowExecutionInfo?.searchAttributes?.indexedFields ?? {};

describe('a status of 3,000 characters', () => {
  it('is shown shortened, and the boarding goes on', async () => {
    const long = `In ${'é'.repeat(3_000)}\u0000`;
    const boarding = await underwriting({ status: long });
    const { partnerStatus } = await boarding.until(
      (state) => state.partnerStatus?.startsWith('In ') === true,
    );
    expect(partnerStatus).toHaveLength(200);
    expect(partnerStatus).toMatch(/^In é+… \(shortened, 3003 characters\)$/);
    const { PartnerStatus } = await attributesOf(boarding);
    expect(JSON.parse(Buffer.from(PartnerStatus?.data ?? []).toString())).toBe(partnerStatus);
    hostile.misbehave(STATUS, () =>
      boardingResponse(statusData({ status: 'Approved', mid: '518000000000042' })),
    );
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', mid: '518000000000042' });
  });
});
