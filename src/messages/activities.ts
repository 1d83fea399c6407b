import type { ActivityOptions } from '@temporalio/common';
import { defineQuery } from '@temporalio/workflow';
import type { SystemName } from '../partners/descriptors.js';
import type { FieldProblem, PartnerErrorDetails } from '../partners/partner-error.js';
import type { PartnerTaskQueue } from './ids.js';
import type { PartnerIds } from './onboarding-state.js';
import type { PartEnd } from './onboardings.js';
import type { DocumentRef, Resolution, ResolutionReceipt } from './requirements.js';
import type { CorrectableType } from './workflow-types.js';

export interface Progress {
  readonly facts: PartnerIds;
  readonly end?: PartEnd;
}

/** Calls to other workflows, for a customer and its parts. They are activities because a workflow cannot update another one. */
export interface OnboardingActivities {
  /**
   * Answers a requirement of another workflow, once over all attempts.
   *
   * @throws ApplicationFailure of type `InvalidResolution` if that workflow's validator rejects the answer, or `OnboardingEnded` if
   *   that workflow has ended
   */
  resolveInOnboarding(request: { workflowId: string; resolution: Resolution }): Promise<ResolutionReceipt>;
  /**
   * Waits until an onboarding has a merchant or has ended (`merchant`), has ended (`end`), or runs again after an operator's reset
   * (`reset`), however long that takes. Adds nothing to the history.
   */
  awaitOnboarding(request: { workflowId: string; until: 'merchant' | 'end' | 'reset' }): Promise<Progress>;
  /** Cancels a part whose customer was terminated, failed or timed out. Leaves the part of any other customer alone. */
  cancelOrphan(request: { workflowId: string; customer: string }): Promise<void>;
}

export interface CorrectionRequest {
  readonly type: CorrectableType;
  /** The input with all corrections so far. */
  readonly input: object;
  /** JSON merge patch (RFC 7396) of the input, which the activity checks. */
  readonly patch: unknown;
  /** The boarding partner has the merchant, so only its fees and application can still change. */
  readonly merchantExists?: boolean;
  /** The fields that the partner named. Where a request allows unknown fields, a correction may add these. */
  readonly fields?: readonly string[] | undefined;
  /** Name of the account at the partners. Default: the unnamed account. The input of a running workflow does not contain it. */
  readonly account?: string | undefined;
}

/** A JSON merge patch (RFC 7396). */
export type Patch = Readonly<Record<string, unknown>>;

/** The context of a correction. */
export type Correctable = Omit<CorrectionRequest, 'patch'>;

/**
 * Returns the current input of an onboarding, which contains private values, and its progress. Workflows with a correctable input
 * have this query.
 */
export const inputQuery = defineQuery<Correctable>('input');

/** Checks corrections in activities, because workflows cannot import the input schemas. */
export interface CorrectionActivities {
  /** Returns a blank correction of the fields that the partner named and that can still change. */
  blankCorrection(request: Correctable): Promise<Patch>;
  /** Returns the problems of a correction; empty if it can be applied. */
  checkCorrection(request: CorrectionRequest): Promise<readonly FieldProblem[]>;
}

/**
 * The priorities of tasks, from 1 to 5. The server dispatches the lowest number first. Temporal's default is 3.
 *
 * - `call`: a person or program waits for a single call.
 * - `answer`: delivers a person's answer.
 * - `interactive`: an onboarding that a person or program waits for, with its status polls.
 * - `batch`: one of many onboardings, with its status polls.
 */
export const PRIORITY_KEYS = { call: 1, answer: 2, interactive: 3, batch: 4 } as const;

export interface SingleActivity {
  readonly activity: string;
  /** Default: the task queue of the workflows. */
  readonly queue?: PartnerTaskQueue;
  /** The account at the partners. Default: the unnamed account. */
  readonly account?: string | undefined;
  readonly args: readonly unknown[];
  readonly summary: string;
  readonly options: Pick<
    ActivityOptions,
    | 'scheduleToStartTimeout'
    | 'scheduleToCloseTimeout'
    | 'startToCloseTimeout'
    | 'heartbeatTimeout'
    | 'retry'
    | 'priority'
  >;
}

/** One call of one operation of a partner, as a person or a script requests it. */
export interface PartnerCall {
  readonly system: SystemName;
  /** The name in the catalogue: `close-card`. */
  readonly operation: string;
  /** The request's fields, as JSON. A {@link FileToSend} replaces a file, an {@link IntegerToSend} a `bigint`. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Confirms that a write may go to a partner's production. */
  readonly toProduction?: true;
}

/**
 * The response to a call, or the file that it was saved to. It may contain the partner's warnings, and the reason for a rejection
 * that came with a successful HTTP status.
 */
export type PartnerResponse =
  | {
      readonly response: unknown;
      readonly warnings?: readonly string[];
      readonly refusal?: PartnerErrorDetails;
    }
  | { readonly file: { readonly fileName: string; readonly contentType: string; readonly bytes: number } };

/** A file in a request to the worker. */
export interface FileToSend {
  readonly document: DocumentRef;
}

/** A whole number beyond 2^53 in a request to the worker. The partner gets a plain number. */
export interface IntegerToSend {
  readonly exactInteger: string;
}

export interface PartnerCallActivities {
  /**
   * Makes one call to a partner.
   *
   * @throws ApplicationFailure `PartnerError` with its details; retryable only if a second call does no harm
   */
  callPartner(call: PartnerCall): Promise<PartnerResponse>;
}

/** The `type` of an `ApplicationFailure` whose only detail is `PartnerErrorDetails`. */
export const PARTNER_ERROR = 'PartnerError';

/** The `type` of an `ApplicationFailure` for an error of our own code. Its only detail is `PartnerErrorDetails` with a `build`. */
export const SOFTWARE_ERROR = 'SoftwareError';

/** The beginning of the message of a {@link SOFTWARE_ERROR}. */
export const OUR_SOFTWARE_FAILS = 'our software fails';

/** A record that an onboarding imports and so reserves. */
export interface ImportedRecord {
  readonly id: number;
  /** IDs of other onboardings that a person named as the record's owners, so the record can be taken over from them. */
  readonly knownOwners?: readonly string[];
}
