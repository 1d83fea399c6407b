import { z } from 'zod';
import { beneficialOwners } from '../partners/banking/holder.js';
import { accountHolder } from '../partners/banking/requests.js';
import { dollars } from '../partners/banking/rules.js';
import { feeChanges, merchantBasics, submitMerchantRequest } from '../partners/boarding/schemas.js';
import { furtherJson, text } from '../partners/fields.js';
import { keepingDigits } from '../partners/json.js';
import { newAccount, newTerminal } from '../partners/payments/schemas.js';
import { PRIVATE_PATTERNS, type PrivateKind } from '../privacy/private-values.js';
import { DEFAULT_DUE_IN_HOURS } from './requirements.js';

/** What must not be part of an id, not even beside other things. */
const NOT_IN_IDS: readonly (readonly [PrivateKind, words: string])[] = [
  ['socialSecurityNumber', 'a social security number'],
  ['nineDigits', 'a social security number'],
  ['taxNumber', 'a tax number'],
  ['phoneNumber', 'a phone number'],
];

/** An `externalId` becomes part of a workflow id: visible to everyone, so a plain key and nothing personal. */
export const externalId = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]*$/,
    'takes letters, digits and . _ : - and starts with a letter or digit',
  )
  .superRefine((id, context) => {
    const looksLike = NOT_IN_IDS.find(([kind]) => PRIVATE_PATTERNS[kind].test(id))?.[1];
    if (looksLike !== undefined) context.addIssue(`contains what looks like ${looksLike}`);
  });

/** An id that the partners count from 1 on, as of merchants, agent profiles and boarding settings. */
export const partnerId = z.int32().min(1, 'must be an id at the partner, from 1 on');

/** A thirtieth of a second, which is at once for a person, and of which a timer still makes more than nothing. */
const SHORTEST_HOURS = 0.000_01;

/** Hours a person has to answer a requirement; a year at most. */
export const dueInHours = z
  .number()
  .min(SHORTEST_HOURS, `must be ${SHORTEST_HOURS} or more, in hours`)
  .max(8_760, 'must be 8760 or less, in hours');

/** The accounts at the partners that a process knows, and what an input may say in each. Its settings are of this shape. */
export interface KnownAccounts {
  /** Point-of-sale names that the boarding partner knows beside `None` and `CustomPos`, in the account without a name. */
  readonly posNames: readonly string[];
  /** The others, by name. */
  readonly accounts: Readonly<Record<string, Pick<KnownAccounts, 'posNames'>>>;
}

/** Nothing but the account without a name. */
export const NO_ACCOUNTS: KnownAccounts = { posNames: [], accounts: {} };

/** Of a process's settings, no more than that. */
export function knownTo({ posNames, accounts }: KnownAccounts): KnownAccounts {
  const named = Object.entries(accounts).map(([name, own]) => [name, { posNames: own.posNames }] as const);
  return { posNames, accounts: Object.fromEntries(named) };
}

/** `account` of an input: the name of an account that somebody works for; the one without a name unless given. */
export function knownAccount({ accounts }: KnownAccounts) {
  const names = Object.keys(accounts);
  const rule =
    names.length === 0
      ? 'there is no account of a name, for GANGWAY_ACCOUNTS is not set'
      : `must be one of GANGWAY_ACCOUNTS: ${names.join(', ')}`;
  return z
    .string()
    .refine((name) => names.includes(name), rule)
    .describe('Name of one of our accounts at the partners')
    .optional();
}

/** Point-of-sale names of all accounts, for the shape of an input. */
export function allPosNames({ posNames, accounts }: KnownAccounts): string[] {
  return [...new Set([posNames, ...Object.values(accounts).map((own) => own.posNames)].flat())];
}

/** Whether a point-of-sale name of any account is one of this account. */
export function isPosOf({ posNames, accounts }: KnownAccounts, pos: string, account?: string): boolean {
  const own = account === undefined ? posNames : accounts[account]?.posNames;
  const isOfSome = allPosNames({ posNames, accounts }).includes(pos);
  return !isOfSome || own === undefined || own.includes(pos);
}

/** What a point-of-sale name is told that only other accounts have. */
export const POS_OF_ANOTHER = 'is known to the partner in another account only';

const lookupName = z.string().min(1);

/** All that v2 submit takes, checked before the merchant is created; unknown fields may be any JSON. */
const application = submitMerchantRequest
  .extend({ merchantProfileId: z.never('is set by the workflow').optional() })
  .catchall(furtherJson);

/** A merchant to board, as people write it in a file (see examples/). */
export function merchantBoardingInput(known = NO_ACCOUNTS) {
  const input = z.strictObject({ externalId, account: knownAccount(known), ...boardingMembers(known) });
  return oneOfEach(input).refine(({ account, merchant: { pos } }) => isPosOf(known, pos, account), {
    path: ['merchant', 'pos'],
    message: POS_OF_ANOTHER,
  });
}

/** The same without an `externalId`, as part of a customer. */
export function boardingPart(known: KnownAccounts) {
  return oneOfEach(z.strictObject(boardingMembers(known)));
}

