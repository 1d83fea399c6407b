import { merchant } from '../inputs.js';
import type { Onboarding } from '../onboarding.js';
import type { Rig } from '../rig.js';

/** A boarding that waits for answers to two notes, once the server lists it so. `id` is that of the first note. */
export async function waitingBoarding(
  rig: Rig,
): Promise<{ boarding: Onboarding; externalId: string; id: string }> {
  const input = merchant('notes');
  const boarding = await rig.board(input);
  const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
  await boarding.listed(' AND ActionRequired = true');
  return { boarding, externalId: input.externalId, id: requirements[0]?.id ?? '' };
}
