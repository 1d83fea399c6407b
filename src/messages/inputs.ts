import { z } from 'zod';
import { beneficialOwners } from '../partners/banking/holder.js';
import { accountHolder } from '../partners/banking/requests.js';
import { dollars } from '../partners/banking/rules.js';
import { feeChanges, merchantBasics, submitMerchantRequest } from '../partners/boarding/schemas.js';
import { furtherJson, text } from '../partners/field-schemas.js';
import { keepDigits } from '../partners/json.js';
import type { FieldProblem } from '../partners/partner-error.js';
import { PRIVATE_PATTERNS, type PrivateKind } from '../platform/privacy/masked.js';
import { didYouMean } from '../platform/settings/did-you-mean.js';
import { feePlanField, type ReadFeePlans, resolveFeePlan } from './fee-plans.js';
import { partsOfId } from './ids.js';
import { DEFAULT_DUE_IN_HOURS } from './requirements.js';

/** The identity numbers that a text visible to everyone must not contain. */
const IDENTITY_NUMBERS = [
  ['socialSecurityNumber', 'a social security number'],
  ['nineDigits', 'a social security number'],
  ['taxNumber', 'a tax number'],
] as const;

function without(kinds: readonly (readonly [PrivateKind, words: string])[]) {
  return (name: string, context: z.RefinementCtx): void => {
    const looksLike = kinds.find(([kind]) => PRIVATE_PATTERNS[kind].test(name))?.[1];
    if (looksLike !== undefined) context.addIssue(`contains what looks like ${looksLike}`);
  };
}

/** An `externalId` becomes part of a workflow ID, which everyone can see, so it must not contain personal data. */
export const externalId = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]*$/,
    'must have only letters, digits and . _ : - and start with a letter or digit',
  )
  .superRefine(without([...IDENTITY_NUMBERS, ['phoneNumber', 'a phone number']]))
  // An answer to this onboarding would go to the workflow with this ID.
  .refine((id) => !partsOfId(id), 'must not begin as a workflow id does, such as merchant-boarding-');

/**
 * A dba, by its partner's rule. It appears in a search attribute and in logs. Unlike an ID, it may look like a phone number,
 * because some business names do.
 */
export function dba(rule: z.ZodString = text): z.ZodString {
  return rule.superRefine(without(IDENTITY_NUMBERS));
}

/** A partner's ID of a merchant, an agent profile or boarding settings. Partners count from 1. */
export const partnerId = z.int32().min(1, 'must be an id at the partner, from 1 on');

/** About a thirtieth of a second, which no timer rounds to zero. */
const MIN_HOURS = 0.000_01;

/** The time that a person has to answer a requirement, in hours; at most a year. */
export const dueInHours = z
  .number()
  .min(MIN_HOURS, 'must be more than 0, in hours')
  .max(8_760, 'must be 8760 or less, in hours');

/** The time that people have to claim a requirement, in hours. After it, an event reports the requirement. Default: no event. */
export const unclaimedInHours = dueInHours.optional();

/**
 * The partner accounts in the settings of a process, and the values that an input may use in each.
 * @example { posNames: [], accounts: { acme: { posNames: ['Clover'] } } } satisfies KnownAccounts
 */
export interface KnownAccounts {
  /** Point-of-sale names of the unnamed account, besides `None` and `CustomPos`. */
  readonly posNames: readonly string[];
  /** The other accounts, by name. */
  readonly accounts: Readonly<Record<string, Pick<KnownAccounts, 'posNames'>>>;
  /** The fee plans that an input may name. Undefined if inputs are already resolved, as in a workflow. */
  readonly feePlans?: ReadFeePlans | undefined;
}

/** Only the unnamed account. */
export const NO_ACCOUNTS: KnownAccounts = { posNames: [], accounts: {} };

/** Picks the known accounts from a process's settings. */
export function knownAccounts({ posNames, accounts, feePlans }: KnownAccounts): KnownAccounts {
  const named = Object.entries(accounts).map(([name, own]) => [name, { posNames: own.posNames }] as const);
  return { posNames, accounts: Object.fromEntries(named), feePlans };
}

/**
 * Returns the accounts that a caller may use. A schema that knows only these rejects the others.
 *
 * @param own the names of the caller's accounts, '' for the unnamed account; undefined for all
 */
export function knownWithin(accountNames: KnownAccounts, own: readonly string[] | undefined): KnownAccounts {
  const { posNames, accounts, feePlans } = knownAccounts(accountNames);
  const named = Object.entries(accounts).filter(([name]) => own?.includes(name) ?? true);
  return { posNames, accounts: Object.fromEntries(named), feePlans };
}

/** A schema accepts an input without an account, which means the unnamed account. */
export function accountProblem(
  own: readonly string[] | undefined,
  account: string | undefined,
): FieldProblem | undefined {
  return (own?.includes(account ?? '') ?? true)
    ? undefined
    : { field: 'account', message: 'is required, because you may not use the account without a name' };
}

