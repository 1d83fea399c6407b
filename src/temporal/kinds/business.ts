import { z } from 'zod';
import {
  type BusinessOnboardingInput,
  businessOnboardingInput,
  type FollowedBusinessInput,
  followedBusinessInput,
} from '../../messages/inputs.js';
import { omitUndefined } from '../../messages/objects.js';
import { defineKind } from './kind.js';

export const businessBackup = z.looseObject({ holder: z.looseObject({ doingBusinessAsName: z.string() }) });

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
