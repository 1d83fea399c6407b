import { expect, it } from 'vitest';
import {
  businessOnboardingInput,
  customerOnboardingInput,
  merchantBoardingInput,
} from '../../../src/messages/inputs.js';
import { createMerchantRequest } from '../../../src/partners/boarding/schemas.js';
import { fieldProblems } from '../../../src/partners/rules-in-words.js';
import { business, customer, holder, merchant, OWNER } from '../../rigs/inputs.js';

const SCHEMAS = {
  merchant: merchantBoardingInput(),
  business: businessOnboardingInput(),
  customer: customerOnboardingInput(),
};

const { boarding, business: part, ...rest } = customer();
const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', country: 'US' };
const terminal = {
  account: { type: 'psp', name: '', address, admin_email: 'nobody' },
  terminal: { account_id: 'account-1' },
  dueInHours: 0,
};

/** What people write, and each wrong field with the beginning of its rule. */
const WRONG: readonly (readonly [keyof typeof SCHEMAS, string, object, readonly string[]])[] = [
  [
    'merchant',
    'wrong fields',
    {
      ...merchant(),
      externalId: 'a b',
      merchant: { dba: 'X', pos: 'none', cashDiscount: 'yes' },
      dueInHours: 0,
    },
    [
      'externalId: must have only letters, digits',
      'merchant.firstName: is required',
      'merchant.lastName: is required',
      'merchant.cashDiscount: must be one of Yes, No',
      'merchant.pos: must be one of None, CustomPos',
      'dueInHours: must be 0.00001 or more, in hours',
    ],
  ],
  [
    'merchant',
    'ids and hours out of bounds',
    {
      ...merchant(),
      merchantProfileId: -1,
      agentProfileId: 0,
      boardingSettingsId: 2 ** 31,
      dueInHours: 9_000,
    },
    [
      'agentProfileId: must be an id at the partner, from 1 on',
      'boardingSettingsId: ',
      'merchantProfileId: must be an id at the partner, from 1 on',
      'dueInHours: must be 8760 or less, in hours',
    ],
  ],
  [
    'merchant',
    'an application that v2 submit rejects',
    {
      ...merchant(),
      application: { merchantProfile: 'x', fees: [], siteInspection: null, merchantProfileId: 5 },
    },
    [
      'application.merchantProfile: must be an object',
      'application.siteInspection: must be an object',
      'application.fees: must be an object',
      'application.merchantProfileId: is set by the workflow',
    ],
  ],
  [
    'merchant',
    'an application that is not an object',
    { ...merchant(), application: 'volume 240000' },
    ['application: must be an object'],
  ],
  [
    'merchant',
    'unknown fields',
    { ...merchant(), mail: 'x', fees: { amexx: {} } },
    ['mail: is not a known field', 'fees.amexx: is not a known field; did you mean amex?'],
  ],
  [
    'merchant',
    'fees out of bounds',
    { ...merchant(), fees: { minimumDiscountAmount: 501 } },
    ['fees.minimumDiscountAmount: must be at most 500'],
  ],
  [
    'merchant',
    'an id together with a name',
    { ...merchant(), agent: 'Harbor Agents' },
    ['agent: cannot be combined with agentProfileId'],
  ],
  [
    'merchant',
    'a key that is an SSN',
    { ...merchant(), externalId: '000-12-3456' },
    ['externalId: contains what looks like a social security number'],
  ],
  [
    'business',
    'wrong fields',
    {
      externalId: 'a b',
      holder: holder(undefined, { ssn: '666-12-3456', phone: '555', state: 99 }),
      beneficialOwners: [OWNER, { ...OWNER, percentageOwnership: 24, zipCode: 'x' }],
      openFinancialAccount: 'yes',
      merchantProfileId: 0,
    },
    [
      'externalId: must have only letters, digits',
      'holder.ssn: must be 9 digits of a valid SSN, without dashes',
      'holder.phone: must be 10 digits',
      'holder.state: ',
      'beneficialOwners.1.percentageOwnership: ',
      'beneficialOwners.1.zipCode: must be 5 digits',
      'openFinancialAccount: ',
      'merchantProfileId: must be an id at the partner, from 1 on',
    ],
  ],
  ['business', 'a missing field', { ...business(), holder: {} }, ['holder.legalBusinessName: is required']],
  [
    'business',
    'an unknown field',
    { ...business(), holder: { ...holder(), owner: OWNER } },
    ['holder.owner: is not a known field'],
  ],
  [
    'business',
    'a fifth owner',
    { ...business(), beneficialOwners: Array.from({ length: 5 }, () => OWNER) },
    ['beneficialOwners: at most four'],
  ],
  [
    'customer',
    'wrong fields of both parts',
    {
      ...rest,
      boarding: { ...boarding, merchant: { ...boarding.merchant, firstName: '' }, agent: 'X' },
      business: { ...part, holder: { ...part.holder, ssn: '900112222' } },
      onDecline: 'stop',
    },
    [
      'boarding.merchant.firstName: ',
      'boarding.agent: cannot be combined with agentProfileId',
      'business.holder.ssn: must be 9 digits',
      'onDecline: ',
    ],
  ],
  [
    'customer',
    'an externalId in a part, and no other part',
    { ...rest, boarding: { ...boarding, externalId: 'x' } },
    ['boarding.externalId: is not a known field', 'business: is required'],
  ],
  [
    'customer',
    'wrong fields of its terminal',
    { ...customer(), provisionTerminal: terminal },
    [
      'provisionTerminal.account.type: is always merchant',
      'provisionTerminal.account.name: must not be empty',
      'provisionTerminal.account.address.zip: is required',
      'provisionTerminal.account.address.country: is not a known field',
      'provisionTerminal.account.admin_email: ',
      'provisionTerminal.terminal.name: is required',
      'provisionTerminal.terminal.account_id: is the account above',
      'provisionTerminal.dueInHours: ',
    ],
  ],
];

it.each(WRONG)(
  'the input of a %s with %s is rejected, and each field is named with its rule',
  (kind, _, input, rules) => {
    const { error } = SCHEMAS[kind].safeParse(input);
    const problems = error ? fieldProblems(error).map(({ field, message }) => `${field}: ${message}`) : [];
    for (const rule of rules) expect(problems).toContainEqual(expect.stringContaining(rule));
    expect(problems.join()).not.toMatch(/666-12-3456|900112222|000-12-3456/);
  },
);

it('the merchant of an input has the fields and rules of the create', () => {
  const { agentProfileId: _, boardingSettingsId: _1, guid: _2, ...fields } = createMerchantRequest([]).shape;
  const issuesOf = (merchant: object) =>
    merchantBoardingInput()
      .safeParse({ externalId: 'm-1', merchant })
      .error?.issues.map(({ path }) => path.join('.'));
  const required = Object.entries(fields).flatMap(([name, field]) =>
    field.safeParse(undefined).success ? [] : [name],
  );
  expect(required).toContain('dba');
  expect(required).not.toContain('email');
  expect(issuesOf({})).toEqual(required.map((name) => `merchant.${name}`));
  expect(issuesOf({ guid: 'g' })).toContain('merchant');
});
