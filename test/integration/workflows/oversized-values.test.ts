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

describe('10,000 underwriting notes', () => {
  it('are 200 requirements and one that counts the rest, in whichever order they are listed', async () => {
    const notes = Array.from({ length: 10_000 }, (_, index) => ({
      text: `Why ${index}?`,
      author: 'UW',
      date: DATE,
    }));
    const boarding = await underwriting({}, notes);
    const { requirements } = await boarding.until((state) => state.requirements.length > 0, 'notes');
    expect(requirements).toHaveLength(201);
    expect(requirements.filter(({ id }) => id === 'note-more')).toMatchObject([
      {
        kind: 'underwriting-note',
        title: '9800 more underwriting notes',
        detail:
          'The partner lists 10000 notes. Gangway asks about 200 of them; 9800 more are in the partner’s portal.',
      },
    ]);
    hostile.misbehave(NOTES, () => boardingResponse(notes.toReversed()));
    await boarding.asleepAfter(3);
    const { timeline, ...after } = await boarding.state();
    expect(after.requirements).toEqual(requirements);
    expect(timeline.filter(({ event }) => event === 'requirement-closed')).toEqual([]);
    hostile.misbehave(STATUS, () => boardingResponse(statusData({ status: 'Declined' })));
    expect(await boarding.outcome()).toMatchObject({ outcome: 'declined' });
  });
});
