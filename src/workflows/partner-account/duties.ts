import type { UnmatchedTicket } from '../../messages/banking-activities.js';
import type { Pace } from '../../messages/onboarding-state.js';
import type { PartnerAccountInput, Refusal, UnreadableReport } from '../../messages/partner-account.js';
import { NO_TICKETS, type Tickets } from '../business/tickets.js';
import type { OnboardingRuntime } from '../runtime/onboarding-runtime.js';

/** What an account knows of its duties. */
export interface Duties extends Tickets {
  /** By process, which signs in for itself. */
  readonly refusals: Readonly<Record<string, Refusal>>;
  readonly unreadable: readonly Unreadable[];
  /** Tickets that no onboarding shows. */
  readonly listed: readonly UnmatchedTicket[];
  /** The poll of an onboarding has listed tickets that are not about its profile. */
  readonly isReported: boolean;
  readonly pace?: Pace | undefined;
}

/** The first report of an operation, and all workflows that wait. */
export interface Unreadable extends UnreadableReport {
  readonly workflowIds: readonly string[];
  /** Of its requirement; empty before it is raised. */
  readonly id: string;
}

export const NO_DUTIES: Duties = {
  ...NO_TICKETS,
  ...{ refusals: {}, unreadable: [], listed: [], isReported: false },
};

export type Account = OnboardingRuntime<Duties, PartnerAccountInput>;
