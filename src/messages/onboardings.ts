import { defineSignal } from '@temporalio/workflow';
import { type WorkflowType, workflowId } from './ids.js';
import type { OnboardingState, TimelineEntry, Unfinished } from './onboarding-state.js';
import type { Requirement } from './requirements.js';

/** How a merchant boarding ends. Outcomes are data, not failures. */
export type MerchantBoardingOutcome = Unfinished &
  (
    | { readonly outcome: 'boarded'; readonly mid: string; readonly merchantProfileId: number }
    | {
        readonly outcome: 'declined' | 'withdrawn' | 'closed';
        readonly comment: string | null;
        readonly merchantProfileId: number;
      }
    /** An operator gave up. `merchantProfileId` is there when the partner has the merchant. */
    | { readonly outcome: 'abandoned'; readonly comment: string | null; readonly merchantProfileId?: number }
  );

/** What a correction may change of a `MerchantBoardingInput`. */
export const CORRECTABLE_MERCHANT_FIELDS = [
  'merchant',
  'agentProfileId',
  'agent',
  'boardingSettingsId',
  'boardingSettings',
  'fees',
  'application',
] as const;

/** How the onboarding of a business ends. Outcomes are data, not failures. */
export type BusinessOnboardingOutcome = Unfinished &
  (
    | {
        readonly outcome: 'onboarded';
        readonly profileId: number;
        /** null when there is none and none was asked for. */
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
    /** An operator gave up. `profileId` is there when the partner has the business. */
    | { readonly outcome: 'abandoned'; readonly comment: string | null; readonly profileId?: number }
  );

/** What a correction may change of a `BusinessOnboardingInput`. */
export const CORRECTABLE_BUSINESS_FIELDS = ['holder', 'beneficialOwners'] as const;

/** How the provisioning of a merchant's terminal ends. Outcomes are data, not failures. */
export type TerminalProvisioningOutcome = Unfinished &
  (
    | { readonly outcome: 'provisioned'; readonly accountId: string; readonly terminalId: string }
    /** An operator gave up. `accountId` is there when the payments platform has the account. */
    | { readonly outcome: 'abandoned'; readonly comment: string | null; readonly accountId?: string }
  );

/** What a correction may change of a `TerminalProvisioningInput`. */
export const CORRECTABLE_TERMINAL_FIELDS = ['provisionTerminal'] as const;

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
export interface UnstartedPart {
  /** `not-started`: the business needs a merchant, the terminal one that is boarded, and there was none. */
  readonly outcome: 'cancelled' | 'not-started';
}

/**
 * How the onboarding of a customer ends: `onboarded` when all that was asked for ended well, `partly-onboarded` when the
 * merchant or the business did, otherwise as the first of the two that ended.
 */
export interface CustomerOnboardingOutcome {
  readonly outcome: 'onboarded' | 'partly-onboarded' | 'declined' | 'withdrawn' | 'closed' | 'abandoned';
  readonly boarding: MerchantBoardingOutcome | UnstartedPart;
  readonly business: BusinessOnboardingOutcome | UnstartedPart;
  /** There when one was asked for. */
  readonly terminal?: TerminalProvisioningOutcome | UnstartedPart;
}

/** The outcome of a part, as its workflow returns it. */
export type PartOutcome =
  | MerchantBoardingOutcome
  | BusinessOnboardingOutcome
  | TerminalProvisioningOutcome
  | UnstartedPart;

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

/** Of an onboarding that `gangway restore` started: what its backup does not show may have happened since. */
export interface Restored {
  /** When the backup was made. ISO 8601. */
  readonly backedUpAt: string;
  /** The banking profile that a business had by then. */
  readonly profileId?: number;
}

/** Why a create may have been done, for people. */
export function mayBeDone(restored: Restored | undefined): string | undefined {
  return restored && `restored from a backup of ${restored.backedUpAt}, in which it was not done`;
}
