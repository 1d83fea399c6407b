import type { BusinessOnboardingOutcome } from './business-onboarding.js';
import type { MerchantBoardingOutcome } from './merchant-boarding.js';
import type { OnboardingState } from './onboarding-state.js';
import type { Resolution, ResolutionReceipt } from './requirements.js';
import type { TerminalProvisioningOutcome } from './terminal-provisioning.js';

/** How far an onboarding has come that someone else started. */
export interface Progress {
  /** What its state tells of it. */
  readonly facts: Pick<
    OnboardingState,
    'merchantProfileId' | 'mid' | 'profileId' | 'financialAccountId' | 'paymentsAccountId' | 'terminalId'
  >;
  /** There once it has ended; `cancelled` also when it was terminated or failed. */
  readonly outcome?:
    | MerchantBoardingOutcome
    | BusinessOnboardingOutcome
    | TerminalProvisioningOutcome
    | { readonly outcome: 'cancelled' };
}

/** What a customer's workflow asks of other workflows. Done by the worker, for a workflow cannot update another. */
export interface OnboardingActivities {
  /**
   * Answers a requirement of another workflow, once however often this is tried.
   *
   * @throws ApplicationFailure of type `InvalidResolution` when that workflow's validator rejects the answer
   */
  resolveInOnboarding(request: { workflowId: string; resolution: Resolution }): Promise<ResolutionReceipt>;
  /** Waits until an onboarding knows its merchant, or has ended, however long that takes. Costs no history. */
  awaitOnboarding(request: { workflowId: string; until: 'merchant' | 'end' }): Promise<Progress>;
}
