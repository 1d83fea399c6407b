import { z } from 'zod';
import {
  absent,
  byName,
  documentedText,
  idNumber,
  idText,
  isAmong,
  list,
  needed,
  open,
  optionalId,
  rowId,
  someCode,
  someDateTime,
  someFlag,
  someId,
  someIdNumber,
  someInt64,
  someName,
  someNumber,
  someText,
  sometimes,
  statusName,
} from '../field-schemas.js';
import { type ProfilePhase, UNKNOWN_STATUS } from './phases.js';

/**
 * The partner's responses (docs/partner-apis.md#banking). Unknown fields and enumeration values are kept. Absent fields read as
 * null.
 */

/** An object whose fields are not needed, or not in the contract. */
const someObject = absent(z.looseObject({}));

/** E1 and E2. `expiration` is ISO 8601, about ten minutes after issuance. */
export const tokenResponse = z.looseObject({
  /** Sent in a header. */
  token: needed(z.string().regex(/^[\x21-\x7e]+$/, 'must be one word of visible ASCII')),
  expiration: needed(someDateTime),
  /** Version 1 leaves it out. */
  userId: sometimes(someCode),
});

/** Numbers in the record of a card (docs/partner-apis.md#banking-rules), names in lists (#banking-assumptions). */
const CARD_STATUSES = ['0', '1', '2', '3', 'ACTIVATION_REQUIRED', 'ACTIVE', 'SUSPENDED', 'CLOSED'];

/** Payment card record. Spending is in cents. `type`: 1 Physical, 2 Virtual, 3 Burner. `status`: 1 Active, 2 Suspended, 3 Closed. */
export const paymentCard = z.looseObject({
  paymentCardId: needed(documentedText(idText)),
  userProfileId: someIdNumber,
  paymentCardName: someText,
  maxTotalSpending: someInt64,
  maxTransactionsCount: someNumber,
  totalSpending: someInt64,
  totalTransactionsCount: someNumber,
  type: someCode,
  expirationDate: someDateTime,
  active: someFlag,
  last4: needed(someText),
  bin: someText,
  network: someText,
  formFactor: someText,
  status: needed(statusName(someCode, CARD_STATUSES)),
  partnerId: someNumber,
  authorizationControls: list(z.unknown()),
  cardProfileSetId: documentedText(someId),
  financialAccountId: documentedText(someId),
  cardProfileSet: someObject,
  syncSubDate: someDateTime,
  reissuedCardId: documentedText(someId),
});

/** A list, either bare or in pages (docs/partner-apis.md#banking-assumptions). `totalCount` is null if absent. */
const pageOf = <T extends z.ZodType>(record: T) =>
  z
    .union([
      z.array(record).transform((records) => ({ totalCount: null, records })),
      z.looseObject({
        totalCount: someNumber,
        errorMessage: sometimes(z.string().nullish()),
        records: needed(list(record)),
      }),
    ])
    .nullish()
    .transform((page) => page ?? { totalCount: 0, records: [] });

export const paymentCards = pageOf(paymentCard);

/** The common fields of a personal holder, a primary authorized person and an owner. The partner masks `ssn`: XXX-XX-XXXX. */
const person = {
  createdDate: someDateTime,
  updatedDate: someDateTime,
  email: someText,
  givenName: someText,
  familyName: someText,
  middleName: someText,
  ssn: someText,
  dateOfBirth: someDateTime,
  streetAddress: someText,
  extendedAddress: someText,
  postalCode: someText,
  locality: someText,
  state: someNumber,
  countryCodeAlpha3: someText,
};

