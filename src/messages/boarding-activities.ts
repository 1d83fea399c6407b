import type { FieldProblem } from '../partners/partner-error.js';
import type { MerchantBoardingInput } from './merchant-boarding-input.js';
import type { Pace } from './pace.js';
import type { DocumentRef } from './requirements.js';

/** A merchant's status and open notes, as one read of them gave. */
export interface StatusSnapshot {
  readonly status: string;
  /** ISO 8601, as the partner wrote it. */
  readonly statusDate: string | null;
  readonly comment: string | null;
  /** Possibly a temporary one: final only when `status` is approved. */
  readonly mid: string | null;
  readonly notes: readonly Note[];
}

/** An underwriting note. The partner gives it no id, so `id` is a hash of its text, its author and its place among equals. */
export interface Note {
  readonly id: string;
  readonly text: string;
  readonly author: string | null;
  readonly date: string | null;
  /** Stands for so many more notes. */
  readonly more?: number;
}

/** What the workflow knows of a merchant. Members left out are not compared. */
export interface Seen {
  /** null when nothing was read yet. */
  readonly status: string | null;
  readonly statusDate?: string | null;
  readonly comment?: string | null;
  readonly mid?: string | null;
  readonly noteIds?: readonly string[];
  /** In place of `noteIds`, where the partner changes its notes with each read. */
  readonly noteCount?: number;
  /** Names of statuses that mean nothing to us are not compared. */
  readonly onlyKnownStatus?: true;
}

/** The ids a create needs. */
export interface ChosenReferences {
  readonly agentProfileId: number;
  readonly boardingSettingsId?: number;
}

/** Those ids, or what a person has to choose between. */
export type References = ChosenReferences | { readonly problems: readonly FieldProblem[] };

export type ReferenceRequest = Pick<
  MerchantBoardingInput,
  'agentProfileId' | 'agent' | 'boardingSettingsId' | 'boardingSettings'
>;

/** What the partner warned of in the response of a write (apis/2, Response envelope); a line of text each. */
export interface Warned {
  readonly warnings?: readonly string[];
}

export interface CreateMerchantRequest extends ChosenReferences {
  readonly version: 'v1' | 'v2';
  readonly merchant: MerchantBoardingInput['merchant'];
  /** The `externalId`. */
  readonly guid: string;
}

/**
 * What the worker does for a merchant boarding. A failed call arrives as an `ApplicationFailure` of type
 * `PartnerError` with {@link PartnerErrorDetails} as its only detail.
 */
export interface BoardingActivities {
  /** Finds ids by name, or takes the only one there is. Reads only. */
  resolveReferences(request: ReferenceRequest): Promise<References>;
  /** Sent at most once. */
  createMerchant(request: CreateMerchantRequest): Promise<{ merchantProfileId: number } & Warned>;
  /** Reads the fees; where `changes` ask for it sets them, reads them back and says what did not stick. */
  applyFees(request: {
    merchantProfileId: number;
    changes?: MerchantBoardingInput['fees'];
  }): Promise<{ changed: number; differing: readonly FieldProblem[] } & Warned>;
  /**
   * Reads the status, and submits an application that can be submitted. Sent at most once. `status` is the one before;
   * `submitted` is false when nothing was sent because of it.
   */
  submitMerchant(request: {
    merchantProfileId: number;
    application: NonNullable<MerchantBoardingInput['application']>;
  }): Promise<{ submitted: boolean; status: string } & Warned>;
  /** Nudges the status poll afterwards, which may not know yet. */
  readStatus(request: { merchantProfileId: number }): Promise<StatusSnapshot>;
  /** Reads the status of a merchant before it is adopted, and finds another boarding of this account that has it. */
  inspectMerchant(request: {
    merchantProfileId: number;
    taskQueue: string;
  }): Promise<{ status: string; owner?: { workflowId: string; isRunning: boolean } }>;
  /** Ends at the first read that differs from `seen`, however many days that takes. Costs no history. */
  awaitStatusChange(request: {
    merchantProfileId: number;
    seen: Seen;
    pace?: Pace | undefined;
  }): Promise<{ snapshot: StatusSnapshot; polls: number }>;
  /** Sent at most once. */
  attachDocument(request: {
    merchantProfileId: number;
    document: DocumentRef;
    description: string;
  }): Promise<Warned>;
  /**
   * Reads status and notes, and says that these notes are answered, when the partner lists one of them and takes answers.
   * Sent at most once. `before` is what was read; `delivered` is false when nothing was sent because of it.
   */
  requestUnderwritingReview(request: {
    merchantProfileId: number;
    comment?: string;
    noteIds: readonly string[];
  }): Promise<{ delivered: boolean; before: StatusSnapshot } & Warned>;
}
