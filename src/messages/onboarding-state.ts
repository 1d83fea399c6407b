import { defineQuery } from '@temporalio/workflow';
import type { Requirement } from './requirements.js';

/**
 * Where an onboarding stands: `preparing` (looking up and creating), `applying` (fees and submission),
 * `underwriting`, `boarding` (approved, the processor has yet to give the `mid`), and how it ended.
 */
export type Stage = 'preparing' | 'applying' | 'underwriting' | 'boarding' | OutcomeName | 'cancelled';

export type OutcomeName = 'boarded' | 'declined' | 'withdrawn' | 'closed' | 'abandoned';

export interface TimelineEntry {
  /** ISO 8601. */
  readonly at: string;
  /** What happened, in kebab case: `merchant-created`. */
  readonly event: string;
  readonly detail?: string;
  /** Who did it, where a person did. */
  readonly actor?: string;
  readonly reason?: string;
}

/** What query `state` answers. It holds nothing secret: answers and corrections are not repeated in it. */
export interface OnboardingState {
  readonly stage: Stage;
  /** The partner's own name of the status last read; null before the first read. */
  readonly partnerStatus: string | null;
  readonly merchantProfileId?: number;
  /** The banking profile. */
  readonly profileId?: number;
  /** The final merchant identification number; a temporary one never shows up here. */
  readonly mid?: string;
  readonly outcome?: OutcomeName;
  /** The open ones. */
  readonly requirements: readonly Requirement[];
  readonly timeline: readonly TimelineEntry[];
  /** Status reads up to the last change that was seen. */
  readonly polls: number;
}

export const stateQuery = defineQuery<OnboardingState>('state');