/** A business account holder, as read. `annualBusinessRevenue` is in cents, see `holder.ts`. */
export const businessHolderRecord = z.looseObject({
  id: someInt64,
  ...person,
  phone: someText,
  percentageOwnership: someNumber,
  authorizingPersonTitle: someCode,
  legalBusinessName: needed(someText),
  doingBusinessAsName: needed(someText),
  website: someText,
  businessType: someCode,
  businessPhone: someText,
  employerIdentificationNumber: needed(someText),
  primaryAuthorizedPersonId: documentedText(someId),
  primaryAuthorizedStreetAddress: someText,
  primaryAuthorizedExtendedAddress: someText,
  primaryAuthorizedPostalCode: someText,
  primaryAuthorizedLocality: someText,
  primaryAuthorizedState: someNumber,
  businessStartDate: someDateTime,
  annualBusinessRevenue: someInt64,
  payrollCustomer: someFlag,
  owners: list(
    z.looseObject({
      // The contract does not show its type.
      id: someCode,
      ...person,
      phoneNumber: someText,
      percentageOwnership: someNumber,
      businessAccountId: someInt64,
      ownerType: someCode,
    }),
  ),
  merchantProfileId: needed(someIdNumber),
});

/**
 * The status names that Gangway acts on, of the twelve in docs/partner-apis.md#banking-rules. With any other name, Gangway shows it
 * and waits for the next. No other file depends on a status name.
 */
export const PROFILE_NEW = 'New';
export const APPROVED_UW = 'ApprovedUW';
export const PROFILE_CLOSED = 'Closed';
export const CANCELLED = 'Cancelled';
export const DENIED = 'Denied';
export const PROFILE_APPROVED = 'Approved';
export const AUTO_APPROVED_UW = 'AutoApprovedUW';

const BANKING_STATUSES = [
  PROFILE_NEW,
  'Submitted',
  'PendingUW',
  APPROVED_UW,
  PROFILE_CLOSED,
  CANCELLED,
  'Pending_Review',
  DENIED,
  PROFILE_APPROVED,
  'Pending',
  'InReview',
  AUTO_APPROVED_UW,
];

/** Banking profile record. `bankingStatus` is open; only business profiles have a `businessAccountHolder`. */
export const bankingProfile = z.looseObject({
  id: needed(idNumber),
  createdDate: needed(someDateTime),
  updatedDate: someDateTime,
  userProfileId: needed(someIdNumber),
  step: someCode,
  accountHolderInformation: absent(z.looseObject({ id: someInt64, ...person, phone: someText })),
  businessAccountHolder: needed(absent(businessHolderRecord)),
  isSubmitted: someFlag,
  accountHolderId: documentedText(someId),
  nickName: someText,
  cardProductId: documentedText(someId),
  openApplicationId: documentedText(someId),
  financialAccountId: needed(documentedText(someId)),
  applicationStatus: someCode,
  bankingStatus: needed(statusName(documentedText(someName), BANKING_STATUSES)),
  applicationDate: someDateTime,
  approvalDate: someDateTime,
  isDeleted: someFlag,
  isLocked: needed(someFlag),
  isAccessLocked: someFlag,
  isMfaEnabled: someFlag,
  isOtpEnabled: someFlag,
  agentPayoutProfileId: someIdNumber,
  salesRepresentativeId: someIdNumber,
  rewordType: someCode,
  isNew: someFlag,
  isExceptional: someFlag,
  profileSettings: someObject,
  applicationCreationType: someCode,
  exceptionalTemplateId: someNumber,
  profileType: someCode,
  accountType: someCode,
  employer: someObject,
  lockFinancialAccountId: documentedText(someId),
  agreements: list(z.unknown()),
});

/**
 * Boarding response (E7, E8). The status is 200 even for a refusal: then `success` is false, and `errors` has the reasons. The
 * caller must check `success`, because the client does not turn it into a failure.
 */
export const boardingResponse = z.looseObject({
  profileId: needed(someIdNumber),
  success: needed(z.boolean()),
  errors: needed(absent(z.union([z.string(), z.array(z.string()).transform((errors) => errors.join('; '))]))),
  changeLog: list(z.looseObject({ requestType: someCode, changes: someText })),
  /** Present if a financial account was also opened. */
  financialAccountId: needed(sometimes(optionalId)),
});

const UPDATE_FIELD_REQUESTS = [
  'Email',
  'Phone',
  'Address',
  'PrimAuthEmail',
  'PrimAuthPhone',
  'PrimAuthAddress',
  ...['Email', 'Phone', 'Address'].flatMap((field) => [1, 2, 3, 4].map((owner) => `Owner${owner}${field}`)),
  'Employer',
  'EmployerIdentificationNumber',
  'BusinessStartDate',
  'DateOfBirth',
  'Ssn',
  'GivenName',
  'MiddleName',
  'FamilyName',
  'DoingBusinessAsName',
  'LegalBusinessName',
  'LoanApprove',
];

