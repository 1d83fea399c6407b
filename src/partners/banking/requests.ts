import { z } from 'zod';
import { dateTime, email, httpsUrl, int32, text } from '../field-schemas.js';
import {
  dollars,
  ein,
  extendedAddress,
  oneTimeCode,
  phone,
  postalCode,
  secondFactor,
  ssn,
  state,
  streetAddress,
  tenDigits,
  zipCode,
} from './rules.js';

/** The one-time code of the second factor, and its source: both or neither (Authentication, 3). */
const codeFields = { smsCode: z.string().nullish(), typeOperation: secondFactor.nullish() };

const CODE_IS_COMPLETE = 'smsCode and typeOperation: both or neither';

function codeIsComplete(
  {
    smsCode,
    typeOperation,
  }: { smsCode?: string | null | undefined; typeOperation?: string | null | undefined },
  context: z.RefinementCtx,
): void {
  if (smsCode && !typeOperation) missing(context, 'typeOperation', 'smsCode');
  if (typeOperation && !smsCode) missing(context, 'smsCode', 'typeOperation');
}

function missing(context: z.RefinementCtx, field: string, other: string): void {
  context.addIssue({ code: 'custom', path: [field], message: `is required together with ${other}` });
}

const likev1 = z.boolean().optional();

const userForm = { nickName: text, password: text, tokenDevice: text, nameDevice: text };
const partnerForm = { NickName: text, Password: text, TokenDevice: text, NameDevice: text };

const userTokenRequest = z
  .strictObject({
    likev1,
    ...userForm,
    reCaptchaResponse: z.string().nullish(),
    ...codeFields,
    captcha: z.strictObject({ token: z.string().optional() }).optional(),
  })
  .superRefine(codeIsComplete)
  .describe(CODE_IS_COMPLETE);

const partnerTokenRequest = z
  .strictObject({
    likev1,
    ...partnerForm,
    ...codeFields,
  })
  .superRefine(codeIsComplete)
  .describe(CODE_IS_COMPLETE);

/** E1: the user form (with or without `captcha`), or the partner form with its capitalized names. */
export const tokenRequest = z.union([userTokenRequest, partnerTokenRequest]);

const completeCode = { smsCode: text, typeOperation: secondFactor };

/** The second factor alone (an assumption): either form of E1 with a required code. */
export const secondFactorRequest = z.union([
  z.strictObject({ ...userForm, ...completeCode }),
  z.strictObject({ ...partnerForm, ...completeCode }),
]);

/**
 * E3, in its three variants: the caller's own address, the same with a one-time code, and an associated person's address. One
 * object with rules across fields, so that a problem names its field.
 */
export const addressChange = z
  .strictObject({
    streetAddress,
    extendedAddress: extendedAddress.nullish(),
    postalCode,
    city: text,
    state,
    oneTimeCode: oneTimeCode.optional(),
    secureOperationType: secondFactor.optional(),
    associatedPersonId: text.optional(),
  })
  .superRefine((change, context) => {
    const { oneTimeCode, secureOperationType, associatedPersonId } = change;
    if (associatedPersonId !== undefined && (oneTimeCode ?? secureOperationType) !== undefined) {
      const message = 'cannot be combined with a one-time code';
      context.addIssue({ code: 'custom', path: ['associatedPersonId'], message });
    }
    if (oneTimeCode !== undefined && secureOperationType === undefined) {
      missing(context, 'secureOperationType', 'oneTimeCode');
    }
    if (secureOperationType !== undefined && oneTimeCode === undefined) {
      missing(context, 'oneTimeCode', 'secureOperationType');
    }
  })
  .meta({
    dependentRequired: { oneTimeCode: ['secureOperationType'], secureOperationType: ['oneTimeCode'] },
    dependentSchemas: { associatedPersonId: { properties: { oneTimeCode: false } } },
  });

/** E4. `null`, or no name at all, clears the nickname. */
export const cardNickname = z.strictObject({
  paymentCardId: text,
  nickName: z.string().max(18, 'must be at most 18 characters').nullish(),
});

export const byMerchant = z.strictObject({ merchantProfileId: int32 });

/** A beneficial owner in E7: `owner`, `owner2`, `owner3` or `owner4`. */
export const beneficialOwner = z.strictObject({
  firstName: text.max(255),
  lastName: text.max(255),
  middleName: z.string().max(255).nullish(),
  email: email,
  homePhone: tenDigits,
  ssn,
  dob: dateTime,
  homeAddress: text,
  extendedAddress: z.string().nullish(),
  city: text,
  state,
  zipCode,
  /** Percent. A beneficial owner has at least 25. */
  percentageOwnership: z.int().min(25).max(100),
});