function boardingMembers(known: KnownAccounts) {
  return {
    merchant: merchantBasics(allPosNames(known)),
    agentProfileId: partnerId.optional(),
    /** Name of an agent profile, to be looked up. */
    agent: lookupName.optional(),
    boardingSettingsId: partnerId.optional(),
    /** Name of boarding settings, to be looked up; `false` creates the merchant without boarding settings. */
    boardingSettings: z.union([lookupName, z.literal(false)]).optional(),
    /** Fees to change; those not named stay as the boarding settings have them. */
    fees: feeChanges.optional(),
    /** The further fields of v2 submit, sent as they are. */
    application: application.optional(),
    /** Version of the create operation; v1 is deprecated. Default: v2. */
    createVersion: z.enum(['v2', 'v1']).optional(),
    /** Adopt this merchant instead of creating one. */
    merchantProfileId: partnerId.optional(),
    dueInHours: dueInHours.default(DEFAULT_DUE_IN_HOURS),
  };
}

/** A thing that is named twice could be two things. */
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
      message: 'is given beside agentProfileId; give one of the two',
    })
    .refine((input) => input.boardingSettingsId === undefined || input.boardingSettings === undefined, {
      path: ['boardingSettings'],
      message: 'is given beside boardingSettingsId; give one of the two',
    });
}

/**
 * A merchant to board.
 *
 * @interface
 */
export type MerchantBoardingInput = z.output<ReturnType<typeof merchantBoardingInput>>;

const businessMembers = {
  /**
   * E7 (apis/1) without the owners. `annualBusinessRevenue` is in whole US dollars, any int64 from 0 on: a number, or beyond
   * 2^53 the text of its digits, because an input travels as JSON.
   */
  holder: accountHolder.extend({ annualBusinessRevenue: dollars.transform(keepingDigits).nullish() }),
  /** Four at most, each of 25 per cent or more. */
  beneficialOwners: beneficialOwners.optional(),
  /** Open a financial account once the profile is approved, unless there is one. */
  openFinancialAccount: z.boolean().optional(),
  dueInHours: dueInHours.default(DEFAULT_DUE_IN_HOURS),
};

/** A business to onboard at the bank, as people write it in a file (see examples/). */
export function businessOnboardingInput(known = NO_ACCOUNTS) {
  return z.strictObject({
    externalId,
    account: knownAccount(known),
    ...businessMembers,
    /** The merchant at the boarding partner. Its profile, if there is one already, is used. */
    merchantProfileId: partnerId.optional(),
  });
}

/** The same as part of a customer, whose merchant is the one that is boarded. */
export const businessPart = z.strictObject(businessMembers);

/**
 * A business to onboard.
 *
 * @interface
 */
export type BusinessOnboardingInput = z.output<ReturnType<typeof businessOnboardingInput>>;

const { name, description } = newAccount.shape;

/**
 * A payments account with a terminal in it (apis/3), as part of a customer. Where the platform may know more members than
 * we do, they travel as they are.
 */
export const terminalPart = z.strictObject({
  account: newAccount
    .extend({
      type: z.never('is always merchant').optional(),
      /** Default: the dba. */
      name: name.optional(),
      /** The `mid` is added to it, by which the account is found again. */
      description: description.optional(),
    })
    .catchall(furtherJson),
  /** Found again by its `name`, so no other of the account may have it. */
  terminal: newTerminal
    .extend({ account_id: z.never('is the account above').optional() })
    .catchall(furtherJson),
  /** Without it, nothing is written to the platform's production. */
  toProduction: z.boolean().optional(),
  dueInHours: dueInHours.default(DEFAULT_DUE_IN_HOURS),
});

/** What a merchant that is boarded gets at the payments platform. */
export const terminalProvisioningInput = z.strictObject({
  externalId,
  /** The merchant's. */
  mid: text,
  /** Under this name in the customer's input as well, so that its fields are called the same. */
  provisionTerminal: terminalPart,
});

/**
 * A payments account and a terminal to provision.
 *
 * @interface
 */
export type TerminalProvisioningInput = z.output<typeof terminalProvisioningInput>;

/** A customer to take aboard at both partners, as people write it in a file (see examples/). */
export function customerOnboardingInput(known = NO_ACCOUNTS) {
  return z
    .strictObject({
      externalId,
      /** Of all its parts. */
      account: knownAccount(known),
      boarding: boardingPart(known),
      business: businessPart,
      /** What the merchant gets at the payments platform once it is boarded; nothing unless given. */
      provisionTerminal: terminalPart.optional(),
      /** What happens to the other one when one of the two ends without success. */
      onDecline: z.enum(['continue', 'cancel-other']).default('continue'),
    })
    .refine(({ account, boarding }) => isPosOf(known, boarding.merchant.pos, account), {
      path: ['boarding', 'merchant', 'pos'],
      message: POS_OF_ANOTHER,
    });
}

/**
 * A merchant to board together with its business, and its terminal if that is asked for.
 *
 * @interface
 */
export type CustomerOnboardingInput = z.output<ReturnType<typeof customerOnboardingInput>>;
