import type { OperationOutcome, RestoreSubUserInput } from '../messages/banking-activities.js';
import { requireFields } from './journey/input.js';
import { runOperation } from './journey/journey.js';
import { ONCE, partnerActivities } from './journey/partner-activities.js';
import { runStep } from './journey/run-step.js';

const { restoreSubUser: restore } = partnerActivities('banking')({
  restoreSubUser: { ...ONCE, summary: 'Restore the sub-user' },
});

/**
 * Restores a removed or deactivated sub-user (E15). The partner responds with 404 when the sub-user is restored already, and has
 * no read for it: after a call whose response was lost, a 404 means that this call probably restored it.
 */
export async function restoreSubUser(
  input: RestoreSubUserInput,
): Promise<OperationOutcome<{ readonly subUserId: number; readonly note?: string }>> {
  requireFields(input, { subUserId: 'number' });
  const { subUserId } = input;
  return runOperation(`restore sub-user ${subUserId}`, async (journey) => {
    const { afterLostCall } = await runStep(journey, {
      effect: 'idempotent',
      title: 'restore the sub-user',
      run: () => restore({ subUserId }),
      endsWhenRejected: true,
    });
    const detail = `${subUserId}`;
    if (!afterLostCall) {
      journey.timeline.add('sub-user-restored', { detail });
      return { subUserId };
    }
    journey.timeline.add('sub-user-restored', { detail: `${detail}, by a call whose response was lost` });
    return { subUserId, note: 'probably restored by a call whose response was lost' };
  });
}
