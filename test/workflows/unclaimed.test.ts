import { describe, expect, it } from 'vitest';
import { sendAssignment } from '../../src/services/inbox/send-answer.js';
import { merchant } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';

const rig = await sharedRig();

const SECOND = 1 / 3_600;
const fromNow = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

/** A boarding whose two notes must be claimed within 2 s, and answered within 9 s. */
async function asking(hours: object = { unclaimedInHours: 2 * SECOND }) {
  const boarding = await rig.board(merchant('notes', { dueInHours: 9 * SECOND, ...hours }));
  const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
  const [one, other] = requirements.map(({ id }) => id);
  const raised = Date.parse(requirements[0]?.raisedAt ?? '');
  /** IDs with the seconds after which each was reported, once there are so many. */
  const reported = async (times: number) => {
    const entries = (timeline: Awaited<ReturnType<typeof boarding.state>>['timeline']) =>
      timeline.filter(({ event }) => event === 'requirement-unclaimed');
    const { timeline } = await boarding.until(
      (state) => entries(state.timeline).length >= times,
      `${times} requirements that nobody has claimed`,
    );
    return entries(timeline).map(({ at, detail = '' }) => [
      detail.split(': ')[0],
      Math.floor((Date.parse(at) - raised) / 1_000),
    ]);
  };
  const release = (requirementId: string, actor: string) =>
    sendAssignment(rig.client, boarding.workflowId, { requirementId, actor });
  const overdue = () =>
    boarding.until(
      ({ timeline }) => timeline.filter(({ event }) => event === 'requirement-overdue').length === 2,
      'both to be overdue',
    );
  return { boarding, one: one ?? '', other: other ?? '', reported, release, overdue };
}

describe.concurrent('a requirement that nobody claims', () => {
  it('is reported in time and once, or when it is released later', async () => {
    const { boarding, one, other, reported, release, overdue } = await asking();
    await boarding.claim(other, 'pete', { until: fromNow(8) });
    expect(await reported(1)).toEqual([[one, 2]]);
    await release(other, 'pete');
    const [, [second, soon] = []] = await reported(2);
    expect([second, Number(soon) < 5]).toEqual([other, true]);
    await boarding.claim(one, 'olga', { until: fromNow(1) });
    await overdue();
    expect(await reported(2)).toHaveLength(2);
    await boarding.handle.terminate();
  });

  it('is reported when its claim ends, also while a longer one is waited for', async () => {
    const { boarding, one, other, reported, release, overdue } = await asking();
    await boarding.claim(one, 'olga', { until: fromNow(4) });
    await boarding.claim(other, 'pete', { until: fromNow(8) });
    await release(other, 'pete');
    expect(await reported(2)).toEqual([
      [other, 2],
      [one, 4],
    ]);
    await overdue();
    await boarding.handle.terminate();
  });

  it('is not reported when it is answered in time, or when nobody has to claim it', async () => {
    const { boarding, one, reported, overdue } = await asking({});
    await boarding.claim(one, 'olga', { until: fromNow(5) });
    await overdue();
    expect(await reported(0)).toEqual([]);
    const answered = await asking();
    await answered.boarding.resolve(answered.one, { kind: 'text', text: 'Yes.' });
    expect((await answered.reported(1)).map(([id]) => id)).toEqual([answered.other]);
    for (const each of [boarding, answered.boarding]) await each.handle.terminate();
  });

  it('does not delay the report of another one that is overdue', async () => {
    const hours = { dueInHours: SECOND, unclaimedInHours: 60 * SECOND };
    const boarding = await rig.board(merchant('waiting', hours));
    const { merchantProfileId = 0 } = await boarding.until(
      ({ partnerStatus }) => partnerStatus === 'Pending',
    );
    const overdue = (count: number) =>
      boarding.until(
        ({ timeline }) => timeline.filter(({ event }) => event === 'requirement-overdue').length === count,
        `${count} to be overdue`,
      );
    await rig.sandbox.transition(merchantProfileId, { notes: ['Who owns the shop?'] });
    await overdue(1);
    // From now on, only the time is awaited at which the first note must be claimed.
    await rig.sandbox.transition(merchantProfileId, { notes: ['Since when?'] });
    const { requirements, timeline } = await overdue(2);
    const { at = '' } = timeline.findLast(({ event }) => event === 'requirement-overdue') ?? {};
    expect(Date.parse(at) - Date.parse(requirements[1]?.dueAt ?? '')).toBeLessThan(10_000);
    await boarding.handle.terminate();
  });
});
