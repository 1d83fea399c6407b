import { defineSignal } from '@temporalio/workflow';
import type { BusinessOnboardingOutcome } from './business-onboarding.js';
import { type WorkflowType, workflowId } from './ids.js';
import type { MerchantBoardingOutcome } from './merchant-boarding.js';
import type { OnboardingState, TimelineEntry } from './onboarding-state.js';
import type { Requirement } from './requirements.js';
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

/** The outcome of a part, as its workflow returns it. */
export type PartOutcome =
  | MerchantBoardingOutcome
  | BusinessOnboardingOutcome
  | TerminalProvisioningOutcome
  | Unfinished;

/** How the workflow of a part ended. Only one that completed has an outcome of its own. */
export type PartEnd =
  | { readonly how: 'completed'; readonly outcome: PartOutcome }
  | { readonly how: 'cancelled' | 'terminated' | 'timed out' | 'failed' };

/** What changed of a state. Applied in order to the state before, it gives the state after. */
export interface StateChanges {
  /** Facts with a new value. */
  readonly facts: Partial<Omit<OnboardingState, 'requirements' | 'timeline'>>;
  /** Requirements that were raised, or raised again under the same id. */
  readonly raised: readonly Requirement[];
  /** Ids of requirements that are no longer open. */
  readonly closed: readonly string[];
  /** The timeline from entry `since` on. */
  readonly timeline: readonly TimelineEntry[];
  readonly since: number;
}

/**
 * What a child reports to its customer: what changed since its report before. The first report of each run is whole: it
 * holds what changed since nothing was known. A customer that misses a report asks for a whole one with `reportAgain`.
 */
export interface ChildReport extends StateChanges {
  readonly part: Part;
  /** Run id of the child. */
  readonly run: string;
  /** When that run started. ISO 8601. */
  readonly runStartedAt: string;
  /** Counts the reports of a run from 1. */
  readonly number: number;
  readonly isWhole: boolean;
  /** In the last report of a child that completes or is cancelled: its outcome. */
  readonly outcome?: PartOutcome;
}

export const childReport = defineSignal<[ChildReport]>('childReport');

/** Asks a child for a whole report. */
export const reportAgain = defineSignal('reportAgain');
