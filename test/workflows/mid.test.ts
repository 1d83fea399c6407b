import { describe, expect, it } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
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

describe.concurrent('a mid of 1 to 20 digits', () => {
  it.each<[string, Mid, string]>([
    ['as text, with its leading zeros', '0051800', '0051800'],
    ['of one digit', '7', '7'],
    ['of 20 digits', '51800000000000001234', '51800000000000001234'],
    ['as a number', 518_000, '518000'],
    ['as a number beyond 2^53', 9007199254740993n, '9007199254740993'],
    ['as a number beyond 2^63', 51800000000000001234n, '51800000000000001234'],
  ])('%s ends the boarding, with all its digits', async (_, wire, mid) => {
    const { boarding, merchantProfileId } = await approvedWith(wire);
    expect(await boarding.outcome()).toEqual({ outcome: 'boarded', mid, merchantProfileId });
    const { typedSearchAttributes } = await boarding.handle.describe();
    expect(typedSearchAttributes.get(SEARCH_ATTRIBUTES.mid)).toBe(mid);
  });
});

describe.concurrent('anything else in place of a mid', () => {
  it.each<[string, Mid, string]>([
    ['a number of 24 digits', 518000000000000000001234n, '518000000000000000001234'],
    ['a negative number', -1.5, '-1.5'],
    ['zero', 0, '0'],
    ['zeros', '0000', '0000'],
    ['words', 'PENDING <b>', 'PENDING <b>'],
    ['21 digits', '518000000000000012345', '518000000000000012345'],
    ['digits of another script', '٥١٨', '٥١٨'],
  ])('(%s) is shown to a person as the partner wrote it, and ends nothing', async (_, wire, shown) => {
    const { boarding, merchantProfileId } = await approvedWith(wire);
    const { id, detail, answers } = await boarding.requirement('unclear-mid');
    expect(detail).toContain(
      `The partner approved merchant ${merchantProfileId} and shows the mid “${shown}”, which is not 1 to 20 digits.`,
    );
    expect(answers).toEqual(['adopt', 'abandon']);
    const { stage, mid } = await boarding.state();
    expect([stage, mid]).toEqual(['boarding', undefined]);
    await boarding.resolve(id, { kind: 'abandon' });
    expect(await boarding.outcome()).toEqual({ outcome: 'abandoned', comment: 'because', merchantProfileId });
    const { typedSearchAttributes } = await boarding.handle.describe();
    expect(typedSearchAttributes.get(SEARCH_ATTRIBUTES.mid)).toBeUndefined();
  });

  it.each([
    ['confirms', 'US-518/7'],
    ['corrects', '518000000001001'],
  ])('ends the boarding when a person %s it', async (_, id) => {
    const { boarding, merchantProfileId } = await approvedWith('US-518/7');
    const requirement = await boarding.requirement('unclear-mid');
    await expect(boarding.resolve(requirement.id, { kind: 'adopt', id: 'US 518' })).rejects.toMatchObject({
      cause: { message: 'answer.id: must be 1 to 64 characters of ASCII without spaces, in quotes' },
    });
    await boarding.resolve(requirement.id, { kind: 'adopt', id });
    expect(await boarding.outcome()).toEqual({ outcome: 'boarded', mid: id, merchantProfileId });
    const { timeline, mid } = await boarding.state();
    expect(mid).toBe(id);
    const [, resolved, confirmed] = timeline.slice(-4);
    expect(resolved).toMatchObject({ event: 'requirement-resolved', actor: 'olga', reason: 'because' });
    expect(confirmed).toMatchObject({ event: 'mid-confirmed', detail: id });
  });

  it('is asked about once, and closes by itself when the partner gives a mid', async () => {
    const { boarding, merchantProfileId, move } = await approvedWith('PENDING');
    const { id } = await boarding.requirement('unclear-mid');
    await move({ status: 'Approved' });
    await move({ mid: '777' });
    expect(await boarding.outcome()).toEqual({ outcome: 'boarded', mid: '777', merchantProfileId });
    const { timeline } = await boarding.state();
    const raised = timeline.filter(({ event }) => event === 'requirement-raised');
    expect(raised.map(({ detail }) => detail)).toEqual([`${id}: Unexpected mid`]);
  });

  it('is asked about again when it becomes another one, and not while the merchant is not approved', async () => {
    const { boarding, move } = await approvedWith('PENDING');
    const first = await boarding.requirement('unclear-mid');
    await move({ mid: 'PENDING-2' });
    const { requirements } = await boarding.until(
      (state) => state.requirements.some(({ id }) => id !== first.id),
      'the second question',
    );
    expect(requirements).toMatchObject([
      { kind: 'unclear-mid', detail: expect.stringContaining('“PENDING-2”') },
    ]);
    await move({ status: 'Pending' });
    await boarding.until((state) => state.requirements.length === 0, 'no question');
    await boarding.handle.terminate();
  });
});
