import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRig, merchant, type Rig } from '../rig.js';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

describe('a straight boarding', () => {
  it('ends boarded with the final mid', async () => {
    const boarding = await rig.board(merchant());
    const outcome = await boarding.outcome();
    expect(outcome).toEqual({
      outcome: 'boarded',
      mid: expect.any(String),
      merchantProfileId: expect.any(Number),
    });
  });
});
