import type { MerchantPhase } from '../partners/boarding/phases.js';
import type { FieldProblem } from '../partners/partner-error.js';
import type { MerchantBoardingInput } from './inputs.js';
import type { Pace } from './onboarding-state.js';
import type { DocumentRef } from './requirements.js';

/** A merchant's status and open notes, as one read of them gave. */
export interface StatusSnapshot {
  /** The partner's own name of it, which is shown and compared, and decides nothing. */
  readonly status: string;
  readonly phase: MerchantPhase;
  /** ISO 8601, as the partner wrote it. */
  readonly statusDate: string | null;
  readonly comment: string | null;
  /** 1 to 20 digits. Possibly a temporary one: final only when `phase` is approved. */
  readonly mid: string | null;
  /** What the partner has in place of a mid, and is none: text of another form. */
  readonly unclearMid: string | null;
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
  readonly phase: MerchantPhase | null;
  readonly status?: string;
  readonly statusDate?: string | null;
  readonly comment?: string | null;
  readonly mid?: string | null;
  readonly unclearMid?: string | null;
  readonly noteIds?: readonly string[];
  /** In place of `noteIds`, where the partner changes its notes with each read. */
  readonly noteCount?: number;
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

/** What became of a submission, and the status that made it moot, or that was there just before. */
export interface Submission extends Pick<StatusSnapshot, 'status' | 'phase'> {
  readonly submitted: boolean;
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
   * Reads the status, and submits an application that can be submitted. Sent at most once. Status and phase are those
   * before; `submitted` is false when nothing was sent because of them.
   */
  submitMerchant(request: {
    merchantProfileId: number;
    application: NonNullable<MerchantBoardingInput['application']>;
  }): Promise<Submission & Warned>;
  /** Nudges the status poll afterwards, which may not know yet. */
  readStatus(request: { merchantProfileId: number }): Promise<StatusSnapshot>;
  /** Reads the status of a merchant before it is adopted, and finds another boarding of this account that has it. */
  inspectMerchant(request: {
    merchantProfileId: number;
    taskQueue: string;
  }): Promise<
    Pick<StatusSnapshot, 'status' | 'phase'> & { owner?: { workflowId: string; isRunning: boolean } }
  >;
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
