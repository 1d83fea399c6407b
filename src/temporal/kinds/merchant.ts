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

export const merchantBackup = z.looseObject({
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