/** E7 without the beneficial owners: primary authorized person and business. */
export const accountHolder = z.strictObject({
  email: email,
  givenName: text,
  familyName: text,
  middleName: z.string().nullish(),
  phone,
  ssn,
  dateOfBirth: dateTime,
  streetAddress: text,
  extendedAddress: extendedAddress.nullish(),
  city: text,
  postalCode,
  state,
  /** 0 None, 1 Mr, 2 Mrs, 3 Ms, 4 Dr, 5 Prof, 6 Other. */
  authorizingPersonTitle: z.int().min(0).max(6),
  primaryAuthorizedStreetAddress: text,
  primaryAuthorizedExtendedAddress: z.string().nullish(),
  primaryAuthorizedPostalCode: postalCode,
  primaryAuthorizedLocality: text,
  primaryAuthorizedState: state,
  legalBusinessName: text,
  doingBusinessAsName: text,
  employerIdentificationNumber: ein,
  businessPhone: phone,
  /** The authorizing person's share, in percent. */
  percentageOwnership: z.int().min(0).max(100),
  /** 0 Unknown, 1 SoleProprietorship, 2 Partnership, 3 Corporation, 4 LLC. */
  businessType: z.int().min(0).max(4).optional(),
  website: z.string().nullish(),
  businessStartDate: dateTime.nullish(),
  /** In whole US dollars. A profile that is read has it in cents (see `holder.ts`). */
  annualBusinessRevenue: dollars.nullish(),
  payrollCustomer: z.boolean().optional(),
  /** 0 Default, 1 Type1, 2 Type2, 3 Type3. */
  profileType: z.int().min(0).max(3).optional(),
});

/** E7 as sent. People instead write one list of owners: see `submissionOf` in `holder.ts`. */
export const businessAccountHolder = accountHolder.extend({
  owner: beneficialOwner.optional(),
  owner2: beneficialOwner.optional(),
  owner3: beneficialOwner.optional(),
  owner4: beneficialOwner.optional(),
});

/** E8. */
export const cardClosing = z.strictObject({
  paymentCardId: text,
  notes: z.string().max(600, 'must be at most 600 characters').optional(),
  /** Must match the card on record. */
  last4: z.string().optional(),
});

/** E9. */
export const businessSearch = z.strictObject({
  agentIds: z.array(int32).nullish(),
  isoId: int32.nullish(),
  /** The name or a part of it. */
  dba: z.string().nullish(),
  /** The maximum number of results. */
  count: int32.optional(),
});

/** E10. */
export const fullStatementRequest = z.strictObject({
  period: dateTime,
  financialAccountIds: z.array(text).min(1, 'must name an account'),
  /** The partner also sends the statement to this address. */
  email: email.optional(),
  fileFormat: z.enum(['PDF', 'CSV', 'QBO', 'OFX']).optional(),
});

/** E11. The contract leaves out the names of the two providers, which are in upper case. */
export const externalActivityRequest = z.strictObject({
  profileId: int32,
  financialAccountId: z.string().optional(),
  provider: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, 'must be in upper case')
    .optional(),
  dateFrom: dateTime.optional(),
  dateTo: dateTime.optional(),
});

const notificationGroup = z.enum(['Notifications', 'Messages', 'Campaigns', 'CardholderAgreement']);

/** E12. */
export const notificationQuery = z.strictObject({
  fromDate: dateTime.optional(),
  toDate: dateTime.optional(),
  level: z.enum(['Info', 'Warning']).optional(),
  group: notificationGroup.optional(),
  types: z.array(z.string()).optional(),
  categories: z
    .array(z.enum(['Cards', 'Deposits', 'WithdrawalsTransfers', 'Transactions', 'Other']))
    .optional(),
  searchTerm: z.string().optional(),
  /** Default of the partner: 0. */
  skip: int32.optional(),
  /** Default of the partner: 100. */
  take: int32.optional(),
});

/** E13: the topics of partner webhooks. The mixed spelling is the contract's. */
export const NOTIFICATION_TYPES = [
  'ApplicationStatus',
  'PaymentCardStatus',
  'PaymentCardAuthorization',
  'Ach',
  'AChOut',
  'InternalTransfers',
  'Fee',
  'LockUnlockProfile',
] as const;

export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

/** E13. */
export const webhook = z.strictObject({
  name: text.max(50, 'must be at most 50 characters'),
  url: httpsUrl,
  notificationType: z.enum(NOTIFICATION_TYPES),
});

/** E15. */
export const byId = z.strictObject({ id: int32 });
