import { defineSignal } from '@temporalio/workflow';
import type { BusinessOnboardingOutcome } from './business-onboarding.js';
import type { MerchantBoardingOutcome } from './merchant-boarding.js';
import type { OnboardingState, TimelineEntry } from './onboarding-state.js';

/** Who of the two a word is about. */
export type Part = 'boarding' | 'business';

/** How one of the two ended without an outcome of its own. */
export interface Unfinished {
  /** `not-started`: the business needs a merchant, and there was none. */
  readonly outcome: 'cancelled' | 'not-started';
}

/**
 * How the onboarding of a customer ends: `onboarded` when both ended well, `partly-onboarded` when one did, otherwise
 * as the first of the two that ended.
 */
export interface CustomerOnboardingOutcome {
  readonly outcome: 'onboarded' | 'partly-onboarded' | 'declined' | 'withdrawn' | 'closed' | 'abandoned';
  readonly boarding: MerchantBoardingOutcome | Unfinished;
  readonly business: BusinessOnboardingOutcome | Unfinished;
}

/** What a child tells its customer: its state, and the timeline from entry `since` on. */
export interface ChildReport {
  readonly part: Part;
  readonly state: Omit<OnboardingState, 'timeline'>;
  readonly since: number;
  readonly timeline: readonly TimelineEntry[];
}

export const childReport = defineSignal<[ChildReport]>('childReport');
