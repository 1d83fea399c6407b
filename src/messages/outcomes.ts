import { PROFILE_PHASES } from '../partners/banking/phases.js';
import { MERCHANT_PHASES } from '../partners/boarding/phases.js';
import { redact } from '../platform/privacy/masked.js';
import type { ProfileSnapshot } from './banking-activities.js';
import type { SeenStatus } from './boarding-activities.js';
import type { PartnerIds } from './onboarding-state.js';
import type { BusinessOnboardingOutcome, MerchantBoardingOutcome } from './onboardings.js';

/** Returns how a boarding ends with this status; undefined while it continues. */
export function merchantOutcome(
  { phase, comment: said = null, mid = null }: Pick<SeenStatus, 'phase' | 'comment' | 'mid'>,
  merchantProfileId: number,
): MerchantBoardingOutcome | undefined {
  const outcome = phase && MERCHANT_PHASES[phase].outcome;
  if (outcome === null) return undefined;
  if (outcome !== 'boarded') return { outcome, comment: said && redact(said), merchantProfileId };
  return mid === null ? undefined : { outcome, mid, merchantProfileId };
}

/** Returns how the onboarding of a business ends with this status, once its account is open; undefined while it continues. */
export function businessOutcome(
  { phase, bankingStatus }: Pick<ProfileSnapshot, 'phase' | 'bankingStatus'>,
  profileId: number,
  financialAccountId: string | null,
): BusinessOnboardingOutcome | undefined {
  const outcome = PROFILE_PHASES[phase].outcome;
  return outcome === null ? undefined : { outcome, profileId, financialAccountId, bankingStatus };
}

/** The order in which people see the IDs. */
const PARTNER_IDS: readonly (keyof PartnerIds)[] = [
  'merchantProfileId',
  'mid',
  'profileId',
  'financialAccountId',
];

/** Returns the IDs at the partners that a state or an outcome names. */
export function partnerIdsIn(source: object): PartnerIds {
  const record = source as Readonly<Record<string, unknown>>;
  const named = PARTNER_IDS.filter((name) => (record[name] ?? null) !== null);
  return Object.fromEntries(named.map((name) => [name, record[name]]));
}
