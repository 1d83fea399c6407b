import { defineSignal } from '@temporalio/workflow';
import { workflowId } from './ids.js';
import type { OnboardingState, Unfinished } from './onboarding-state.js';
import type { Requirement } from './requirements.js';
import { ONBOARDINGS, type OnboardingType, type OutcomeOf } from './workflow-types.js';

/** The outcome of a merchant boarding. Outcomes are data, not failures. */
export type MerchantBoardingOutcome = Unfinished &
  (
    | { readonly outcome: 'boarded'; readonly mid: string; readonly merchantProfileId: number }
    | {
        readonly outcome: 'declined' | 'withdrawn' | 'closed';
        readonly comment: string | null;
        readonly merchantProfileId: number;
      }
    /** An operator gave up. `merchantProfileId` is present when the partner has the merchant. */
    | { readonly outcome: 'abandoned'; readonly comment: string | null; readonly merchantProfileId?: number }
  );

/**
 * Reports whether Gangway only follows what exists at the partner: it sends nothing that no person asked for. Any value but `false`
 * counts, so that a mistake in an input sends nothing either.
 */
export function isFollowed<Input extends object>(input: Input): input is Extract<Input, { follow: true }> {
  const { follow = false } = input as { follow?: unknown };
  return follow !== false;
}

/** The outcome of the onboarding of a business. Outcomes are data, not failures. */
export type BusinessOnboardingOutcome = Unfinished &
  (
    | {
        readonly outcome: 'onboarded';
        readonly profileId: number;
        /** null if there is none, because none was requested. */
        readonly financialAccountId: string | null;
        readonly bankingStatus: string;
      }
    | {
        /** Denied, Closed and Cancelled, in this order. */
        readonly outcome: 'declined' | 'closed' | 'withdrawn';
        readonly profileId: number;
        readonly financialAccountId: string | null;
        readonly bankingStatus: string;
      }
    /** An operator gave up. `profileId` is present when the partner has the business. */
    | { readonly outcome: 'abandoned'; readonly comment: string | null; readonly profileId?: number }
  );

/** The parts of a customer, in the order in which they start. Each is a workflow. */
export const PARTS = ONBOARDINGS.customerOnboarding.parts satisfies Readonly<Record<string, OnboardingType>>;

/** A part of a customer. */
export type Part = keyof typeof PARTS;

export function partId(part: Part, externalId: string, account?: string): string {
  return workflowId(PARTS[part], externalId, account);
}

/** A part that ended without an outcome, or never started. */
export interface UnstartedPart {
  /** `not-started`: the business needs a merchant, and there was none. */
  readonly outcome: 'cancelled' | 'not-started';
}

/**
 * The outcome of the onboarding of a customer: `onboarded` when both of its parts succeeded, `partly-onboarded` when one
 * did. Otherwise it has the outcome of the first part that ended.
 */
export interface CustomerOnboardingOutcome {
  readonly outcome: OutcomeOf<'customerOnboarding'>;
  readonly boarding: MerchantBoardingOutcome | UnstartedPart;
  readonly business: BusinessOnboardingOutcome | UnstartedPart;
}

/** The outcome of a part, as its workflow returns it. */
export type PartOutcome = MerchantBoardingOutcome | BusinessOnboardingOutcome | UnstartedPart;

/** The ending of a part's workflow. Only a completed one has an outcome. */
export type PartEnd =
  | { readonly how: 'completed'; readonly outcome: PartOutcome }
  | { readonly how: 'cancelled' | 'terminated' | 'timed out' | 'failed' };

/** A part that had ended before its customer was restored, and is not restored itself: the customer must not start it again. */
export interface EndedPart {
  readonly end: PartEnd;
  /** The IDs that exist at its partner. */
  readonly facts: Partial<Pick<OnboardingState, 'merchantProfileId' | 'profileId' | 'mid'>>;
}

export type EndedParts = Readonly<Partial<Record<Part, EndedPart>>>;

/** The facts that a part reports to its customer. Its timeline and waits stay in the part. */
export type ReportedFacts = Omit<OnboardingState, 'dba' | 'requirements' | 'timeline' | 'waiting'>;

/** Changes of a state, in order. */
export interface StateChanges {
  /** Fields with a new value. */
  readonly facts: Partial<ReportedFacts>;
  /** Requirements that were raised, or raised again under the same ID. */
  readonly raised: readonly Requirement[];
  /** IDs of requirements that are no longer open. */
  readonly closed: readonly string[];
}

/**
 * What a part reports to its customer: the changes since its last report. The first report of each run is whole, and contains the
 * complete state. A customer that misses a report requests a whole one with `reportAgain`.
 */
export interface ChildReport extends StateChanges {
  readonly part: Part;
  /** Run ID of the part. */
  readonly run: string;
  /** The start of that run. ISO 8601. */
  readonly runStartedAt: string;
  /** Counts the reports of a run from 1. */
  readonly number: number;
  readonly isWhole: boolean;
  /** The outcome, in the last report of a part that completes or is canceled. */
  readonly outcome?: PartOutcome;
}

export const childReport = defineSignal<[ChildReport]>('childReport');

/** Requests a whole report from a part, and one of its end. */
export const reportAgain = defineSignal('reportAgain');

/** An onboarding that `gangway restore` started. More than its backup shows may have happened since. */
export interface Restored {
  /** The time of the backup. ISO 8601. */
  readonly backedUpAt: string;
  /** The merchant was submitted before the backup. */
  readonly isSubmitted?: true;
  /** The banking profile that a business had at that time. */
  readonly profileId?: number;
}

/** The reason why a create may already have taken effect, for people. */
export function mayBeDone(restored: Restored | undefined): string | undefined {
  return restored && `restored from a backup of ${restored.backedUpAt}, in which it was not done`;
}
