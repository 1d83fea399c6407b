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

describe('a comment of 50,000 characters', () => {
  it('is one requirement, shortened, that closes when the partner moves on', async () => {
    const comment = `Change this: ${'a'.repeat(50_000)}`;
    const boarding = await underwriting({ status: 'RequestChanges', comment });
    const { detail } = await boarding.requirement('request-changes');
    expect(detail).toMatch(/^Change this: a+… \(shortened, 50013 characters\)$/);
    expect(detail).toHaveLength(2_000);
    await boarding.asleepAfter(3);
    const { timeline } = await boarding.state();
    expect(timeline.filter(({ event }) => event === 'requirement-raised')).toHaveLength(1);
    hostile.misbehave(STATUS, () => boardingResponse(statusData({ status: 'Declined', comment })));
    expect(await boarding.outcome()).toMatchObject({
      outcome: 'declined',
      comment: expect.stringMatching(/^Change this: a+… \(shortened, 50013 characters\)$/),
    });
  });
});

describe('a rejection with 2,000 problems of 250 characters', () => {
  it('becomes a requirement of 6,000 characters', async () => {
    const validationResults = Array.from({ length: 2_000 }, (_, index) => ({
      memberNames: [`field${index}`],
      errorMessage: 'must not be '.repeat(20),
    }));
    const body = JSON.stringify({ data: null, status: 'Bad Request', error: null, validationResults });
    hostile.misbehave('POST /api/v2/merchant/create', () => ({ status: 400, body }));
    const boarding = await rig.board(merchant());
    const { detail, id } = await boarding.requirement('rejected-input');
    expect(detail).toHaveLength(6_000);
    expect(detail).toMatch(/^merchant\.field0: must not be .*… \(shortened, \d+ characters\)$/s);
    hostile.behave('POST /api/v2/merchant/create');
    hostile.behave(STATUS);
    hostile.behave(NOTES);
    await boarding.resolve(id, { kind: 'retry' });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
  });
});

describe('a dba of 1,000 characters', () => {
  it('is shortened in the static summary', async () => {
    const input = merchant();
    const dba = `${'长'.repeat(990)} Bakery`;
    const boarding = await rig.board({ ...input, merchant: { ...input.merchant, dba } });
    const { staticSummary } = await boarding.handle.describe().then(async (description) => ({
      staticSummary: await description.staticSummary(),
    }));
    expect(staticSummary).toHaveLength(100);
    expect(staticSummary).toMatch(/长… \(shortened, 997 characters\)$/);
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
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