/** The schema of the field `account`: the name of a partner account. Default: the unnamed account. */
export function accountNameSchema({ accounts }: KnownAccounts) {
  const names = Object.keys(accounts);
  const rule =
    names.length === 0
      ? 'cannot be set, because GANGWAY_ACCOUNTS names no account'
      : `must be one of GANGWAY_ACCOUNTS: ${names.join(', ')}`;
  return z
    .string()
    .refine((name) => names.includes(name), { error: ({ input }) => rule + didYouMean(String(input), names) })
    .describe('Name of an account at the partners')
    .optional();
}

/** Returns the point-of-sale names of all accounts, for the schema of an input. */
function allPosNames({ posNames, accounts }: KnownAccounts): string[] {
  return [...new Set([posNames, ...Object.values(accounts).map((own) => own.posNames)].flat())];
}

/** Reports whether an account may use a point-of-sale name: it is the account's own, or no other account has it. */
function isPosOf({ posNames, accounts }: KnownAccounts, pos: string, account?: string): boolean {
  const own = account === undefined ? posNames : accounts[account]?.posNames;
  const isOfAny = allPosNames({ posNames, accounts }).includes(pos);
  return !isOfAny || own === undefined || own.includes(pos);
}

const POS_OF_ANOTHER = 'belongs to another account';

const lookupName = z.string().min(1);

/** All fields of v2 submit, checked before the merchant is created. Unknown fields can contain any JSON. */
export const application = submitMerchantRequest
  .extend({ merchantProfileId: z.never('is set by the workflow').optional() })
  .catchall(furtherJson);

/** The schema of a merchant to board, as people write it in a file (see examples/). */
export function merchantBoardingInput(accounts = NO_ACCOUNTS) {
  const input = z.strictObject({
    externalId,
    account: accountNameSchema(accounts),
    ...boardingFields(accounts),
  });
  return oneOfEach(input)
    .refine(({ account, merchant: { pos } }) => isPosOf(accounts, pos, account), {
      path: ['merchant', 'pos'],
      message: POS_OF_ANOTHER,
    })
    .check(resolveFeePlan(accounts.feePlans));
}

function boardingFields(accounts: KnownAccounts) {
  const merchant = merchantBasics(allPosNames(accounts));
  return {
    merchant: merchant.extend({ dba: dba(merchant.shape.dba) }),
    agentProfileId: partnerId.optional(),
    /** The name of an agent profile to look up. */
    agent: lookupName.optional(),
    boardingSettingsId: partnerId.optional(),
    /** The name of boarding settings to look up; `false` creates the merchant without boarding settings. */
    boardingSettings: z.union([lookupName, z.literal(false)]).optional(),
    /** The name of a fee plan. The client that starts the onboarding resolves it into `fees`. */
    feePlan: feePlanField(accounts.feePlans),
    /** Fees to change. The others stay as in the boarding settings. With a fee plan, the numbers that differ from it. */
    fees: feeChanges.optional(),
    /** The other fields of v2 submit, sent unchanged. */
    application: application.optional(),
    /** Version of the create operation. Default: v2; v1 is deprecated. */
    createVersion: z.enum(['v2', 'v1']).optional(),
    /** Imports this merchant instead of creating one. */
    merchantProfileId: partnerId.optional(),
    dueInHours: dueInHours.default(DEFAULT_DUE_IN_HOURS),
    unclaimedInHours,
  };
}

/** Rejects an ID together with a name, because they may belong to two different things. */
function oneOfEach<
  Schema extends z.ZodType<{
    agentProfileId?: number | undefined;
    agent?: string | undefined;
    boardingSettingsId?: number | undefined;
    boardingSettings?: string | false | undefined;
  }>,
>(schema: Schema): Schema {
  return schema
    .refine((input) => input.agentProfileId === undefined || input.agent === undefined, {
      path: ['agent'],
      message: 'cannot be combined with agentProfileId; give one of the two',
    })
    .refine((input) => input.boardingSettingsId === undefined || input.boardingSettings === undefined, {
      path: ['boardingSettings'],
      message: 'cannot be combined with boardingSettingsId; give one of the two',
    });
}

/**
 * A merchant to board.
 *
 * @interface
 */
export type MerchantBoardingInput = z.output<ReturnType<typeof merchantBoardingInput>>;

/**
 * A merchant to board, as a program writes it: fields with a default are optional.
 *
 * @interface
 */
export type MerchantToBoard = z.input<ReturnType<typeof merchantBoardingInput>>;

/**
 * The body of E7 (docs/partner-apis.md#banking) without the owners. `annualBusinessRevenue` is in whole US dollars, any int64 from
 * 0: a number or, beyond 2^53, a string of digits, because inputs are JSON.
 */
