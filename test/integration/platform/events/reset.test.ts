import { afterAll, describe, expect, it } from 'vitest';
import { destinationOf } from '../../../../src/platform/events/sender.js';
import { type Received, SECRET, subscriber } from '../../../rigs/events/subscriber.js';
import { merchant } from '../../../rigs/inputs.js';
import type { Onboarding } from '../../../rigs/onboarding.js';
import { createRig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';
import { reset } from '../../../rigs/workflows/reset.js';

const crm = await subscriber(SECRET, afterAll);
const destinations = [destinationOf(crm.url)];
const rig = await createRig({ events: { secrets: [SECRET], toLoopback: true, destinations } });
afterAll(() => rig.close());

const wordOf = ({ type, data }: Received) =>
  [type, data['stage'] ?? data['outcome'] ?? data['kind']].join(' ');

const BEGINNING = ['preparing', 'applying', 'boarding'].map(
  (stage) => `onboarding.stage.changed.v1 ${stage}`,
);
const END = ['onboarding.stage.changed.v1 boarded', 'onboarding.completed.v1 boarded'];

/** The events about an onboarding by sequence, when at least this many have arrived. Each delivery counts. */
async function published({ workflowId }: Onboarding, count: number): Promise<readonly Received[]> {
  const numberOf = ({ body }: Received) => (JSON.parse(body) as { sequence: string }).sequence;
  const received = await eventually(
    async () => crm.received.filter(({ data }) => data['workflowId'] === workflowId),
    (events) => events.length >= count,
    `${count} events of ${workflowId}`,
  );
  return received.toSorted((one, other) => numberOf(one).localeCompare(numberOf(other)));
}

const idsOf = (events: readonly Received[]) => events.map(({ id }) => id);

describe.concurrent('outbound events of an onboarding that is reset', () => {
  it('publish the outcome again after each reset of an ended onboarding, and no earlier event', async () => {
    const boarding = await rig.board(merchant());
    await boarding.outcome();
    const first = idsOf(await published(boarding, 5));
    for (const [resets, count] of [
      [1, 7],
      [2, 9],
    ] as const) {
      await reset(rig.client, boarding);
      await boarding.outcome();
      const events = await published(boarding, count);
      expect(new Set(idsOf(events)).size).toBe(count);
      expect(idsOf(events)).toEqual(expect.arrayContaining(first));
      const timesOf = (word: string) => events.filter((event) => wordOf(event) === word).length;
      for (const word of BEGINNING) expect(timesOf(word)).toBe(1);
      for (const word of END) expect(timesOf(word)).toBe(1 + resets);
    }
  });

  it('keep their IDs up to the point of the reset, and get new ones after it', async () => {
    const boarding = await rig.board(merchant('notes'));
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const first = await published(boarding, 5);
    // It read the notes with the last result, so it raises the requirement again.
    await reset(rig.client, boarding, 'last-result');
    await boarding.until((state) => state.requirements.length === 2, 'the same two notes');
    for (const { id } of requirements) await boarding.resolve(id, { kind: 'text', text: 'Answered.' });
    await boarding.outcome();
    const isEnd = (event: Received) => wordOf(event) === 'onboarding.completed.v1 boarded';
    await eventually(
      () => published(boarding, 5),
      (events) => events.some(isEnd),
      'the end',
    );
    const events = await published(boarding, 5);
    expect(events.filter(isEnd)).toHaveLength(1);
    expect(new Set(idsOf(events)).size).toBe(events.length);
    expect(idsOf(events)).toEqual(expect.arrayContaining(idsOf(first)));
    const timesOf = (word: string) => events.filter((event) => wordOf(event) === word).length;
    expect(
      ['onboarding.stage.changed.v1 preparing', 'onboarding.stage.changed.v1 applying'].map(timesOf),
    ).toEqual([1, 1]);
    expect(timesOf('requirement.raised.v1 underwriting-note')).toBe(4);
  });
});
