import type { OperationOutcome, RestoreSubUserInput } from '../messages/banking-operations.js';
import { carryOut, RejectedByPartner } from './journey/carry-out.js';
import { requireMembers } from './journey/input.js';
import { partnerFailure } from './journey/partner-failure.js';
import { restoreSubUser as restore } from './operation/activities.js';
import { operate } from './operation/operate.js';

/**
 * Restores a removed or deactivated sub-user (E15). The partner answers 404 for one that is restored already, and has no
 * way to look: after a call whose answer was lost, that 404 says that it was most likely done.
 */
export async function restoreSubUser(
  input: RestoreSubUserInput,
): Promise<OperationOutcome<{ readonly subUserId: number; readonly note?: string }>> {
  requireMembers(input, { subUserId: 'number' });
  const { subUserId } = input;
  return operate(`restore sub-user ${subUserId}`, async (journey) => {
    let isUnclear = false;
    try {
      await carryOut(journey, {
        title: 'restore the sub-user',
        run: (access) =>
          restore({ subUserId, ...access }).catch((failure: unknown) => {
            isUnclear ||= partnerFailure(failure).kind === 'Uncertain';
            throw failure;
          }),
        endsWhenRejected: true,
      });
    } catch (error) {
      const wasDoneBefore = error instanceof RejectedByPartner && error.status === 404 && isUnclear;
      if (!wasDoneBefore) throw error;
      journey.timeline.add('sub-user-restored', { detail: `${subUserId}, by a call whose answer was lost` });
      return { subUserId, note: 'no longer to be restored after a call whose answer was lost' };
    }
    journey.timeline.add('sub-user-restored', { detail: `${subUserId}` });
    return { subUserId };
  });
}
