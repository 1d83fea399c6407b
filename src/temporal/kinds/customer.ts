import { z } from 'zod';
import {
  type CustomerOnboardingInput,
  customerOnboardingInput,
  type FollowedCustomerInput,
} from '../../messages/inputs.js';
import { omitUndefined } from '../../messages/objects.js';
import { businessBackup } from './business.js';
import { defineKind } from './kind.js';
import { merchantBackup } from './merchant.js';

export const CUSTOMER = defineKind<CustomerOnboardingInput | FollowedCustomerInput>('customerOnboarding', {
  fields: ['boarding', 'business'],
  schema: customerOnboardingInput,
  about: ({ boarding }) => ({ dba: boarding.merchant.dba, agent: boarding }),
  more: ({ again = false }) => [{ again }],
  backupSchema: z.looseObject({ boarding: merchantBackup, business: businessBackup }),
  restart: (input, { bankingProfileId: profileId, ended }, restored) => ({
    args: [
      input,
      { ...omitUndefined({ ended }), restored: { ...restored, ...omitUndefined({ profileId }) } },
    ],
    isKnown: true,
  }),
});
