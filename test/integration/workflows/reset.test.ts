import { describe, expect, it } from 'vitest';
import { merchant } from '../../rigs/inputs.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { reset } from '../../rigs/workflows/reset.js';

const rig = await sharedRig();

describe('a boarding that waits, reset to its last workflow task', () => {
  it('goes on polling, and writes nothing twice', async () => {
    const input = merchant('waiting');
    const boarding = await rig.board(input);
    const { merchantProfileId = 0 } = await boarding.until(({ partnerStatus }) => partnerStatus !== null);
    await boarding.asleepAfter(1);
    await reset(rig.client, boarding);
    await rig.sandbox.transition(merchantProfileId, { status: 'Declined' });
    await boarding.until(({ outcome }) => outcome === 'declined', 'the end');
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
  });

  it('still asks, and takes the answer', async () => {
    const input = merchant('notes');
    const boarding = await rig.board(input);
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    await reset(rig.client, boarding);
    const state = await boarding.until((now) => now.requirements.length === 2, 'the same two notes');
    expect(state.requirements.map(({ id }) => id)).toEqual(requirements.map(({ id }) => id));
    for (const { id } of requirements) await boarding.resolve(id, { kind: 'text', text: 'Answered.' });
    await boarding.until(({ outcome }) => outcome === 'boarded', 'the end');
    expect(await rig.sandbox.writes(input.externalId)).toEqual([
      'create-merchant',
      'submit-merchant',
      'request-underwriting-review',
    ]);
  });
});
