import { z } from 'zod';
import {
  type BusinessOnboardingInput,
  businessOnboardingInput,
  type CustomerOnboardingInput,
  customerOnboardingInput,
  type FollowedBusinessInput,
  type FollowedCustomerInput,
  type FollowedMerchantInput,
  followedBusinessInput,
  followedMerchantInput,
  type MerchantBoardingInput,
  merchantBoardingInput,
  partnerId,
} from '../../messages/inputs.js';
import { omitUndefined } from '../../messages/objects.js';
import { ONBOARDINGS, type OnboardingType } from '../../messages/workflow-types.js';
import { defineKind, type Kind } from './define-kind.js';

const merchantBackup = z.looseObject({
  merchant: z.looseObject({ dba: z.string() }),
  agentProfileId: partnerId.optional(),
  agent: z.string().optional(),
});

export const MERCHANT = defineKind<MerchantBoardingInput | FollowedMerchantInput>('merchantBoarding', {
  fields: ['merchant'],
  schema: merchantBoardingInput,
  about: (input) => ({ dba: input.merchant.dba, agent: input }),
  correction: {
    followed: followedMerchantInput,
    remaining: ({ merchantExists }) =>
      merchantExists ? ['fees', 'application'] : ONBOARDINGS.merchantBoarding.correctable,
    main: ({ merchantExists }) => (merchantExists ? 'application' : 'merchant'),
    open: (input) =>
      'createVersion' in input && input.createVersion === 'v1' ? ['fees'] : ['merchant', 'fees'],
  },
  backupSchema: merchantBackup.extend({ merchantProfileId: partnerId.optional() }),
  restart(input, { stage = '', merchantProfileId }, restored) {
    const entry = merchantProfileId ?? input.merchantProfileId;
    const isKnown = entry !== undefined;
    const isSubmitted = merchantProfileId !== undefined && !['', 'preparing', 'applying'].includes(stage);
    const imported = isKnown ? { ...input, merchantProfileId: entry } : input;
    return { args: [imported, undefined, { ...restored, ...(isSubmitted && { isSubmitted }) }], isKnown };
  },
});

const businessBackup = z.looseObject({ holder: z.looseObject({ doingBusinessAsName: z.string() }) });

export const BUSINESS = defineKind<BusinessOnboardingInput | FollowedBusinessInput>('businessOnboarding', {
  fields: ['holder'],
  schema: businessOnboardingInput,
  about: ({ holder }) => ({ dba: holder.doingBusinessAsName }),
  correction: { followed: followedBusinessInput },
  backupSchema: businessBackup,
  restart: (input, { bankingProfileId: profileId }, restored) => ({
    args: [input, undefined, { ...restored, ...omitUndefined({ profileId }) }],
    isKnown: profileId !== undefined,
  }),
});

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

export const KINDS: Readonly<Record<OnboardingType, Kind>> = {
  merchantBoarding: MERCHANT,
  businessOnboarding: BUSINESS,
  customerOnboarding: CUSTOMER,
};

export const EACH_KIND: readonly Kind[] = Object.values(KINDS);
