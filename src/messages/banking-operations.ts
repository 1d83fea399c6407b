import type { FieldProblem } from '../partners/partner-error.js';
import type { Unfinished } from './onboarding-state.js';

/** How a single operation at the banking partner ends. Outcomes are data, not failures. */
export type OperationOutcome<Result extends object = Readonly<Record<string, unknown>>> = Unfinished &
  (
    | ({ readonly outcome: 'done' } & Result)
    /** Refused by the partner, or by our own check of the input. What was done before the refused step stays done. */
    | { readonly outcome: 'rejected'; readonly problems: readonly FieldProblem[] }
    | { readonly outcome: 'abandoned'; readonly comment: string }
  );

/** E8. Irreversible. */
export interface CloseCardInput {
  readonly paymentCardId: string;
  /** The last four digits on the card: the partner compares them. */
  readonly last4: string;
  /** At most 600 characters. */
  readonly notes?: string;
}

/** E3. With a `secureOperationType` and no `oneTimeCode` that works, a person is asked for the code. */
export interface ChangeAddressInput {
  readonly streetAddress: string;
  readonly extendedAddress?: string | null;
  readonly postalCode: string;
  readonly city: string;
  readonly state: number;
  readonly secureOperationType?: 'ShortMessageCode' | 'TimeBasedCode' | 'LegacyTimeBasedCode';
  /** 6 digits, good for one call. */
  readonly oneTimeCode?: string;
  readonly associatedPersonId?: string;
}

/** E4. `null` clears the nickname. */
export interface SetCardNicknameInput {
  readonly paymentCardId: string;
  readonly nickName: string | null;
}

/** E15. */
export interface RestoreSubUserInput {
  readonly subUserId: number;
}

/** E13: one webhook. */
export interface WebhookRequest {
  readonly name: string;
  readonly url: string;
  readonly notificationType: string;
}

export interface EnsureWebhooksInput {
  readonly webhooks: readonly WebhookRequest[];
}

/** E10. */
export interface StatementRequest {
  /** A month: `2026-01`. */
  readonly period: string;
  readonly financialAccountIds: readonly string[];
  readonly fileFormat: 'PDF' | 'CSV' | 'QBO' | 'OFX';
  /** The partner sends the statement there as well. */
  readonly email?: string;
}

export interface GenerateStatementInput extends Omit<StatementRequest, 'period'> {
  /** A month, or the one before the day on which the workflow was to start. */
  readonly period: string | 'previous-month';
}

/** What can be listed (E6, E14, E12, E11, E9), as the request of each. Read by an activity of its own, without a workflow. */
export interface BankingLists {
  listTickets(request: { limit: number }): Promise<Listed>;
  listDepartments(request: { limit: number }): Promise<Listed>;
  /** Read to the end, or to `limit`. Dates are ISO 8601. */
  listNotifications(request: {
    limit: number;
    fromDate?: string;
    toDate?: string;
    level?: 'Info' | 'Warning';
    searchTerm?: string;
  }): Promise<Listed>;
  listExternalActivity(request: {
    limit: number;
    profileId: number;
    financialAccountId?: string;
    provider?: string;
    dateFrom?: string;
    dateTo?: string;
  }): Promise<Listed>;
  searchAccounts(request: {
    limit: number;
    dba?: string;
    agentIds?: number[];
    isoId?: number;
  }): Promise<Listed>;
}

/** Records as the partner has them. */
export interface Listed {
  readonly records: readonly Readonly<Record<string, unknown>>[];
  /** There was more than `limit`. */
  readonly more: boolean;
  /** The partner ended the list after a page and has more, which it cannot be asked for. */
  readonly isCutShort?: true;
}
