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
import type { KnownAccounts } from '../messages/known-accounts.js';
import { type MerchantBoardingInput, merchantBoardingInput } from '../messages/merchant-boarding-input.js';
import {
  type Started,
  type StartOptions,
  startBusinessOnboarding,
  startCustomerOnboarding,
  startMerchantBoarding,
} from './onboardings.js';

/** What people and events start. A terminal comes with its customer. */
export type StartableType = Exclude<OnboardingType, 'terminalProvisioning'>;

/** A kind of onboarding: what is asked for, and how it is started. */
export interface Kind<Input> {
  /** Name of the command that starts one from a file. */
  readonly command: string;
  readonly type: StartableType;
  /** Every rule of the input. */
  readonly schema: (known: KnownAccounts) => z.ZodType<Input>;
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
  schema: businessOnboardingInput,
  start: startBusinessOnboarding,
};

export const CUSTOMER: Kind<CustomerOnboardingInput> = {
  command: 'onboard',
  type: 'customerOnboarding',
  schema: customerOnboardingInput,
  start: startCustomerOnboarding,
};
