import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import {
  type BusinessOnboardingInput,
  businessOnboardingInput,
} from '../messages/business-onboarding-input.js';
import {
  type CustomerOnboardingInput,
  customerOnboardingInput,
} from '../messages/customer-onboarding-input.js';
import type { OnboardingType } from '../messages/ids.js';
import { type MerchantBoardingInput, merchantBoardingInput } from '../messages/merchant-boarding-input.js';
import {
  type Started,
  type StartOptions,
  startBusinessOnboarding,
  startCustomerOnboarding,
  startMerchantBoarding,
} from '../temporal/onboardings.js';

/** What people start from files. A terminal comes with its customer. */
export type StartableType = Exclude<OnboardingType, 'terminalProvisioning'>;

/** A kind of onboarding, as people start it from a file. */
export interface Kind<Input> {
  /** Name of the command that starts a single one. */
  readonly command: string;
  readonly type: StartableType;
  readonly schema: (posNames: readonly string[]) => z.ZodType<Input>;
  readonly start: (client: Client, input: Input, options: StartOptions) => Promise<Started>;
}

export const MERCHANT: Kind<MerchantBoardingInput> = {
  command: 'board',
  type: 'merchantBoarding',
  schema: merchantBoardingInput,
  start: startMerchantBoarding,
};

export const BUSINESS: Kind<BusinessOnboardingInput> = {
  command: 'onboard-business',
  type: 'businessOnboarding',
  schema: () => businessOnboardingInput,
  start: startBusinessOnboarding,
};

export const CUSTOMER: Kind<CustomerOnboardingInput> = {
  command: 'onboard',
  type: 'customerOnboarding',
  schema: customerOnboardingInput,
  start: startCustomerOnboarding,
};
