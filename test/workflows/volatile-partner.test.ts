import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { merchant } from '../rigs/inputs.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';
import {
  boardingResponse,
  type HostilePartner,
  hostilePartner,
  NOTES,
  STATUS,
} from '../rigs/workflows/hostile-partner.js';

const MIN_MS = 300;

let rig: Rig;
let hostile: HostilePartner;
beforeAll(async () => {
  rig = await createRig({ worker: false });
  hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
  await rig.startWorker({ boardingUrl: hostile.url, poll: { minMs: MIN_MS, maxMs: 4 * MIN_MS } });
});
afterAll(() => rig.close());

const DATE = '2026-01-31T10:00:00Z';
const QUIET = { status: 'Pending', statusDate: DATE, comment: null, mid: null };
const dateOf = (number: number) => new Date(Date.parse(DATE) + number * 1_000).toISOString();

/** A boarding under review, whose partner then responds with these. */
async function volatile(
  status: (number: number) => object,
  notes: (number: number) => readonly object[] = () => [],
) {
  const boarding = await rig.board(merchant('waiting'));
  const { merchantProfileId } = await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
  const read = `${STATUS}?id=${merchantProfileId}`;
  const becomes = (data: (number: number) => object) =>
    hostile.misbehave(read, (number) => boardingResponse({ ...QUIET, ...data(number) }));
  becomes(status);
  hostile.misbehave(`${NOTES}?id=${merchantProfileId}`, (number) => boardingResponse(notes(number)));
  const times = () => hostile.times(read);
  const afterReads = async (reads: number) => {
    await eventually(
      async () => times().length,
      (count) => count >= reads,
      `${reads} reads`,
    );
    return (await boarding.handle.describe()).historyLength;
  };
  return { boarding, becomes, times, afterReads };
}

// Catches a question that is raised each time that one of two texts comes back, as long as the boarding lasts.
it('a partner that shows one of two notes by turns asks about each at most four times', async () => {
  const texts = ['Please send a bank letter.', 'Bank letter, please!'];
  const { boarding, becomes, afterReads } = await volatile(
    () => ({}),
    (number) => [{ text: texts[Math.floor(number / 3) % 2], author: 'UW', date: DATE }],
  );
  await afterReads(40);
  const { timeline, requirements } = await boarding.state();
  expect(timeline.filter(({ event }) => event === 'requirement-raised')).toHaveLength(8);
  expect(requirements.map(({ detail }) => detail)).toEqual(expect.arrayContaining(texts));
  becomes(() => ({ status: 'Approved', mid: '518000000000043' }));
  expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', mid: '518000000000043' });
});

describe.concurrent('a partner that changes with each read', () => {
  it.each<[string, string, (number: number) => object, ((number: number) => readonly object[])?]>([
    [
      'the texts of its notes',
      '518000000000041',
      () => ({}),
      (number) => [{ text: `Why ${number}?`, author: 'UW', date: DATE }],
    ],
    [
      'all of it, and wants changes',
      '518000000000042',
      (number) => ({ status: 'RequestChanges', statusDate: dateOf(number), comment: `again ${number}` }),
    ],
  ])('(%s) is read no faster than another one, and costs no more history', async (_, mid, status, notes) => {
    const { boarding, becomes, times, afterReads } = await volatile(status, notes);
    const early = await afterReads(8);
    const late = await afterReads(14);
    expect(late).toBe(early);
    const gaps = times()
      .slice(1)
      .map((time, index) => time - (times()[index] ?? 0));
    // The server's timers are no finer than a few milliseconds.
    expect(Math.min(...gaps)).toBeGreaterThan(MIN_MS - 20);
    const { timeline, requirements } = await boarding.state();
    expect(timeline.filter(({ event }) => event === 'requirement-raised').length).toBeLessThanOrEqual(4);
    expect(requirements.length).toBeLessThanOrEqual(1);

    becomes(() => ({ status: 'Approved', mid }));
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', mid });
  });
});
