import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Requirement } from './requirements.js';

/**
 * Where an onboarding stands, and how it ended.
 *
 * - a merchant: `preparing` (looking up and creating), `applying` (fees and submission), `underwriting`, `boarding`
 *   (approved, the processor has yet to give the `mid`)
 * - a business: `applying` (looking for a profile, submitting the holder), `underwriting`, `opening` (the
 *   financial account)
 * - a terminal: `provisioning`
 * - a customer: `onboarding` while any of these goes on
 * - a single operation: `working`
 */
export type Stage =
  | 'preparing'
  | 'applying'
  | 'underwriting'
  | 'boarding'
  | 'opening'
  | 'provisioning'
  | 'onboarding'
  | 'working'
  | OutcomeName
  | 'cancelled';

/** How an onboarding or a single operation ends. */
export type OutcomeName =
  | 'boarded'
  | 'onboarded'
  | 'provisioned'
  | 'partly-onboarded'
  | 'declined'
  | 'withdrawn'
  | 'closed'
  | 'done'
  | 'rejected'
  | 'abandoned';

/** A write that was in flight when its onboarding ended, and what became of it. */
export interface UnfinishedWrite {
  /** For people: `upload check.pdf`. */
  readonly write: string;
  /** `done`: the partner confirmed it. `unknown`: it was sent, and nobody knows whether it took effect. */
  readonly became: 'done' | 'rejected' | 'not-sent' | 'unknown';
}

/** What every outcome may have beside its own fields. */
export interface Unfinished {
  /** Writes that were in flight, or in doubt, at the end. */
  readonly unfinished?: readonly UnfinishedWrite[];
}

/** One event in the life of an onboarding. */
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
  readonly financialAccountId?: string;
  /** The account at the payments platform. */
  readonly paymentsAccountId?: string;
  readonly terminalId?: string;
  /** The final merchant identification number; a temporary one never shows up here. */
  readonly mid?: string;
  readonly outcome?: OutcomeName;
  /** The open ones. */
  readonly requirements: readonly Requirement[];
  /** Ids of requirements whose answers wait to be sent, so that they can be taken back. */
  readonly unsent?: readonly string[];
  readonly timeline: readonly TimelineEntry[];
  /** Status reads up to the last change that was seen. */
  readonly polls: number;
  /** The step that waits for its partner, and is tried again by itself. */
  readonly waiting?:
    | {
        readonly step: string;
        /** ISO 8601. */
        readonly since: string;
        /** ISO 8601: not tried before, as the partner asked when it was reported last. */
        readonly until?: string;
        readonly reason: string;
      }
    | undefined;
  /** Of a customer: how its merchant gets on. */
  readonly boarding?: OnboardingState;
  /** Of a customer: how its business gets on. */
  readonly business?: OnboardingState;
  /** Of a customer: how its terminal gets on. */
  readonly terminal?: OnboardingState;
}

/** Returns where an onboarding stands. Every workflow type has it. */
export const stateQuery = defineQuery<OnboardingState>('state');

/** A step that waits for its partner: it is tried again by itself. */
export interface PartnerWait {
  /** ISO 8601: when the step was begun. */
  readonly since: string;
  /** ISO 8601: when it is tried again, where the partner said so. */
  readonly until?: string;
  /** Why, short and without data of the call: `boarding submit-merchant: RateLimited, HTTP 429`. */
  readonly reason: string;
  /** It has waited for so long that a person is to know. */
  readonly isLate: boolean;
}

/** Reports a wait to the workflow whose step it is. Sent by the worker, for the server tries again without a word. */
export const stepWaits = defineSignal<[PartnerWait]>('stepWaits');

/** How soon a wait for a change may read again. A wait without it reads at once. */
export interface Pace {
  /** When what is known was read, in milliseconds since 1970. */
  readonly readAt: number;
  /** How many waits in a row ended with their first read, the last one included. */
  readonly changes: number;
}
