import type { z } from 'zod';
import type { AtMostOnce, IntentRecorded } from '../at-most-once/workflow.js';
import type { ProfilePhase } from '../partners/banking/phases.js';
import type { addressChange } from '../partners/banking/requests.js';
import type { FieldProblem } from '../partners/partner-error.js';
import type { ImportedRecord } from './activities.js';
import type { BusinessOnboardingInput } from './inputs.js';
import type { Pace } from './onboarding-state.js';

/** A banking profile and its open tickets, as one read returned them. */
export interface ProfileSnapshot {
  /** The partner's own name of the status, for people. `phase` decides. */
  readonly bankingStatus: string;
  readonly phase: ProfilePhase;
  readonly financialAccountId: string | null;
  readonly isLocked: boolean;
  readonly tickets: readonly OpenTicket[];
  /** The account cannot read tickets, so `tickets` says nothing. */
  readonly isWithoutTickets?: true;
}

export interface OpenTicket {
  readonly ticketId: number;
  /** A hash of the ticket's text, to notice changes. */
  readonly asks: string;
  readonly topic: string | null;
  readonly text: string;
  readonly updateFieldRequest: string | null;
}

/** The profile as last read; null before the first read. */
export type SeenProfile =
  | (Omit<ProfileSnapshot, 'tickets' | 'isWithoutTickets'> & {
      /** The hash of each open ticket's text, by ticket. */
      readonly tickets: Readonly<Record<number, string>>;
    })
  | null;

/** The partner's response to a holder: accepted, or with problems. */
export interface HolderVerdict {
  /** null when the partner created no profile. */
  readonly profileId: number | null;
  readonly financialAccountId: string | null;
  /** Empty when the partner accepted it. */
  readonly problems: readonly FieldProblem[];
}

/** A profile that was read and compared with a business. */
export interface InspectedProfile {
  readonly candidate: Candidate;
  readonly now: ProfileSnapshot;
}

/** The profile in the response to a submission. `now` is absent if the bank hides it. */
export type SubmittedProfile = Pick<InspectedProfile, 'candidate'> & Partial<InspectedProfile>;

export type HolderRequest = Pick<BusinessOnboardingInput, 'holder' | 'beneficialOwners'>;

/** The facts that identify a business. */
export interface BusinessIdentity {
  readonly holder: Pick<BusinessOnboardingInput['holder'], 'doingBusinessAsName'> & {
    readonly legalBusinessName?: string | undefined;
    readonly employerIdentificationNumber?: string | undefined;
  };
  readonly merchantProfileId?: number;
}

export type BusinessToFind = HolderRequest & { readonly merchantProfileId?: number };

/** A profile that may belong to a business, with the result of comparing them. */
export interface Candidate {
  readonly profileId: number;
  readonly dba: string | null;
  readonly bankingStatus: string;
  /** For people, why it belongs to another business: `it belongs to merchant 7`. */
  readonly against: readonly string[];
  /** IDs of other onboardings that have it, running or not. */
  readonly owners: readonly string[];
  /** Needed facts that the partner hides: `its EIN is not shown`. */
  readonly unclear: readonly string[];
  /** Its tax number matches, and only names may differ. */
  readonly isNamesOnly?: true;
  /** The bank hides it. All that is known is that another onboarding has it. */
  readonly isHidden?: true;
}

/**
 * The partner's response to a holder. If the merchant already has a profile, or a refused submission created one, that profile, and
 * nothing was sent.
 */
export type Submission =
  | (HolderVerdict & {
      /** The profiles with the same dba or merchant just before the submission. */
      readonly baseline: readonly number[];
      /** The profile right after, reserved if no evidence is against it; absent if it could not be read. */
      readonly now?: SubmittedProfile;
    })
  | { readonly existing: Candidate; readonly isSaved?: true };

/** A submission that the partner refused but may have saved. */
export interface RefusedSubmission {
  readonly dba: string;
  readonly baseline: readonly number[];
  /** The profile in the refusal. */
  readonly profileId?: number;
}

export interface UnmatchedTicket extends OpenTicket {
  /** ISO 8601, as the partner wrote it. */
  readonly createdDate: string | null;
  readonly userProfileId: number | null;
  readonly parentTicketId: number | null;
}

/**
 * The worker's calls to the banking partner. A failed call arrives as an `ApplicationFailure` of type `PartnerError` with
 * `PartnerErrorDetails` as its only detail.
 */
