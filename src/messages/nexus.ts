import { operation, service } from 'nexus-rpc';
import type { BusinessToOnboard, CustomerToOnboard, MerchantToBoard } from './inputs.js';
import type { OnboardingState } from './onboarding-state.js';
import type {
  BusinessOnboardingOutcome,
  CustomerOnboardingOutcome,
  MerchantBoardingOutcome,
} from './onboardings.js';
import type { Resolution, ResolutionReceipt } from './requirements.js';

export type { BusinessToOnboard, CustomerToOnboard, MerchantToBoard } from './inputs.js';

/** The onboarding that a request is about. */
export interface NamedOnboarding {
  /** Workflow ID, `externalId` or `externalId@account`. */
  readonly id: string;
}

/** An answer to a requirement of an onboarding. */
export type AnswerRequest = NamedOnboarding & Resolution;

/** The state of an onboarding. */
export type OnboardingStatus = OnboardingState & {
  /** Workflow ID. */
  readonly workflowId: string;
};

/** The `type` of the cause of a handler error: why Gangway refuses a request, or cannot carry it out now. */
export type NexusProblem =
  /** `BAD_REQUEST`: fields are missing or wrong. */
  | 'invalid'
  /** `NOT_FOUND`: no onboarding has this ID. */
  | 'unknown-onboarding'
  /** `CONFLICT`: several onboardings have this `externalId`. */
  | 'ambiguous-id'
  /** `CONFLICT`: the onboarding was started with another input. */
  | 'other-input'
  /** `CONFLICT`: the requirement is not open. */
  | 'not-open'
  /** `UNAVAILABLE`: no worker has responded in time, so it is not known whether the answer took effect. Temporal repeats the request. */
  | 'not-applied'
  /** `UNAVAILABLE`: the onboarding cannot be read now. Temporal does not repeat the request. */
  | 'unreadable-onboarding'
  /** `UNAVAILABLE`: the worker has no response of Temporal in time. Temporal repeats the request. */
  | 'temporal-unavailable'
  /** `INTERNAL`: an error of Gangway, which its log shows. Temporal repeats the request. */
  | 'internal-error';

/**
 * The operations that workflows of other namespaces call through a Nexus endpoint of Gangway.
 *
 * The first three start an onboarding under its `externalId`, and complete with its outcome. The same request again attaches to the
 * onboarding while it runs, and has its outcome afterwards.
 *
 * A request that Gangway refuses fails with a `HandlerError`, whose message names the wrong fields. Its cause is an
 * `ApplicationFailure` with a {@link NexusProblem} as its type and, as its first detail, the fields: `{field, message}`.
 */
export const gangwayService = service('gangway', {
  boardMerchant: operation<MerchantToBoard, MerchantBoardingOutcome>(),
  onboardBusiness: operation<BusinessToOnboard, BusinessOnboardingOutcome>(),
  onboardCustomer: operation<CustomerToOnboard, CustomerOnboardingOutcome>(),
  /** Answers a requirement. It responds when a worker has applied the answer. */
  answerRequirement: operation<AnswerRequest, ResolutionReceipt>(),
  /** Reads the state of an onboarding, with its open requirements. */
  getStatus: operation<NamedOnboarding, OnboardingStatus>(),
});
