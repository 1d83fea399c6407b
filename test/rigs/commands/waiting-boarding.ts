import { merchant } from '../inputs.js';
import type { Rig } from '../rig.js';

/** A boarding that waits for answers to two notes, once the server lists it so. `id` is that of the first note. */
export async function waitingBoarding(rig: Rig) {
  // With fees, a build that sets them at another place cannot replay its history.
  const input = merchant('notes', { fees: { minimumDiscountAmount: 25 } });
  const boarding = await rig.board(input);
  const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
  await boarding.listed(' AND ActionRequired = true');
  return { boarding, externalId: input.externalId, id: requirements[0]?.id ?? '' };
}
