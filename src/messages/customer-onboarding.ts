import { defineSignal } from '@temporalio/workflow';
import type { BusinessOnboardingOutcome } from './business-onboarding.js';
import { type WorkflowType, workflowId } from './ids.js';
import type { MerchantBoardingOutcome } from './merchant-boarding.js';
import type { OnboardingState, TimelineEntry } from './onboarding-state.js';
import type { TerminalProvisioningOutcome } from './terminal-provisioning.js';

/** The parts of a customer, in the order of their beginning, each a workflow of its own. */
export const PARTS = {
  boarding: 'merchantBoarding',
  business: 'businessOnboarding',
  terminal: 'terminalProvisioning',
} as const satisfies Readonly<Record<string, WorkflowType>>;

export type Part = keyof typeof PARTS;

export function partId(part: Part, externalId: string, account?: string): string {
  return workflowId(PARTS[part], externalId, account);
}

/** How a part ended without an outcome of its own. */
export interface Unfinished {
  /** `not-started`: the business needs a merchant, the terminal one that is boarded, and there was none. */
  readonly outcome: 'cancelled' | 'not-started';
}

/**
 * How the onboarding of a customer ends: `onboarded` when all that was asked for ended well, `partly-onboarded` when the
 * merchant or the business did, otherwise as the first of the two that ended.
 */
export interface CustomerOnboardingOutcome {
  readonly outcome: 'onboarded' | 'partly-onboarded' | 'declined' | 'withdrawn' | 'closed' | 'abandoned';
  readonly boarding: MerchantBoardingOutcome | Unfinished;
  readonly business: BusinessOnboardingOutcome | Unfinished;
  /** There when one was asked for. */
  readonly terminal?: TerminalProvisioningOutcome | Unfinished;
}

/** What a child tells its customer: its state, and the timeline from entry `since` on. */
export interface ChildReport {
  readonly part: Part;
  readonly state: Omit<OnboardingState, 'timeline'>;
  readonly since: number;
  readonly timeline: readonly TimelineEntry[];
}

export const childReport = defineSignal<[ChildReport]>('childReport');
