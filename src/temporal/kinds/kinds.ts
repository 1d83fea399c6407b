import type { OnboardingType } from '../../messages/kinds.js';
import { BUSINESS } from './business.js';
import { CUSTOMER } from './customer.js';
import type { Kind } from './kind.js';
import { MERCHANT } from './merchant.js';

/** The kinds of onboardings. */
export const KINDS: Readonly<Record<OnboardingType, Kind>> = {
  merchantBoarding: MERCHANT,
  businessOnboarding: BUSINESS,
  customerOnboarding: CUSTOMER,
};

export const EACH_KIND: readonly Kind[] = Object.values(KINDS);
