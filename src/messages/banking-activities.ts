import type { FieldProblem } from '../partners/partner-error.js';
import type { StatementRequest, WebhookRequest } from './banking-operations.js';
import type { BusinessOnboardingInput } from './business-onboarding-input.js';

/** A banking profile and its open tickets, as one read of them gave. */
export interface ProfileSnapshot {
  readonly bankingStatus: string;
  readonly financialAccountId: string | null;
  readonly tickets: readonly OpenTicket[];
}

export interface OpenTicket {
  readonly ticketId: number;
  readonly topic: string | null;
  readonly text: string;
  /** The field of the profile that the partner asks about. */
  readonly updateFieldRequest: string | null;
}

/** What the workflow knows of a profile; null when nothing was read yet. */
export type SeenProfile = {
  readonly bankingStatus: string;
  readonly financialAccountId: string | null;
  readonly ticketIds: readonly number[];
} | null;

/** What the partner says to a holder: taken, or what is wrong with it. */
export interface HolderVerdict {
  /** null when the partner made no profile of it. */
  readonly profileId: number | null;
  readonly financialAccountId: string | null;
  /** Empty when it was taken. */
  readonly problems: readonly FieldProblem[];
}

export type HolderRequest = Pick<BusinessOnboardingInput, 'holder' | 'beneficialOwners'>;

/** What there is of a business before, or after, it is submitted. */
export interface ProfilesFound {
  /** The profile of the merchant (E5). */
  readonly ofMerchant: number | null;
  /** The profiles whose dba is the same, upper and lower case aside (E9). */
  readonly ofSameName: readonly number[];
}

/**
 * What the worker does at the banking partner. A failed call arrives as an `ApplicationFailure` of type `PartnerError`
 * with `PartnerErrorDetails` as its only detail.
 */
export interface BankingActivities {
  /** E5 and E9. Reads only; a merchant without a profile is no failure. */
  findProfiles(request: { merchantProfileId?: number; dba: string }): Promise<ProfilesFound>;
  /** E7. Sent at most once. */
  submitHolder(request: HolderRequest): Promise<HolderVerdict>;
  /** Replaces the holder of a profile. May be repeated. Nudges the status poll afterwards. */
  correctHolder(request: HolderRequest & { profileId: number }): Promise<HolderVerdict>;
  /** Nudges the status poll afterwards, which may not know yet. */
  readProfile(request: { profileId: number }): Promise<ProfileSnapshot>;
  /** Ends at the first read that differs from `seen`, however many days that takes. Costs no history. */
  awaitProfileChange(request: {
    profileId: number;
    seen: SeenProfile;
  }): Promise<{ snapshot: ProfileSnapshot; polls: number }>;
  /** Opens no second one, where there is one by now. Sent at most once. `problems` says why none was opened. */
  openFinancialAccount(request: {
    profileId: number;
  }): Promise<{ financialAccountId: string | null; problems: readonly FieldProblem[] }>;
  /** Answers a ticket by one that names it as parent. Sent at most once. Nudges the status poll afterwards. */
  replyToTicket(request: { ticketId: number; topic: string | null; text: string }): Promise<void>;
  /** Whether a ticket has such a reply. */
  hasReply(request: { ticketId: number; text: string }): Promise<boolean>;

  /** E8. Sent at most once. */
  closeCard(request: {
    paymentCardId: string;
    last4: string;
    notes?: string;
  }): Promise<{ problems: readonly FieldProblem[] }>;
  /** Whether the card is closed; null when it cannot be seen. */
  isCardClosed(request: { paymentCardId: string }): Promise<boolean | null>;
  /** E3. Leaves the same address however often it runs, but with a one-time code, which is good for one call, it is sent at most once. */
  changeAddress(request: { change: Readonly<Record<string, unknown>> }): Promise<void>;
  /** E4. May be repeated. */
  setCardNickname(request: {
    paymentCardId: string;
    nickName: string | null;
  }): Promise<{ last4: string | null }>;
  /**
   * E15. May be repeated. The partner responds with 404 for a sub-user that is restored already; `afterLostCall` is true
   * when it did so after a call whose response was lost, so that this call most likely restored it.
   */
  restoreSubUser(request: { subUserId: number }): Promise<{ afterLostCall: boolean }>;
  /** E13. May be repeated. */
  ensureWebhook(request: WebhookRequest): Promise<{ existed: boolean; id: number | null }>;
  /**
   * E10. Streams a statement into the statement store and answers where it is. May be repeated while there is no
   * `email`; with one, the partner sends a message for each call.
   */
  saveStatement(request: StatementRequest): Promise<SavedStatement>;
}

/** A statement in the statement store. */
export interface SavedStatement {
  readonly fileName: string;
  readonly bytes: number;
  readonly format: string;
}
