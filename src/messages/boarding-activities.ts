import type { AtMostOnce } from '../at-most-once/workflow.js';
import type { MerchantPhase } from '../partners/boarding/phases.js';
import type { FieldProblem } from '../partners/partner-error.js';
import type { ImportedRecord } from './activities.js';
import type { MerchantBoardingInput } from './inputs.js';
import type { Pace } from './onboarding-state.js';
import type { DocumentRef } from './requirements.js';

/** A merchant's status and open notes, as one read returned them. */
export interface StatusSnapshot {
  /** The partner's own name of the status, for people. `phase` decides. */
  readonly status: string;
  readonly phase: MerchantPhase;
  /** ISO 8601, as the partner wrote it. */
  readonly statusDate: string | null;
  readonly comment: string | null;
  /** 1 to 20 digits. It is final only if `phase` is `approved`. */
  readonly mid: string | null;
  /** The partner's mid if it has an unexpected form. */
  readonly unclearMid: string | null;
  readonly notes: readonly Note[];
  /** The account cannot read notes, so `notes` says nothing. */
  readonly isWithoutNotes?: true;
}

/**
 * An underwriting note. It has no ID at the partner: `id` hashes the stable part of its text and its position among equal notes.
 */
export interface Note {
  readonly id: string;
  readonly text: string;
  readonly author: string | null;
  readonly date: string | null;
  /** The number of further notes that this entry stands for. */
  readonly more?: number;
}

/** The merchant as last read. Absent fields are not compared. */
export interface SeenStatus {
  /** null before the first read. */
  readonly phase: MerchantPhase | null;
  readonly status?: string;
  readonly statusDate?: string | null;
  readonly comment?: string | null;
  readonly mid?: string | null;
  readonly unclearMid?: string | null;
  readonly noteIds?: readonly string[];
  /** Used instead of `noteIds` if note IDs change with each read. */
  readonly noteCount?: number;
}

/** Agent profile and boarding settings, by ID or name. Default: the only ones. */
export type ReferenceRequest = Pick<
  MerchantBoardingInput,
  'agentProfileId' | 'agent' | 'boardingSettingsId' | 'boardingSettings'
>;

/** The partner's warnings in the response to a write (docs/partner-apis.md#merchant-boarding-rules), one line of text each. */
export interface Warned {
  readonly warnings?: readonly string[];
}

/** The result of a submission, and the status just before it, which may have made it unnecessary. */
export interface Submission extends Pick<StatusSnapshot, 'status' | 'phase'> {
  readonly submitted: boolean;
  /** The status as read right after the submission, if that read succeeded. */
  readonly now?: StatusSnapshot;
}

export interface CreateMerchantRequest {
  readonly version: 'v1' | 'v2';
  readonly references: ReferenceRequest;
  readonly merchant: MerchantBoardingInput['merchant'];
  /** The `externalId`. */
  readonly guid: string;
  /** While the partner shows one of these, nothing is created. */
  readonly saved: readonly SavedMerchant[];
}

/** A merchant in the response to a refused create, and when that create began. */
export interface SavedMerchant {
  readonly id: number;
  readonly since: string;
}

/** Nothing was sent, because a person must choose, or the partner saved a create that it refused. */
export interface NotCreated {
  readonly problems: readonly FieldProblem[];
  readonly saved?: readonly number[];
}

/** The merchant in a response. The partner may already have had it. */
export interface CreatedMerchant extends Warned {
  readonly merchantProfileId: number;
  /** ISO 8601: the create was sent later, by the server's clock. A merchant with an older status is a different one. */
  readonly since: string;
  /** ISO 8601: when the partner responded, by its own clock. Absent if unknown. */
  readonly respondedAt?: string;
  readonly agentProfileId: number;
  /** For people, why it may not be new. Empty once it is reserved; absent if that could not be checked. */
  readonly now?: readonly string[];
}

export interface Delivery {
  /** False if the status did not allow the request. */
  readonly delivered: boolean;
  /** The read just before it. */
  readonly before: StatusSnapshot;
  /** The read shows a note that nobody was asked about. */
  readonly isIncomplete?: true;
}

export interface MerchantOwner {
  readonly workflowId: string;
  readonly isRunning: boolean;
  /** undefined if unreadable. It may be masked. */
  readonly dba: string | undefined;
}

/**
 * The worker's calls in a merchant boarding. A failed call arrives as an `ApplicationFailure` of type `PartnerError` with {@link
 * PartnerErrorDetails} as its only detail.
 */
export interface BoardingActivities {
  /** Looks up agent profile and boarding settings, creates the merchant with them, and reserves it. Sent at most once. */
  createMerchant(request: CreateMerchantRequest): AtMostOnce<CreatedMerchant | NotCreated>;
  /** Reserves a merchant that a create has returned, as {@link createMerchant} does. */
  reserveCreatedMerchant(
    request: Pick<CreatedMerchant, 'merchantProfileId' | 'since' | 'respondedAt'>,
  ): Promise<readonly string[]>;
  /** Reads the fees, sets those in `changes` that differ, reads them back, and returns the remaining differences. */
  changeFees(request: {
    merchantProfileId: number;
    changes: NonNullable<MerchantBoardingInput['fees']>;
  }): Promise<{ changed: number; differing: readonly FieldProblem[] } & Warned>;
  /**
   * Reads the status, submits the application if the phase is one of these, and reads the status again. Sent at most once. `status`
   * and `phase` are from the first read; `submitted` is false in any other phase.
   */
  submitMerchant(request: {
    merchantProfileId: number;
    phases: readonly MerchantPhase[];
    application: NonNullable<MerchantBoardingInput['application']>;
  }): AtMostOnce<Submission & Warned>;
  /**
   * Reads the status, a second time if notes of `seen` are gone. Then nudges the status poll, which may have missed the change. If
   * the caller needs the notes, waits until they can be read.
   */
  readStatus(request: {
    merchantProfileId: number;
    seen: SeenStatus;
    needsNotes?: boolean;
  }): Promise<StatusSnapshot>;
  /** Reads a merchant to import, and finds another boarding that has reserved it, running or not. */
  inspectMerchant(request: {
    merchantProfileId: number;
    /** The boarding that will import it. */
    workflowId: string;
  }): Promise<{ now: StatusSnapshot; owner?: MerchantOwner }>;
  /** Reserves a merchant. Rejected if another running boarding has it; takes it over from an ended one. */
  reserveMerchant(record: ImportedRecord): Promise<void>;
  /** Returns after the first read that differs from `seen`, even if that takes days. Adds nothing to the history. */
  awaitStatusChange(request: {
    merchantProfileId: number;
    seen: SeenStatus;
    pace?: Pace | undefined;
  }): Promise<{ snapshot: StatusSnapshot; isFirst: boolean }>;
  /** Sent at most once. */
  attachDocument(request: {
    merchantProfileId: number;
    document: DocumentRef;
    description: string;
  }): AtMostOnce<Warned>;
  /**
   * Reads status and notes. Requests a review if the partner accepts answers, lists one of these notes, and lists no new note. Sent
   * at most once.
   */
  requestUnderwritingReview(request: {
    merchantProfileId: number;
    comment?: string;
    noteIds: readonly string[];
    /** Notes with delivered answers. Absent while note IDs change with each read, because each note then looks new. */
    deliveredIds?: readonly string[];
  }): AtMostOnce<Delivery & Warned>;
}
