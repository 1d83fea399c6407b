import type { BusinessOnboardingOutcome } from '../messages/business-onboarding.js';
import type { CustomerOnboardingOutcome, Unfinished } from '../messages/customer-onboarding.js';
import type { MerchantBoardingOutcome } from '../messages/merchant-boarding.js';

type PartOutcome = MerchantBoardingOutcome | BusinessOnboardingOutcome | Unfinished;

/** How an onboarding of any kind ends. */
export type Outcome = MerchantBoardingOutcome | BusinessOnboardingOutcome | CustomerOnboardingOutcome;

/** One line; for a customer, one more for its merchant and one for its business. */
export function toldOf(outcome: Outcome): string[] {
  if (!('boarding' in outcome)) return [lineOf(outcome)];
  const { boarding, business } = outcome;
  return [outcome.outcome, `  merchant ${lineOf(boarding)}`, `  business ${lineOf(business)}`];
}

function lineOf(outcome: PartOutcome): string {
  const detail = detailOf(outcome);
  return detail ? `${outcome.outcome}: ${detail}` : outcome.outcome;
}

function detailOf(outcome: PartOutcome): string {
  if ('mid' in outcome) return `mid ${outcome.mid}`;
  if ('bankingStatus' in outcome) {
    const { profileId, financialAccountId, bankingStatus } = outcome;
    const account = financialAccountId === null ? 'no financial account' : `account ${financialAccountId}`;
    return `profile ${profileId}, ${account}, ${bankingStatus}`;
  }
  return 'comment' in outcome ? (outcome.comment ?? '') : '';
}
