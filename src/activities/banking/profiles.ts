import type { BankingActivities, ProfileSnapshot, SeenProfile } from '../../messages/banking-activities.js';
import type { BankingClient } from '../../partners/banking/client.js';
import { isUnderReview } from '../../partners/banking/phases.js';
import { phaseOf, UNKNOWN } from '../../partners/banking/statuses.js';
import { repeatable, untilCancelled } from '../failures.js';
import type { PollBounds } from '../poll.js';
import { awaitChange, nudgeOwnPoll } from '../poll.js';
import { write } from '../write.js';
import { notTold, problemsIn } from './refusal.js';
import type { OtherTickets } from './tickets.js';
import { isSameAsked, ticketsAbout } from './tickets.js';

type ProfileCalls = Pick<BankingActivities, 'readProfile' | 'awaitProfileChange' | 'openFinancialAccount'>;

/** Follows banking profiles, and opens their accounts. */
export function profileActivities(
  client: BankingClient,
  poll: PollBounds,
  otherTickets: OtherTickets,
): ProfileCalls {
  async function snapshot(id: number): Promise<ProfileSnapshot> {
    const profile = await client.getProfile({ id }, untilCancelled());
    const { bankingStatus, financialAccountId, isLocked } = profile;
    const status = bankingStatus ?? UNKNOWN;
    const phase = phaseOf(status);
    const now = { bankingStatus: status, phase, financialAccountId, isLocked: isLocked === true };
    if (!isUnderReview(phase)) return { ...now, tickets: [] };
    const { tickets, others, listed } = await ticketsAbout(client, profile, untilCancelled());
    otherTickets.seen(others, listed);
    return { ...now, tickets };
  }

  return {
    readProfile: ({ profileId }) =>
      repeatable(
        async () => {
          const now = await snapshot(profileId);
          nudgeOwnPoll();
          return now;
        },
        { mayBeNew: true },
      ),

    awaitProfileChange: ({ profileId, seen, pace }) =>
      awaitChange(
        poll,
        pace,
        () => snapshot(profileId),
        (now) => hasProfileChanged(seen, now),
      ),

    openFinancialAccount: ({ profileId }) =>
      write(async (options) => {
        // The partner opens accounts by itself too, and what was read of the profile may be hours old by now.
        const now = await client.getProfile({ id: profileId }, { signal: options.signal });
        if (now.financialAccountId !== null) {
          return { financialAccountId: now.financialAccountId, problems: [] };
        }
        const answer = await client.submitBusinessCustomer({ profileId }, options);
        const { success, financialAccountId } = answer;
        if (success && financialAccountId === null) throw notTold('submitBusinessCustomer', 'an account');
        return { financialAccountId, problems: problemsIn(answer) };
      }),
  };
}

/** Whether a profile differs from what was seen of it. Everything is new while nothing was seen. */
export function hasProfileChanged(seen: SeenProfile, now: ProfileSnapshot): boolean {
  if (!seen) return true;
  const isDifferent = (member: 'bankingStatus' | 'phase' | 'financialAccountId' | 'isLocked') =>
    seen[member] !== now[member];
  if ((['bankingStatus', 'phase', 'financialAccountId', 'isLocked'] as const).some(isDifferent)) return true;
  return !isSameAsked(seen.tickets, now.tickets);
}