export interface BankingActivities {
  /**
   * E7, unless the merchant already has a profile that is not `declined` (E5), or a refused submission created one (E9). Sent at
   * most once. Reads the profile in the response and reserves it, unless evidence is against it. The baseline of a failure contains
   * the profiles with the same dba (E9) and merchant just before.
   */
  submitHolder(
    request: BusinessToFind & {
      since: string;
      declined?: readonly number[];
      refused?: readonly RefusedSubmission[];
    },
  ): AtMostOnce<Submission>;
  /** Reserves a profile from a response, as {@link submitHolder} does. `since`: when the submission began (ISO 8601). */
  reserveSubmittedProfile(
    request: BusinessToFind & { profileId: number; since: string },
  ): Promise<SubmittedProfile>;
  /** Finds profiles with the same merchant (E5) or dba (E9, ignoring case) that are not in the `baseline`. */
  findCandidates(request: BusinessToFind & { baseline: readonly number[] }): Promise<readonly Candidate[]>;
  /** Compares one profile with the business; null if this account sees no such profile (404, 403). */
  examineProfile(request: BusinessIdentity & { profileId: number }): Promise<Candidate | null>;
  /**
   * Reads a profile to follow, as {@link examineProfile} and the first status poll would. `workflowId` is the onboarding that will
   * follow it.
   */
  inspectProfile(
    request: BusinessIdentity & { profileId: number; workflowId: string },
  ): Promise<InspectedProfile | null>;
  /** Replaces the holder of a profile. Idempotent. A cancellation waits for it. Nudges the status poll afterwards. */
  correctHolder(request: HolderRequest & { profileId: number }): IntentRecorded<HolderVerdict>;
  /** Reads a profile. Then nudges the status poll, which may have missed the change. */
  readProfile(request: { profileId: number }): Promise<ProfileSnapshot>;
  /** Reserves a profile. Rejected if another running onboarding has it; takes it over from an ended one. */
  reserveProfile(record: ImportedRecord): Promise<void>;
  /** Returns after the first read that differs from `seen`, even if that takes days. Adds nothing to the history. */
  awaitProfileChange(request: {
    profileId: number;
    seen: SeenProfile;
    pace?: Pace | undefined;
  }): Promise<{ snapshot: ProfileSnapshot; isFirst: boolean }>;
  /** Opens a financial account, unless there is one by now. Sent at most once. `problems` has the reasons for a refusal. */
  openFinancialAccount(request: {
    profileId: number;
  }): AtMostOnce<{ financialAccountId: string | null; problems: readonly FieldProblem[] }>;
  /**
   * Answers a ticket with a new ticket that names it as parent. Sent at most once. The baseline of an `Uncertain` failure contains
   * the replies just before. Nudges the status poll afterwards.
   */
  replyToTicket(request: {
    ticketId: number;
    topic: string | null;
    text: string;
    /** The profile of the onboarding that replies; absent if an account replies. */
    profileId?: number;
  }): AtMostOnce<{ replyId: number }>;
  /** Finds the reply with this text to a ticket that is not in the `baseline`; null if there is none. */
  findReply(request: { ticketId: number; text: string; baseline: readonly number[] }): Promise<number | null>;
  /**
   * Returns the new and unresolved tickets (E6) that no running onboarding of this account shows, because no onboarding has their
   * profile, or the profile is unknown. Waits for the first read that differs from `seen`, even if that takes days. Adds nothing to
   * the history.
   */
  awaitUnmatchedTickets(request: {
    /** The hash of each ticket's text, by ticket; null to return after the first read. */
    seen: Readonly<Record<number, string>> | null;
    pace?: Pace | undefined;
  }): Promise<{ snapshot: readonly UnmatchedTicket[]; isFirst: boolean }>;

  /** E8. Sent at most once. */
  closeCard(request: {
    paymentCardId: string;
    last4: string;
    notes?: string;
  }): AtMostOnce<{ problems: readonly FieldProblem[] }>;
  /** Reports whether the card is closed; null if this account cannot see it. */
  isCardClosed(request: { paymentCardId: string }): Promise<boolean | null>;
  /** E3. Idempotent; with a one-time code, which is valid for one call, it is sent at most once. */
  changeAddress(request: { change: AddressChange }): IntentRecorded<void>;
  /** E4. Idempotent. */
  setCardNickname(request: {
    paymentCardId: string;
    nickName: string | null;
  }): Promise<{ last4: string | null }>;
  /**
   * E15. Idempotent. The partner responds with 404 if the sub-user is already restored. `afterLostCall` is true if an earlier call,
   * whose response was lost, most likely restored it.
   */
  restoreSubUser(request: { subUserId: number }): IntentRecorded<{ afterLostCall: boolean }>;
  /** E13. Idempotent. */
  ensureWebhook(request: WebhookRequest): Promise<Pick<EnsuredWebhook, 'existed' | 'id'>>;
  /** E10. Streams a statement into the statement store. */
  saveStatement(request: Omit<StatementRequest, 'email'>): Promise<SavedStatement>;
  /** E10, without saving the file. The partner sends an email for each call, so it is sent at most once. */
  sendStatement(request: StatementRequest & { readonly email: string }): AtMostOnce<void>;
}

/** E3. */
export type AddressChange = Readonly<z.input<typeof addressChange>>;

/** A statement in the statement store. */
export interface SavedStatement {
  readonly fileName: string;
  readonly bytes: number;
  readonly format: string;
  /** For a CSV with dates outside the month: their number, and an example. */
  readonly warning?: string;
}

/** E13: one webhook. */
export interface WebhookRequest {
  readonly name: string;
  readonly url: string;
  readonly notificationType: string;
}

/** A registered webhook. */
export interface EnsuredWebhook extends WebhookRequest {
  /** Whether it was already registered. */
  readonly existed: boolean;
  readonly id: number | null;
}

/** E10. */
export interface StatementRequest {
  /** A month: `2026-01`. */
  readonly period: string;
  readonly financialAccountIds: readonly string[];
  readonly fileFormat: 'PDF' | 'CSV' | 'QBO' | 'OFX';
  /** The partner also sends the statement to this address. */
  readonly email?: string;
}
