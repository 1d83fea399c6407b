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
  /** The account cannot read tickets, so there may be any. */
  readonly isWithoutTickets?: true;
}

export interface OpenTicket {
  readonly ticketId: number;
  /** A hash of what it asks: it changes when the partner changes the ticket. */
  readonly asks: string;
  readonly topic: string | null;
  readonly text: string;
  readonly updateFieldRequest: string | null;
}

/** The profile as the workflow last saw it; null before the first read. */
export type SeenProfile =
  | (Omit<ProfileSnapshot, 'tickets' | 'isWithoutTickets'> & {
      /** The hash of what each of its open tickets asks, by ticket. */
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

/** A profile as it was read, compared with a business. */
export interface InspectedProfile {
  readonly candidate: Candidate;
  readonly now: ProfileSnapshot;
}

/** The profile in the response to a submission. `now` is absent if the bank does not show it. */
export type SubmittedProfile = Pick<InspectedProfile, 'candidate'> & Partial<InspectedProfile>;

export type HolderRequest = Pick<BusinessOnboardingInput, 'holder' | 'beneficialOwners'>;

/** The facts that distinguish a business from others. */
export interface BusinessIdentity {
  readonly holder: Pick<BusinessOnboardingInput['holder'], 'doingBusinessAsName'> & {
    readonly legalBusinessName?: string | undefined;
    readonly employerIdentificationNumber?: string | undefined;
  };
  readonly merchantProfileId?: number;
}

export type BusinessToFind = HolderRequest & { readonly merchantProfileId?: number };

/** A profile at the partner that may belong to a business, compared with the facts that the partner shows. */
export interface Candidate {
  readonly profileId: number;
  readonly dba: string | null;
  readonly bankingStatus: string;
  /** The reasons why it belongs to another business, for people: `it belongs to merchant 7`. */
  readonly against: readonly string[];
  /** IDs of the other onboardings that have it, running or not. */
  readonly owners: readonly string[];
  /** The facts that the comparison needs and the partner does not show: `its EIN is not shown`. */
  readonly unclear: readonly string[];
  /** Its tax number agrees, and nothing but names may be against it. */
  readonly isNamesOnly?: true;
  /** The bank does not show it, and it is known only that another onboarding has it. */
  readonly isHidden?: true;
}

/**
 * The partner's response to a holder; or the profile that its merchant already has, or that a refused submission made, in which
 * case nothing was sent.
 */
export type Submission =
  | (HolderVerdict & {
      /** The profiles of the same dba and merchant just before. */
      readonly baseline: readonly number[];
      /** The profile right after, reserved if nothing is against it; absent when it could not be read. */
      readonly now?: SubmittedProfile;
    })
  | { readonly existing: Candidate; readonly isSaved?: true };

/** A submission that the partner refused, and perhaps saved. */
export interface RefusedSubmission {
  readonly dba: string;
  readonly baseline: readonly number[];
  /** The profile that the refusal names. */
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
   * E7, unless the merchant already has a profile (E5), or a refused submission has made one (E9), that is not `declined`. Sent at
   * most once. Reads the profile in the response and reserves it, unless something is against it. The baseline of a failure holds
   * the profiles of the same dba (E9) and merchant just before.
   */
  submitHolder(
    request: BusinessToFind & {
      since: string;
      declined?: readonly number[];
      refused?: readonly RefusedSubmission[];
    },
  ): AtMostOnce<Submission>;
  /** Reserves a profile that a submission has returned, as {@link submitHolder} does. `since`: when it was decided on (ISO 8601). */
  reserveSubmittedProfile(
    request: BusinessToFind & { profileId: number; since: string },
  ): Promise<SubmittedProfile>;
  /** The profiles of the same merchant (E5), or of the same dba in any case (E9), without those of the `baseline`. */
  findCandidates(request: BusinessToFind & { baseline: readonly number[] }): Promise<readonly Candidate[]>;
  /** One profile, compared with the business; null when there is none that this account may see (404, 403). */
  examineProfile(request: BusinessIdentity & { profileId: number }): Promise<Candidate | null>;
  /**
   * Reads a profile to follow: what {@link examineProfile} and the first status poll would read. `workflowId` is the onboarding that
   * is to follow it.
   */
  inspectProfile(
    request: BusinessIdentity & { profileId: number; workflowId: string },
  ): Promise<InspectedProfile | null>;
  /** Replaces the holder of a profile. May be repeated, and is never canceled halfway. Nudges the status poll afterwards. */
  correctHolder(request: HolderRequest & { profileId: number }): IntentRecorded<HolderVerdict>;
  /** Nudges the status poll afterwards, which may not have seen the change. */
  readProfile(request: { profileId: number }): Promise<ProfileSnapshot>;
  /** Reserves the profile, and is rejected if another running onboarding has it. Takes it over from one that has ended. */
  reserveProfile(record: ImportedRecord): Promise<void>;
  /** Returns after the first read that differs from `seen`, even if that takes days. Costs no history. */
  awaitProfileChange(request: {
    profileId: number;
    seen: SeenProfile;
    pace?: Pace | undefined;
  }): Promise<{ snapshot: ProfileSnapshot; isFirst: boolean }>;
  /** Opens none if there is one by now. Sent at most once. `problems` has the reasons why none was opened. */
  openFinancialAccount(request: {
    profileId: number;
  }): AtMostOnce<{ financialAccountId: string | null; problems: readonly FieldProblem[] }>;
  /**
   * Answers a ticket by another one that names it as parent. Sent at most once. The baseline of an `Uncertain` failure holds the
   * replies just before. Nudges the status poll afterwards.
   */
  replyToTicket(request: {
    ticketId: number;
    topic: string | null;
    text: string;
    /** The profile of the onboarding that replies; absent when an account does. */
    profileId?: number;
  }): AtMostOnce<{ replyId: number }>;
  /** The reply of this text to a ticket, other than those of the `baseline`; null when there is none. */
  findReply(request: { ticketId: number; text: string; baseline: readonly number[] }): Promise<number | null>;
  /**
   * The new and unresolved tickets (E6) that no running onboarding of this account shows: those of a profile that no onboarding
   * has, and those of an unknown profile. Returns after the first read that differs from `seen`, even if that takes days. Costs
   * no history.
   */
  awaitUnmatchedTickets(request: {
    /** The hash of what each of them asked, by ticket; null to return after the first read. */
    seen: Readonly<Record<number, string>> | null;
    pace?: Pace | undefined;
  }): Promise<{ snapshot: readonly UnmatchedTicket[]; isFirst: boolean }>;

  /** E8. Sent at most once. */
  closeCard(request: {
    paymentCardId: string;
    last4: string;
    notes?: string;
  }): AtMostOnce<{ problems: readonly FieldProblem[] }>;
  /** Reports whether the card is closed; null when it cannot be seen. */
  isCardClosed(request: { paymentCardId: string }): Promise<boolean | null>;
  /** E3. May be repeated; with a one-time code, which is valid for one call, it is sent at most once. */
  changeAddress(request: { change: AddressChange }): IntentRecorded<void>;
  /** E4. May be repeated. */
  setCardNickname(request: {
    paymentCardId: string;
    nickName: string | null;
  }): Promise<{ last4: string | null }>;
  /**
   * E15. May be repeated. The partner responds with 404 when the sub-user is already restored. `afterLostCall` is true when that
   * followed a call whose response was lost, because that call most likely restored it.
   */
  restoreSubUser(request: { subUserId: number }): IntentRecorded<{ afterLostCall: boolean }>;
  /** E13. May be repeated. */
  ensureWebhook(request: WebhookRequest): Promise<Pick<EnsuredWebhook, 'existed' | 'id'>>;
  /** E10. Streams a statement into the statement store. */
  saveStatement(request: Omit<StatementRequest, 'email'>): Promise<SavedStatement>;
  /** The same without saving it, and the partner sends a message for each call. Sent at most once. */
  sendStatement(request: StatementRequest & { readonly email: string }): AtMostOnce<void>;
}

/** E3. */
export type AddressChange = Readonly<z.input<typeof addressChange>>;

/** A statement in the statement store. */
export interface SavedStatement {
  readonly fileName: string;
  readonly bytes: number;
  readonly format: string;
  /** For a CSV with dates outside the month: how many, and one of them. */
  readonly warning?: string;
}

/** E13: one webhook. */
export interface WebhookRequest {
  readonly name: string;
  readonly url: string;
  readonly notificationType: string;
}

/** A webhook that the bank has. */
export interface EnsuredWebhook extends WebhookRequest {
  /** Whether it was registered before. */
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
