import type { FieldProblem } from '../partners/partner-error.js';
import type { CorrectableType, CorrectionContext } from './correction-problems.js';
import type { PartEnd } from './customer-onboarding.js';
import type { OnboardingState } from './onboarding-state.js';
import type { Resolution, ResolutionReceipt } from './requirements.js';

/** How far an onboarding has come that someone else started. */
export interface Progress {
  /** What its state tells of it. */
  readonly facts: Pick<
    OnboardingState,
    'merchantProfileId' | 'mid' | 'profileId' | 'financialAccountId' | 'paymentsAccountId' | 'terminalId'
  >;
  /** There once it has ended. */
  readonly end?: PartEnd;
}

/** What a customer and its children ask of other workflows. The worker does it, because a workflow cannot update another. */
export interface OnboardingActivities {
  /**
   * Answers a requirement of another workflow, once however often this is tried.
   *
   * @throws ApplicationFailure of type `InvalidResolution` when that workflow's validator rejects the answer, and of type
   *   `OnboardingEnded` when that workflow has ended
   */
  resolveInOnboarding(request: { workflowId: string; resolution: Resolution }): Promise<ResolutionReceipt>;
  /**
   * Waits, however long that takes, until an onboarding knows its merchant or has ended, has ended, or runs again after an
   * operator reset it. Costs no history.
   */
  awaitOnboarding(request: { workflowId: string; until: 'merchant' | 'end' | 'reset' }): Promise<Progress>;
  /** Cancels a child whose customer was terminated, failed or timed out. Leaves the child of any other customer alone. */
  cancelOrphan(request: { workflowId: string; customer: string }): Promise<void>;
}

/** What people answer, checked by the worker because it needs the schemas. Local activities. */
export interface CorrectionActivities {
  /** What is wrong with a correction; empty when it can be applied. */
  checkCorrection(
    request: {
      readonly type: CorrectableType;
      /** With its corrections so far. */
      readonly input: object;
      readonly patch: Readonly<Record<string, unknown>>;
    } & Omit<CorrectionContext, 'known'>,
  ): Promise<readonly FieldProblem[]>;
}
