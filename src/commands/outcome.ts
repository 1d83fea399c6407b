import type { BusinessOnboardingOutcome } from '../messages/business-onboarding.js';
import type { CustomerOnboardingOutcome, Unfinished } from '../messages/customer-onboarding.js';
import type { MerchantBoardingOutcome } from '../messages/merchant-boarding.js';
import type { TerminalProvisioningOutcome } from '../messages/terminal-provisioning.js';

type PartOutcome =
  | MerchantBoardingOutcome
  | BusinessOnboardingOutcome
  | TerminalProvisioningOutcome
  | Unfinished;

/** How an onboarding of any kind ends. */
export type Outcome = MerchantBoardingOutcome | BusinessOnboardingOutcome | CustomerOnboardingOutcome;

/** One line; for a customer, one more for each of its parts. */
export function toldOf(outcome: Outcome): string[] {
  if (!('boarding' in outcome)) return [lineOf(outcome)];
  const { boarding, business, terminal } = outcome;
  return [
    outcome.outcome,
    `  merchant ${lineOf(boarding)}`,
    `  business ${lineOf(business)}`,
    ...(terminal ? [`  terminal ${lineOf(terminal)}`] : []),
  ];
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
  if ('terminalId' in outcome) return `${outcome.terminalId} in account ${outcome.accountId}`;
  return 'comment' in outcome ? (outcome.comment ?? '') : '';
}
