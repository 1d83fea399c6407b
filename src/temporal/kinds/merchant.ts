import { z } from 'zod';
import {
  type FollowedMerchantInput,
  followedMerchantInput,
  type MerchantBoardingInput,
  merchantBoardingInput,
  partnerId,
} from '../../messages/inputs.js';
import { ONBOARDINGS } from '../../messages/kinds.js';
import { defineKind } from './kind.js';

export const keptOfMerchant = z.looseObject({
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
  kept: keptOfMerchant.extend({ merchantProfileId: partnerId.optional() }),
  restart(input, { stage = '', merchantProfileId }, restored) {
    const known = merchantProfileId ?? input.merchantProfileId;
    const isKnown = known !== undefined;
    const isSubmitted = merchantProfileId !== undefined && !['', 'preparing', 'applying'].includes(stage);
    const adopted = isKnown ? { ...input, merchantProfileId: known } : input;
    return { args: [adopted, undefined, { ...restored, ...(isSubmitted && { isSubmitted }) }], isKnown };
  },
});
