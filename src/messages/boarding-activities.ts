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
  /** 1 to 20 digits. It may be a temporary one: it is final only when `phase` is approved. */
  readonly mid: string | null;
  /** Text of another form that the partner has in place of a mid. */
  readonly unclearMid: string | null;
  readonly notes: readonly Note[];
  /** The account cannot read notes, so there may be any. */
  readonly isWithoutNotes?: true;
}

/** An underwriting note. The partner gives it no id: `id` is a hash of what stays of its text, and of its place among notes alike. */
export interface Note {
  readonly id: string;
  readonly text: string;
  readonly author: string | null;
  readonly date: string | null;
  /** This entry represents that many further notes. */
  readonly more?: number;
}

/** The merchant as the workflow last saw it. Absent fields are not compared. */
export interface SeenStatus {
  /** null when nothing was read yet. */
  readonly phase: MerchantPhase | null;
  readonly status?: string;
  readonly statusDate?: string | null;
  readonly comment?: string | null;
  readonly mid?: string | null;
  readonly unclearMid?: string | null;
  readonly noteIds?: readonly string[];
  /** Used instead of `noteIds` when the partner changes its notes with each read. */
  readonly noteCount?: number;
}

/** Agent profile and boarding settings: by id, by name, or the only ones. */
export type ReferenceRequest = Pick<
  MerchantBoardingInput,
  'agentProfileId' | 'agent' | 'boardingSettingsId' | 'boardingSettings'
>;

/** The partner's warnings in the response to a write (docs/partner-apis.md#merchant-boarding-rules), one line of text each. */
export interface Warned {
  readonly warnings?: readonly string[];
}

/** The result of a submission, and the status just before, which may have made it unnecessary. */
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
  /** ISO 8601: when the create was decided on. A status from before is that of another merchant. */
  readonly since: string;
  /** While the partner shows one of these, no other one is created. */
  readonly saved: readonly SavedMerchant[];
}

/** A merchant that a refused create has named, and when that was decided on. */
export interface SavedMerchant {
  readonly id: number;
  readonly since: string;
}

/** Nothing was sent: a person chooses, or the partner has saved what it refused. */
export interface NotCreated {
  readonly problems: readonly FieldProblem[];
  readonly saved?: readonly number[];
}

/** The merchant that a response named. It may have been there before. */
export interface CreatedMerchant extends Warned {
  readonly merchantProfileId: number;
  /** ISO 8601: when the partner responded, by its own clock. Absent if it does not say. */
  readonly respondedAt?: string;
  readonly agentProfileId: number;
  /** The reasons why it is not known to be new, for people. Empty once it is reserved; absent when that was not found out. */
  readonly now?: readonly string[];
}

export interface Delivery {
  /** False when what was read does not allow the request. */
  readonly delivered: boolean;
  /** What was read before it. */
  readonly before: StatusSnapshot;
  /** It shows a note that nobody was asked about. */
  readonly isIncomplete?: true;
}

export interface MerchantOwner {
  readonly workflowId: string;
  readonly isRunning: boolean;
  /** undefined when it cannot be read. It may be masked. */
  readonly dba: string | undefined;
}

/**
 * The worker's calls in a merchant boarding. A failed call arrives as an `ApplicationFailure` of type `PartnerError` with {@link
 * PartnerErrorDetails} as its only detail.
 */
export interface BoardingActivities {
  /**
   * Finds agent profile and boarding settings, creates the merchant with them, and reserves it. Sent at most once.
   */
  createMerchant(request: CreateMerchantRequest): AtMostOnce<CreatedMerchant | NotCreated>;
  /** Reserves a merchant that a create has returned, as {@link createMerchant} does: see `now` there. */
  reserveCreatedMerchant(
    request: Pick<CreatedMerchant, 'merchantProfileId' | 'respondedAt'> & { since: string },
  ): Promise<readonly string[]>;
  /** Reads the fees. Sets those that `changes` names and that differ, reads them back, and returns what still differs. */
  changeFees(request: {
    merchantProfileId: number;
    changes: NonNullable<MerchantBoardingInput['fees']>;
  }): Promise<{ changed: number; differing: readonly FieldProblem[] } & Warned>;
  /**
   * Reads the status, submits the application in one of these phases, and reads the status again. Sent at most once. `status` and
   * `phase` are those before; `submitted` is false in any other phase.
   */
  submitMerchant(request: {
    merchantProfileId: number;
    phases: readonly MerchantPhase[];
    application: NonNullable<MerchantBoardingInput['application']>;
  }): AtMostOnce<Submission & Warned>;
  /**
   * Reads again where notes of `seen` are gone. Nudges the status poll afterwards, which may not have seen the change. Waits until
   * notes can be read if the caller needs them.
   */
  readStatus(request: {
    merchantProfileId: number;
    seen: SeenStatus;
    needsNotes?: boolean;
  }): Promise<StatusSnapshot>;
  /** Reads a merchant that is to be imported, and finds another boarding that has reserved it, running or not. */
  inspectMerchant(request: {
    merchantProfileId: number;
    /** The boarding that is to import it. */
    workflowId: string;
  }): Promise<{ now: StatusSnapshot; owner?: MerchantOwner }>;
  /** Reserves the merchant, and is rejected if another running boarding has it. Takes it over from one that has ended. */
  reserveMerchant(record: ImportedRecord): Promise<void>;
  /** Returns after the first read that differs from `seen`, even if that takes days. Costs no history. */
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
   * Reads status and notes, and requests a review if the partner lists one of these notes, lists none that nobody was asked about,
   * and accepts answers. Sent at most once.
   */
  requestUnderwritingReview(request: {
    merchantProfileId: number;
    comment?: string;
    noteIds: readonly string[];
    /** Notes that were answered before. Absent while the IDs of notes change with each read, so that each looks like a new one. */
    deliveredIds?: readonly string[];
  }): AtMostOnce<Delivery & Warned>;
}
