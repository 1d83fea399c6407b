import type { BankingActivities, ProfileSnapshot, SeenProfile } from '../../messages/banking-activities.js';
import type { BankingClient } from '../../partners/banking/client.js';
import {
  EXPLAINED_PROFILE_PHASES,
  isProfileUnderReview,
  UNKNOWN_STATUS,
} from '../../partners/banking/phases.js';
import {
  type BankingProfile,
  isDocumentedProfileStatus,
  profilePhase,
} from '../../partners/banking/responses.js';
import type { CallOptions } from '../../partners/client.js';
import { cleanStatusName, type MeaningOf } from '../../partners/phases.js';
import { callOptions, readAgain } from '../failures.js';
import { awaitChange, lacksAny, type PollBounds, readNow, readTwice } from '../poll.js';
import type { Reservations } from '../reservations.js';
import { sendOnce } from '../write.js';
import { problemsIn, withoutId } from './refusal.js';
import { isSameAsked, type OtherTickets, ticketsAbout } from './tickets.js';

export type ProfileReader = ReturnType<typeof profileReader>;

type IsEnough = (now: ProfileSnapshot) => boolean;

export function profileReader(client: BankingClient, otherTickets: OtherTickets, meaningOf: MeaningOf) {
  async function readProfile(id: number, isEnough: IsEnough): Promise<ProfileSnapshot> {
    const options = callOptions();
    return snapshotOf(await client.getProfile({ id }, options), options, isEnough);
  }

  /** Returns the meaning of a status, from the documentation or a person's decision. */
  async function meaningOfStatus(status: string): Promise<ProfileSnapshot['phase']> {
    const meaning = isDocumentedProfileStatus(status) ? undefined : await meaningOf(status);
    return meaning === undefined ? profilePhase(status) : EXPLAINED_PROFILE_PHASES[meaning];
  }

  /** Reports whether a person has since decided that the status means something else. */
  async function isExplained(seen: SeenProfile): Promise<boolean> {
    return seen !== null && (await meaningOfStatus(seen.bankingStatus)) !== seen.phase;
  }

  /** Adds the tickets to a profile that was just read. @param isEnough whether that profile suffices if tickets cannot be read */
  async function snapshotOf(
    profile: BankingProfile,
    options: CallOptions,
    isEnough: IsEnough = () => true,
  ): Promise<ProfileSnapshot> {
    const { bankingStatus, financialAccountId, isLocked } = profile;
    const status = cleanStatusName(bankingStatus ?? UNKNOWN_STATUS);
    const phase = await meaningOfStatus(status);
    const now = { bankingStatus: status, phase, financialAccountId, isLocked: isLocked === true };
    if (!isProfileUnderReview(phase)) return { ...now, tickets: [] };
    const withTickets = async () => {
      const { tickets, others, listed } = await ticketsAbout(client, profile, options);
      otherTickets.seen(others, listed);
      return { ...now, tickets };
    };
    return readAgain(withTickets, { ...now, tickets: [], isWithoutTickets: true }, isEnough);
  }

  return { readProfile, snapshotOf, isExplained };
}

export function profileActivities(
  client: BankingClient,
  poll: PollBounds,
  { readProfile, isExplained }: ProfileReader,
  reservations: Reservations,
) {
  return {
    readProfile: ({ profileId }) => readNow(() => readProfile(profileId, () => false)),

    awaitProfileChange({ profileId, seen, pace }) {
      const isChange: IsEnough = (now) => hasProfileChanged(seen, now);
      const isShort = (now: ProfileSnapshot) => lacksTickets(seen, now);
      const read = () => readTwice(() => readProfile(profileId, isChange), isShort);
      return awaitChange(poll, pace, read, isChange, () => isExplained(seen));
    },

    openFinancialAccount: ({ profileId }) =>
      sendOnce(async (options) => {
        await reservations.ensureReserved(profileId);
        // The partner also opens accounts by itself, and the last read of the profile may be hours old.
        const now = await client.getProfile({ id: profileId }, { signal: options.signal });
        if (now.financialAccountId !== null) {
          return { financialAccountId: now.financialAccountId, problems: [] };
        }
        const response = await client.submitBusinessCustomer({ profileId }, options);
        const { success, financialAccountId = null } = response;
        if (success && financialAccountId === null) throw withoutId('submitBusinessCustomer', 'an account');
        return { financialAccountId, problems: problemsIn(response) };
      }),
  } satisfies Partial<BankingActivities>;
}

function hasProfileChanged(seen: SeenProfile, now: ProfileSnapshot): boolean {
  if (!seen) return true;
  const fields = ['bankingStatus', 'phase', 'financialAccountId', 'isLocked'] as const;
  if (fields.some((field) => seen[field] !== now[field])) return true;
  if (now.isWithoutTickets) return false;
  return !isSameAsked(seen.tickets, now.tickets);
}

/** Reports whether a ticket disappeared during the bank's review without a new one. The list may then have missed a row. */
function lacksTickets(seen: SeenProfile, { phase, tickets, isWithoutTickets }: ProfileSnapshot): boolean {
  if (!isProfileUnderReview(phase) || isWithoutTickets) return false;
  const before = Object.keys(seen?.tickets ?? {});
  return lacksAny(
    before,
    tickets.map(({ ticketId }) => String(ticketId)),
  );
}
