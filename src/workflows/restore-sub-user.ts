import type { OperationOutcome, RestoreSubUserInput } from '../messages/banking-activities.js';
import { runStep } from './journey/carry-out.js';
import { requireFields } from './journey/input.js';
import { restoreSubUser as restore } from './operation/activities.js';
import { operate } from './operation/operate.js';

/**
 * Restores a removed or deactivated sub-user (E15). The partner responds with 404 for one that is restored already, and has
 * no way to look: after a call whose response was lost, that 404 means that it was most likely done.
 */
export async function restoreSubUser(
  input: RestoreSubUserInput,
): Promise<OperationOutcome<{ readonly subUserId: number; readonly note?: string }>> {
  requireFields(input, { subUserId: 'number' });
  const { subUserId } = input;
  return operate(`restore sub-user ${subUserId}`, async (journey) => {
    const { afterLostCall } = await runStep(journey, {
      title: 'restore the sub-user',
      run: () => restore({ subUserId }),
      endsWhenRejected: true,
      repeats: true,
    });
    const detail = `${subUserId}`;
    if (!afterLostCall) {
      journey.timeline.add('sub-user-restored', { detail });
      return { subUserId };
    }
    journey.timeline.add('sub-user-restored', { detail: `${detail}, by a call whose answer was lost` });
    return { subUserId, note: 'no longer to be restored after a call whose answer was lost' };
  });
}
