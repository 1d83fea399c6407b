import { z } from 'zod';
import { beneficialOwners } from '../partners/banking/holder.js';
import { feeChanges } from '../partners/boarding/schemas.js';
import {
  accountName,
  application,
  businessHolder,
  dba,
  dueInHours,
  externalId,
  NO_ACCOUNTS,
  partnerId,
  unclaimedInHours,
} from './inputs.js';
import { DEFAULT_DUE_IN_HOURS } from './requirements.js';

/**
 * Inputs of onboardings that exist at their partner, and that Gangway follows (`gangway adopt`). A followed onboarding creates,
 * changes and submits nothing by itself. It sends people's answers.
 */

const commonFields = {
  follow: z.literal(true),
  dueInHours: dueInHours.default(DEFAULT_DUE_IN_HOURS),
  unclaimedInHours,
};

const merchantFields = {
  ...commonFields,
  merchantProfileId: partnerId,
  merchant: z.strictObject({ dba: dba() }),
  /** For searches, and for the turns that agents take. */
  agentProfileId: partnerId.optional(),
  /** Only for a correction: the fees to change and submit. */
  fees: feeChanges.optional(),
  application: application.optional(),
};

const businessFields = {
  ...commonFields,
  profileId: partnerId,
  /** The business to compare the profile with. A correction adds the other fields: the partner accepts only a whole holder. */
  holder: businessHolder.partial().required({ doingBusinessAsName: true }),
  beneficialOwners: beneficialOwners.optional(),
  openFinancialAccount: z.never('is not done for a followed business').optional(),
};

/** A merchant to follow. */
export function followedMerchantInput(known = NO_ACCOUNTS) {
  return z.strictObject({ externalId, account: accountName(known), ...merchantFields });
}

/**
 * A merchant to follow.
 *
 * @interface
 */
export type FollowedMerchantInput = z.output<ReturnType<typeof followedMerchantInput>>;

/** A business to follow. */
export function followedBusinessInput(known = NO_ACCOUNTS) {
  return z.strictObject({
    externalId,
    account: accountName(known),
    ...businessFields,
    /** The merchant that the profile must be of. */
    merchantProfileId: partnerId.optional(),
  });
}

/**
 * A business to follow.
 *
 * @interface
 */
export type FollowedBusinessInput = z.output<ReturnType<typeof followedBusinessInput>>;

/** A merchant to follow together with its business. */
export interface FollowedCustomerInput extends Pick<FollowedMerchantInput, 'externalId' | 'account'> {
  readonly boarding: Omit<FollowedMerchantInput, 'externalId' | 'account'>;
  readonly business: Omit<FollowedBusinessInput, 'externalId' | 'account' | 'merchantProfileId'>;
  readonly onDecline: 'continue';
}
