import type { FieldProblem } from '../partners/partner-error.js';
import type {
  AddressChange,
  EnsuredWebhook,
  SavedStatement,
  StatementRequest,
  WebhookRequest,
} from './banking-activities.js';
import type { Unfinished } from './onboarding-state.js';

/** The single operations at the banking partner, each named like its command: what it asks for, and what it returns. */
export interface PartnerOperations {
  /** E8. Irreversible. */
  'close-card': {
    readonly request: {
      readonly paymentCardId: string;
      /** The last four digits on the card, which the partner compares. */
      readonly last4: string;
      /** At most 600 characters. */
      readonly notes?: string;
    };
    readonly result: { readonly paymentCardId: string };
  };
  /** E4. `null` clears the nickname. */
  'card-nickname': {
    readonly request: { readonly paymentCardId: string; readonly nickName: string | null };
    readonly result: { readonly paymentCardId: string; readonly last4: string | null };
  };
  /** E3. With a `secureOperationType` and no valid `oneTimeCode`, the workflow asks a person for the code of 6 digits. */
  'change-address': {
    readonly request: AddressChange;
    readonly result: object;
  };
  /** E15. */
  'restore-sub-user': {
    readonly request: { readonly subUserId: number };
    readonly result: { readonly subUserId: number; readonly note?: string };
  };
  /** E13. Creates the webhooks that are missing, and leaves those that exist. */
  'ensure-webhooks': {
    readonly request: { readonly webhooks: readonly WebhookRequest[] };
    readonly result: { readonly webhooks: readonly EnsuredWebhook[] };
  };
  /** E10. Saves a statement in the statement store, and sends it by email when the request has an address. */
  statement: {
    readonly request: StatementRequest;
    readonly result: SavedStatement & { readonly emailed: boolean };
  };
}

/** The name of an operation, the same as its command's. */
export type OperationName = keyof PartnerOperations;

/** The request of an operation. */
export type OperationRequest<Name extends OperationName> = PartnerOperations[Name]['request'];

/** The result of an operation that is done. */
export type OperationResult<Name extends OperationName> = PartnerOperations[Name]['result'];

/** The input of `partnerOperation`. */
export interface PartnerOperationInput<Name extends OperationName = OperationName> {
  readonly operation: Name;
  readonly request: OperationRequest<Name>;
}

/** The outcome of a single operation at the banking partner. Outcomes are data, not failures. */
export type OperationOutcome<Result extends object = Readonly<Record<string, unknown>>> = Unfinished &
  (
    | ({ readonly outcome: 'done' } & Result)
    /** Rejected by the partner, or by the check of the input. Earlier steps keep their effect. */
    | { readonly outcome: 'rejected'; readonly problems: readonly FieldProblem[] }
    | { readonly outcome: 'abandoned'; readonly comment: string }
  );

const PURPOSES: { readonly [Name in OperationName]: (request: OperationRequest<Name>) => string } = {
  'close-card': ({ paymentCardId }) => `close card ${paymentCardId} for good`,
  'card-nickname': ({ paymentCardId, nickName }) =>
    `${nickName === null ? 'clear' : 'set'} the nickname of card ${paymentCardId}`,
  'change-address': () => 'change the address',
  'restore-sub-user': ({ subUserId }) => `restore sub-user ${subUserId}`,
  'ensure-webhooks': () => 'create the webhooks that are missing',
  statement: ({ period }) =>
    `save the statement of ${period === 'previous-month' ? 'the previous month' : period}`,
};

/** Describes an operation for people: `close card card-1001 for good`. */
export function purposeOf<Name extends OperationName>({
  operation,
  request,
}: PartnerOperationInput<Name>): string {
  return PURPOSES[operation](request);
}

/** The key of an operation in its workflow ID, which begins with its name: `close-card-card-1001`. */
export function operationKey(operation: OperationName, key: string): string {
  return `${operation}-${key}`;
}
