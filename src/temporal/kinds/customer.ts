import { z } from 'zod';
import {
  type CustomerOnboardingInput,
  customerOnboardingInput,
  type FollowedCustomerInput,
} from '../../messages/inputs.js';
import { defined } from '../../messages/objects.js';
import { keptOfBusiness } from './business.js';
import { defineKind } from './kind.js';
import { keptOfMerchant } from './merchant.js';

export const CUSTOMER = defineKind<CustomerOnboardingInput | FollowedCustomerInput>('customerOnboarding', {
  fields: ['boarding', 'business'],
  schema: customerOnboardingInput,
  about: ({ boarding }) => ({ dba: boarding.merchant.dba, agent: boarding }),
  more: ({ again = false }) => [{ again }],
  kept: z.looseObject({ boarding: keptOfMerchant, business: keptOfBusiness }),
  restart: (input, { bankingProfileId: profileId, ended }, restored) => ({
    args: [input, { ...defined({ ended }), restored: { ...restored, ...defined({ profileId }) } }],
    isKnown: true,
  }),
});
