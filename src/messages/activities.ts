import type { ActivityOptions } from '@temporalio/common';
import type { FieldProblem, PartnerErrorDetails } from '../partners/partner-error.js';
import type { SystemName } from '../partners/systems.js';
import type { CorrectableType, CorrectionContext } from './correction-problems.js';
import type { PartnerTaskQueue } from './ids.js';
import type { TerminalProvisioningInput } from './inputs.js';
import type { OnboardingState } from './onboarding-state.js';
import type { PartEnd } from './onboardings.js';
import type { DocumentRef, Resolution, ResolutionReceipt } from './requirements.js';

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

/** An activity that somebody wants run, and nothing around it. */
export interface SingleActivity {
  readonly activity: string;
  readonly lane: PartnerTaskQueue;
  /** The account at the partners; the one without a name unless given. */
  readonly account?: string | undefined;
  readonly args: readonly unknown[];
  /** One line for the Web UI. */
  readonly summary: string;
  readonly options: Pick<
    ActivityOptions,
    'scheduleToStartTimeout' | 'scheduleToCloseTimeout' | 'startToCloseTimeout' | 'heartbeatTimeout' | 'retry'
  >;
}

/** One call of one operation of a partner, as a person or a script asks for it. */
export interface PartnerCall {
  readonly system: SystemName;
  /** As in the catalogue: `close-card`. */
  readonly operation: string;
  /** The request's fields, as JSON; in place of a file a {@link FileToSend}, of a `bigint` an {@link IntegerToSend}. */
  readonly request: Readonly<Record<string, unknown>>;
  /** A write to a partner's production is wanted. */
  readonly toProduction?: true;
}

/**
 * What became of a call: the response, or where the file is that was the response. Beside a response may be the warnings of
 * the call, and why the partner refused it although its HTTP status is a success.
 */
export type PartnerResponse =
  | {
      readonly answer: unknown;
      readonly warnings?: readonly string[];
      readonly refusal?: PartnerErrorDetails;
    }
  | { readonly file: { readonly fileName: string; readonly contentType: string; readonly bytes: number } };

/** A file of a request, on its way to the worker. */
export interface FileToSend {
  readonly document: DocumentRef;
}

/** A whole number beyond 2^53 of a request, on its way to the worker. It is sent as a plain number. */
export interface IntegerToSend {
  readonly exactInteger: string;
}

export interface PartnerCallActivities {
  /**
   * Makes one call of a partner.
   *
   * @throws ApplicationFailure `PartnerError` with its details; it is tried again only when that does no harm
   */
  callPartner(call: PartnerCall): Promise<PartnerResponse>;
}

/** The `type` of an `ApplicationFailure` whose only detail is `PartnerErrorDetails`. */
export const PARTNER_ERROR = 'PartnerError';

/** The heartbeat details of a write: whether its request may be on its way. */
export interface Mark {
  readonly sending: boolean;
  /** ISO 8601: when the request was about to be sent. */
  readonly sentAt: string;
  /** Ids that were at the partner just before, of the kind of thing that the request makes. */
  readonly baseline?: readonly number[];
}

/** What is to be made; a correction may have made anything of it, and the activity says what is wrong. */
type Asked = Pick<TerminalProvisioningInput, 'provisionTerminal'>;

/**
 * What the worker does at the payments platform. A failed call arrives as an `ApplicationFailure` of type `PartnerError`
 * with `PartnerErrorDetails` as its only detail; of a write, its fields are those of the input.
 */
export interface PaymentsActivities {
  /** Ids of the accounts that were made for this merchant. Reads only. */
  findAccounts(request: { mid: string }): Promise<readonly string[]>;
  /** Sent at most once. The API key that the platform makes beside the account is dropped. */
  createAccount(request: Asked & { mid: string }): Promise<{ accountId: string }>;
  /** Ids of the terminals of an account that have exactly this name. Reads only. */
  findTerminals(request: { accountId: string; name: string }): Promise<readonly string[]>;
  /** Sent at most once. */
  createTerminal(request: Asked & { accountId: string }): Promise<{ terminalId: string }>;
}
