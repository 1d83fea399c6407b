import { describe, expect, it } from 'vitest';
import { merchant } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';

const rig = await sharedRig();

type Mid = string | number | bigint;

/** A boarding whose merchant the partner approves with this mid, as it stands in the JSON of the status. */
async function approvedWith(mid: Mid) {
  const boarding = await rig.board(merchant('waiting'));
  const { merchantProfileId = 0 } = await boarding.until(({ stage }) => stage === 'underwriting');
  const move = (change: { status?: string; mid?: Mid }) => rig.sandbox.transition(merchantProfileId, change);
  await move({ status: 'Approved', mid });
  return { boarding, merchantProfileId, move };
}

describe.concurrent('anything else in place of a mid', () => {
  it.each([
    ['confirms', 'US-518/7'],
    ['corrects', '518000000001001'],
  ])('ends the boarding when a person %s it', async (_, id) => {
    const { boarding, merchantProfileId } = await approvedWith('US-518/7');
    const requirement = await boarding.requirement('unclear-mid');
    await expect(boarding.resolve(requirement.id, { kind: 'confirm', id: 'US 518' })).rejects.toMatchObject({
      cause: { message: 'answer.id: must be 1 to 64 characters of ASCII without spaces, in quotes' },
    });
    await boarding.resolve(requirement.id, { kind: 'confirm', id });
    expect(await boarding.outcome()).toEqual({ outcome: 'boarded', mid: id, merchantProfileId });
    const { timeline, mid } = await boarding.state();
    expect(mid).toBe(id);
    const [, resolved, confirmed] = timeline.slice(-4);
    expect(resolved).toMatchObject({ event: 'requirement-resolved', actor: 'olga', reason: 'because' });
    expect(confirmed).toMatchObject({ event: 'mid-confirmed', detail: id });
  });
});
