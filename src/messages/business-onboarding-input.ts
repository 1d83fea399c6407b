import { z } from 'zod';
import { beneficialOwners } from '../partners/banking/holder.js';
import { accountHolder } from '../partners/banking/requests.js';
import { dollars } from '../partners/banking/rules.js';
import { keepingDigits } from '../partners/exact-json.js';
import { dueInHours, externalId, partnerId } from './external-id.js';
import { knownAccount, NO_ACCOUNTS } from './known-accounts.js';
import { DEFAULT_DUE_IN_HOURS } from './requirements.js';

const businessMembers = {
  /**
   * E7 (apis/1) without the owners. `annualBusinessRevenue` is in whole US dollars, any int64 from 0 on: a number, or beyond
   * 2^53 the text of its digits, because an input travels as JSON.
   */
  holder: accountHolder.extend({ annualBusinessRevenue: dollars.transform(keepingDigits).nullish() }),
  /** Four at most, each of 25 per cent or more. */
  beneficialOwners: beneficialOwners.optional(),
  /** Open a financial account once the profile is approved, unless there is one. */
  openFinancialAccount: z.boolean().optional(),
  dueInHours: dueInHours.default(DEFAULT_DUE_IN_HOURS),
};

/** A business to onboard at the bank, as people write it in a file (see examples/). */
export function businessOnboardingInput(known = NO_ACCOUNTS) {
  return z.strictObject({
    externalId,
    account: knownAccount(known),
    ...businessMembers,
    /** The merchant at the boarding partner. Its profile, if there is one already, is used. */
    merchantProfileId: partnerId.optional(),
  });
}

/** The same as part of a customer, whose merchant is the one that is boarded. */
export const businessPart = z.strictObject(businessMembers);

export type BusinessOnboardingInput = z.output<ReturnType<typeof businessOnboardingInput>>;