const businessHolder = accountHolder.extend({
  annualBusinessRevenue: dollars.transform(keepDigits).nullish(),
  doingBusinessAsName: dba(accountHolder.shape.doingBusinessAsName),
});

const businessFields = {
  holder: businessHolder,
  /** At most four, each with at least 25 percent. */
  beneficialOwners: beneficialOwners.optional(),
  /** Opens a financial account once the profile is approved, if there is none. */
  openFinancialAccount: z.boolean().optional(),
  dueInHours: dueInHours.default(DEFAULT_DUE_IN_HOURS),
  unclaimedInHours,
};

/** The schema of a business to onboard, as people write it in a file (see examples/). */
export function businessOnboardingInput(accounts = NO_ACCOUNTS) {
  return z.strictObject({
    externalId,
    account: accountNameSchema(accounts),
    ...businessFields,
    /** The merchant at the boarding partner. If the merchant already has a profile, that profile is used. */
    merchantProfileId: partnerId.optional(),
  });
}

/**
 * A business to onboard.
 *
 * @interface
 */
export type BusinessOnboardingInput = z.output<ReturnType<typeof businessOnboardingInput>>;

/**
 * A business to onboard, as a program writes it: fields with a default are optional.
 *
 * @interface
 */
export type BusinessToOnboard = z.input<ReturnType<typeof businessOnboardingInput>>;

/** The schema of a customer to onboard at both partners, as people write it in a file (see examples/). */
export function customerOnboardingInput(accounts = NO_ACCOUNTS) {
  return z
    .strictObject({
      externalId,
      /** The account of all parts. */
      account: accountNameSchema(accounts),
      boarding: oneOfEach(z.strictObject(boardingFields(accounts))).check(resolveFeePlan(accounts.feePlans)),
      business: z.strictObject(businessFields),
      /** What to do with the other part if the merchant or the business ends without success. */
      onDecline: z.enum(['continue', 'cancel-other']).default('continue'),
    })
    .refine(({ account, boarding }) => isPosOf(accounts, boarding.merchant.pos, account), {
      path: ['boarding', 'merchant', 'pos'],
      message: POS_OF_ANOTHER,
    });
}

/**
 * A merchant to board together with its business.
 *
 * @interface
 */
export type CustomerOnboardingInput = z.output<ReturnType<typeof customerOnboardingInput>>;

/**
 * A customer to onboard, as a program writes it: fields with a default are optional.
 *
 * @interface
 */
export type CustomerToOnboard = z.input<ReturnType<typeof customerOnboardingInput>>;

/**
 * Inputs of onboardings that exist at their partner, and that Gangway follows (`gangway import`). A followed onboarding creates,
 * changes and submits nothing by itself. It sends people's answers.
 */

const followedFields = {
  follow: z.literal(true),
  dueInHours: dueInHours.default(DEFAULT_DUE_IN_HOURS),
  unclaimedInHours,
};

const followedMerchantFields = {
  ...followedFields,
  merchantProfileId: partnerId,
  merchant: z.strictObject({ dba: dba() }),
  /** For searches, and for fairness between agents. */
  agentProfileId: partnerId.optional(),
  /** Only for a correction: the fees to change and submit. */
  fees: feeChanges.optional(),
  application: application.optional(),
};

const followedBusinessFields = {
  ...followedFields,
  profileId: partnerId,
  /** The business to compare the profile with. A correction adds the other fields, because only a complete holder is accepted. */
  holder: businessHolder.partial().required({ doingBusinessAsName: true }),
  beneficialOwners: beneficialOwners.optional(),
  openFinancialAccount: z.never('is not done for a followed business').optional(),
};

/** A merchant to follow. */
export function followedMerchantInput(accounts = NO_ACCOUNTS) {
  return z.strictObject({ externalId, account: accountNameSchema(accounts), ...followedMerchantFields });
}

/**
 * A merchant to follow.
 *
 * @interface
 */
export type FollowedMerchantInput = z.output<ReturnType<typeof followedMerchantInput>>;

/** A business to follow. */
export function followedBusinessInput(accounts = NO_ACCOUNTS) {
  return z.strictObject({
    externalId,
    account: accountNameSchema(accounts),
    ...followedBusinessFields,
    /** The merchant that must own the profile. */
    merchantProfileId: partnerId.optional(),
  });
}

/**
 * A business to follow.
 *
 * @interface
 */
export type FollowedBusinessInput = z.output<ReturnType<typeof followedBusinessInput>>;

/** A merchant to follow together with its business. */
export interface FollowedCustomerInput extends Pick<FollowedMerchantInput, 'externalId' | 'account'> {
  readonly boarding: Omit<FollowedMerchantInput, 'externalId' | 'account'>;
  readonly business: Omit<FollowedBusinessInput, 'externalId' | 'account' | 'merchantProfileId'>;
  readonly onDecline: 'continue';
}
