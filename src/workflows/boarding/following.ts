import type { Seen, StatusSnapshot } from '../../messages/boarding-activities.js';
import type { MerchantBoardingOutcome } from '../../messages/onboardings.js';
import { isDecided } from '../../partners/boarding/phases.js';
import { followStatus, type StatusFollower } from '../journey/status-poll.js';
import type { Boarding } from './boarding.js';
import { compared, confirmedMid, type Due, due, KINDS, onRead } from './decisions.js';

/**
 * Follows the status of the merchant until the partner decides, and applies what `decisions.ts` decides.
 *
 * @param send sends what is due, while the poll goes on
 * @param continueInNewRun called when the history has grown long and nothing is in flight
 */
export function followUntilDecided(
  boarding: Boarding,
  send: (due: Due) => Promise<void>,
  continueInNewRun: () => Promise<never>,
): Promise<MerchantBoardingOutcome> {
  const { journey, status, tasks } = boarding;
  const { requirements, state, timeline } = journey;
  let decided: MerchantBoardingOutcome | undefined;
  const follower: StatusFollower<Seen, StatusSnapshot, MerchantBoardingOutcome> = {
    ...{ journey, status, tasks, kinds: KINDS, nextDueAt: Number.POSITIVE_INFINITY },
    /** All of it is one task, because the partner accepts one change of a merchant at a time. */
    get dueTasks() {
      const next = due(boarding.remembered, boarding.situation);
      return next ? [{ name: 'application', run: () => send(next) }] : [];
    },
    get seen() {
      return compared(boarding.remembered);
    },
    /** While a person is asked, or the partner has decided, anything may happen. */
    get isListening() {
      const { phase } = boarding.remembered.seen;
      const hasDecided = phase !== null && isDecided(phase);
      return !tasks.isBusy || hasDecided || requirements.open.length > 0;
    },
    get outcome() {
      return decided ?? confirmedMid(boarding.situation);
    },
    onChange(now) {
      const { remember, decisions, outcome } = onRead(
        ...([boarding.remembered, now, status.changes, boarding.situation] as const),
      );
      boarding.remembered = remember;
      boarding.polled = now;
      boarding.apply(decisions);
      decided = outcome;
    },
    async end() {
      const outcome = decided ?? confirmedMid(boarding.situation);
      if (!outcome) throw new Error('there is no outcome yet');
      if (outcome.outcome === 'boarded') {
        state.know({ mid: outcome.mid });
        if (!decided) {
          for (const { requirement } of requirements.answeredOf('unclear-mid'))
            requirements.settle(requirement.id);
          timeline.add('mid-confirmed', { detail: outcome.mid });
        }
      }
      await tasks.stop();
      requirements.dropUndelivered(KINDS, journey.writes.all);
      return outcome;
    },
  };
  return followStatus(follower, continueInNewRun);
}
