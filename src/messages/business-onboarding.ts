import type { Unfinished } from './onboarding-state.js';

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
export const CORRECTABLE_BUSINESS_MEMBERS = ['holder', 'beneficialOwners'] as const;
