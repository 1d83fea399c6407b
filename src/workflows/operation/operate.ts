import type { OperationOutcome } from '../../messages/banking-activities.js';
import { DEFAULT_DUE_IN_HOURS } from '../../messages/requirements.js';
import { RejectedByPartner } from '../journey/carry-out.js';
import { Journey } from '../journey/journey.js';

/**
 * Lives through a single operation that a person asked for: the same care as in an onboarding, but what the partner
 * rejects ends it, for whoever asked can ask again.
 *
 * @param purpose what is being done, for people: `close card card-1001 for good`
 */
export function operate<Result extends object>(
  purpose: string,
  story: (journey: Journey) => Promise<Result>,
): Promise<OperationOutcome<Result>> {
  const journey = new Journey({
    dueInHours: DEFAULT_DUE_IN_HOURS,
    correctable: [],
    nextSteps: {
      working: purpose,
      done: 'nothing, it is done',
      rejected: 'nothing, the partner refused it',
    },
    leftBehind: () => 'what was done by then stays done',
  });
  return journey.liveThrough<OperationOutcome<Result>>(
    async () => {
      journey.enter('working');
      try {
        return { outcome: 'done', ...(await story(journey)) };
      } catch (error) {
        if (!(error instanceof RejectedByPartner)) throw error;
        return { outcome: 'rejected', problems: error.problems };
      }
    },
    (comment) => ({ outcome: 'abandoned', comment }),
  );
}
