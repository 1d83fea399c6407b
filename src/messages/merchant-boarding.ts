import type { Unfinished } from './onboarding-state.js';

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
export const CORRECTABLE_MERCHANT_MEMBERS = [
  'merchant',
  'agentProfileId',
  'agent',
  'boardingSettingsId',
  'boardingSettings',
  'fees',
  'application',
] as const;