/** Ticket. `updateFieldRequest` is the profile field that the ticket is about, if any. */
export const ticket = z.looseObject({
  ticketId: needed(rowId),
  createdDate: needed(someDateTime),
  status: someText,
  text: needed(someText),
  topic: needed(someText),
  topicId: someNumber,
  userProfileId: needed(someIdNumber),
  parentTicketId: needed(someIdNumber),
  updateFieldRequest: needed(someName.describe(`Among others ${UPDATE_FIELD_REQUESTS.join(', ')}`)),
});
export const tickets = list(ticket);

const RESOLVED = ['Resolved', 'Closed', 'Solved', 'Done'];

/** Reports whether a ticket asks nothing more. The contract names no status, and a list of new tickets can keep some that are not. */
export const isResolved = ({ status }: Ticket): boolean => isAmong(RESOLVED, status ?? '');

export const foundBusinesses = list(z.looseObject({ id: needed(rowId), dba: needed(someText) }));
export const foundPeople = list(z.looseObject({ id: rowId, name: someText }));

/** The page boundaries of a list (E11). The query has no cursor field, so the next page cannot be requested. */
const pageInfo = z.looseObject({
  startCursor: someText,
  endCursor: someText,
  hasNextPage: someFlag,
  hasPreviousPage: someFlag,
});

/** E11. Amounts are in cents. */
export const externalActivity = z.looseObject({
  transferPageInfo: list(pageInfo),
  transactionPageInfo: absent(pageInfo),
  activity: list(open(z.looseObject({ id: someId }))),
});

/** Notification. `group` and `level` are open; `dateRead` is null while it is unread. */
export const notification = z.looseObject({
  id: rowId,
  createdDate: someDateTime,
  subject: someText,
  body: someText,
  group: someCode,
  level: someCode,
  dateRead: someDateTime,
  metaData: someObject,
});
export const notifications = list(notification);

/** E13. `exists` is true if the partner already had a webhook with this URL and type (409). */
export const createdWebhook = z.looseObject({
  success: needed(z.boolean()),
  exists: needed(sometimes(z.boolean().default(false).describe('Not on the wire: true stands for a 409'))),
  id: needed(someIdNumber),
});

export const webhooks = list(
  z.looseObject({ id: rowId, name: someText, url: someText, notificationType: someCode }),
);

export const departments = list(
  z.looseObject({
    id: rowId,
    name: someText,
    description: someText,
    creator: absent(z.looseObject({ id: someNumber, name: someText })),
    authorizedUserCount: someNumber,
  }),
);

export const financialAccounts = list(open(z.looseObject({ id: idText })));

/** Amounts are in cents. */
export const bankingTransactions = pageOf(z.looseObject({}));

export type BankingProfile = z.output<typeof bankingProfile>;
export type BoardingResponse = z.output<typeof boardingResponse>;
export type Ticket = z.output<typeof ticket>;

const PHASES: ReadonlyMap<string, ProfilePhase> = new Map([
  [PROFILE_NEW, 'new'],
  [PROFILE_APPROVED, 'approved'],
  [APPROVED_UW, 'approved'],
  [AUTO_APPROVED_UW, 'approved'],
  [DENIED, 'declined'],
  [PROFILE_CLOSED, 'closed'],
  [CANCELLED, 'withdrawn'],
]);

export function statusesOf(...phases: readonly ProfilePhase[]): string[] {
  return [...PHASES].flatMap(([status, phase]) => (phases.includes(phase) ? [status] : []));
}

/** Reports whether this status name is documented. A person must explain any other. */
export function isDocumentedProfileStatus(bankingStatus: string): boolean {
  return bankingStatus === UNKNOWN_STATUS || isAmong(BANKING_STATUSES, bankingStatus);
}

export function profilePhase(bankingStatus: string): ProfilePhase {
  return byName(PHASES, bankingStatus) ?? 'under-review';
}
