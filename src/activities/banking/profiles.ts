import type {
  BankingActivities,
  OpenTicket,
  ProfileSnapshot,
  SeenProfile,
} from '../../messages/banking-activities.js';
import type { Ticket } from '../../partners/banking/answers.js';
import type { BankingClient } from '../../partners/banking/client.js';
import { isUnderReview, UNKNOWN } from '../../partners/banking/statuses.js';
import { PartnerError } from '../../partners/partner-error.js';
import { repeatable, untilCancelled } from '../failures.js';
import { awaitChange, nudgeOwnPoll } from '../poll.js';
import type { PollBounds } from '../poll-delay.js';
import { write } from '../write.js';
import { notTold, problemsIn } from './refusal.js';

type ProfileCalls = Pick<
  BankingActivities,
  'findProfiles' | 'readProfile' | 'awaitProfileChange' | 'openFinancialAccount'
>;

/** Looks for banking profiles, follows them, and opens their accounts. */
export function profileActivities(client: BankingClient, poll: PollBounds): ProfileCalls {
  async function profileOf(merchantProfileId: number): Promise<number | null> {
    const { id } = await client.findProfileByMerchant({ merchantProfileId }, untilCancelled());
    return id;
  }

  async function profilesNamed(dba: string): Promise<number[]> {
    const found = await client.searchBusinessAccountHolders({ dba: dba.trim() }, untilCancelled());
    // The partner matches any part of a name as well.
    return found.filter((business) => isSameName(business.dba, dba)).map(({ id }) => id);
  }

  async function snapshot(id: number): Promise<ProfileSnapshot> {
    const profile = await client.getProfile({ id }, untilCancelled());
    const { bankingStatus, financialAccountId, userProfileId } = profile;
    const status = bankingStatus ?? UNKNOWN;
    const isAsked = isUnderReview(status) && userProfileId !== null;
    const tickets = isAsked ? await client.listNewTickets({}, untilCancelled()) : [];
    const open = tickets.filter((ticket) => ticket.userProfileId === userProfileId && !isReply(ticket));
    return { bankingStatus: status, financialAccountId, tickets: open.map(opened) };
  }

  return {
    findProfiles: ({ merchantProfileId, dba }) =>
      repeatable(async () => ({
        ofMerchant: merchantProfileId === undefined ? null : await orNone(profileOf(merchantProfileId), null),
        ofSameName: await orNone(profilesNamed(dba), []),
      })),

    readProfile: ({ profileId }) =>
      repeatable(
        async () => {
          const now = await snapshot(profileId);
          nudgeOwnPoll();
          return now;
        },
        { mayBeNew: true },
      ),

    awaitProfileChange: ({ profileId, seen }) =>
      awaitChange(
        poll,
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
  if (seen.bankingStatus !== now.bankingStatus) return true;
  if (seen.financialAccountId !== now.financialAccountId) return true;
  const ids = new Set(now.tickets.map(({ ticketId }) => ticketId));
  const before = new Set(seen.ticketIds);
  return ids.size !== before.size || [...ids].some((id) => !before.has(id));
}

/** What was looked for, or `none` where the partner answers 404. */
async function orNone<T>(search: Promise<T>, none: T): Promise<T> {
  try {
    return await search;
  } catch (error) {
    if (error instanceof PartnerError && error.kind === 'Rejected' && error.status === 404) return none;
    throw error;
  }
}

function isSameName(one: string | null, other: string): boolean {
  return one?.trim().toLowerCase() === other.trim().toLowerCase();
}

function isReply({ parentTicketId }: Ticket): boolean {
  return parentTicketId !== null;
}

function opened({ ticketId, topic, text, updateFieldRequest }: Ticket): OpenTicket {
  return { ticketId, topic, text: text ?? '', updateFieldRequest };
}
