import { expect, it } from 'vitest';
import {
  businessOnboardingInput,
  customerOnboardingInput,
  merchantBoardingInput,
} from '../../../src/messages/inputs.js';
import { isFollowed } from '../../../src/messages/onboardings.js';
import { fieldProblems } from '../../../src/partners/schema-messages.js';
import { business, customer, merchant, OWNER } from '../../rigs/inputs.js';

const SCHEMAS = {
  merchant: merchantBoardingInput(),
  business: businessOnboardingInput(),
  customer: customerOnboardingInput(),
};
const RIGHT = {
  merchant: merchant(),
  business: business(),
  customer: customer(),
};

/** The input with another value at this path. */
function changed(input: object, [field = '', ...rest]: readonly string[], value: unknown): object {
  return {
    ...input,
    [field]: rest.length > 0 ? changed(Reflect.get(input, field) ?? {}, rest, value) : value,
  };
}

function problemsOf(kind: keyof typeof SCHEMAS, input: object): string[] {
  const { error } = SCHEMAS[kind].safeParse(input);
  return error ? fieldProblems(error).map(({ field, message }) => `${field}: ${message}`) : [];
}

const ID = 'must be an id at the partner, from 1 on';
const UNKNOWN = 'is not a known field';

/** What people write into a field, and the beginning of its rule. */
it.each<[kind: keyof typeof SCHEMAS, path: string, value: unknown, rule: string]>([
  ['merchant', 'externalId', 'a b', 'must have only letters, digits'],
  ['merchant', 'externalId', '000-12-3456', 'contains what looks like a social security number'],
  ['merchant', 'externalId', 'merchant-boarding-7', 'must not begin as a workflow id does'],
  ['customer', 'externalId', 'customer-onboarding-7', 'must not begin as a workflow id does'],
  ['business', 'externalId', 'operation-close-card-7', 'must not begin as a workflow id does'],
  ['merchant', 'merchant.firstName', undefined, 'is required'],
  ['merchant', 'merchant.cashDiscount', 'yes', 'must be one of Yes, No'],
  ['merchant', 'merchant.pos', 'none', 'must be one of None, CustomPos'],
  ['merchant', 'merchant.guid', 'g', UNKNOWN],
  ['merchant', 'dueInHours', 0, 'must be more than 0, in hours'],
  ['merchant', 'dueInHours', 9_000, 'must be 8760 or less, in hours'],
  ['merchant', 'agentProfileId', 0, ID],
  ['merchant', 'merchantProfileId', -1, ID],
  ['merchant', 'boardingSettingsId', 2 ** 31, 'must be at most 2147483647'],
  ['merchant', 'agent', 'Harbor Agents', 'cannot be combined with agentProfileId'],
  ['merchant', 'application', 'volume 240000', 'must be an object'],
  ['merchant', 'application.merchantProfile', 'x', 'must be an object'],
  ['merchant', 'application.siteInspection', null, 'must be an object'],
  ['merchant', 'application.fees', [], 'must be an object'],
  ['merchant', 'application.merchantProfileId', 5, 'is set by the workflow'],
  ['merchant', 'mail', 'x', UNKNOWN],
  ['merchant', 'fees.amexx', {}, `${UNKNOWN}; did you mean amex?`],
  ['merchant', 'fees.minimumDiscountAmount', 501, 'must be at most 500'],
  ['business', 'externalId', 'a b', 'must have only letters, digits'],
  ['business', 'holder.ssn', '666-12-3456', 'must be 9 digits of a valid SSN, without dashes'],
  ['business', 'holder.phone', '555', 'must be 10 digits'],
  ['business', 'holder.state', 99, 'must be '],
  ['business', 'holder.legalBusinessName', undefined, 'is required'],
  ['business', 'holder.owner', OWNER, UNKNOWN],
  ['business', 'beneficialOwners', Array(5).fill(OWNER), 'at most four'],
  ['business', 'openFinancialAccount', 'yes', 'must be true or false'],
  ['business', 'merchantProfileId', 0, ID],
  ['customer', 'boarding.merchant.firstName', '', 'must not be empty'],
  ['customer', 'boarding.agent', 'X', 'cannot be combined with agentProfileId'],
  ['customer', 'boarding.externalId', 'x', UNKNOWN],
  ['customer', 'business', undefined, 'is required'],
  ['customer', 'business.holder.ssn', '900112222', 'must be 9 digits'],
  ['customer', 'onDecline', 'stop', 'must be one of '],
  ['customer', 'boarding.dueInHours', 0, 'must be '],
  ['customer', 'provisionTerminal', {}, UNKNOWN],
])('the input of a %s whose %s is %j is rejected with a rule', (kind, path, value, rule) => {
  const problems = problemsOf(kind, changed(RIGHT[kind], path.split('.'), value));
  expect(problems).toEqual([expect.stringContaining(`${path}: ${rule}`)]);
  expect(problems.join()).not.toMatch(/666-12-3456|900112222|000-12-3456/);
});

it('each field that is wrong or missing is named', () => {
  expect(problemsOf('merchant', { externalId: 'a b', merchant: { email: 5 }, dueInHours: 0 })).toHaveLength(
    8,
  );
  const owners = [OWNER, { ...OWNER, percentageOwnership: 24, zipCode: 'x' }];
  expect(problemsOf('business', { ...business(), beneficialOwners: owners })).toEqual([
    expect.stringMatching(/^beneficialOwners\.1\.zipCode: must be 5 digits/),
    expect.stringMatching(/^beneficialOwners\.1\.percentageOwnership: must be /),
  ]);
});

it.each<[object, boolean]>([
  [{ follow: true }, true],
  [{ follow: 'no' }, true],
  [{ follow: null }, true],
  [{ follow: false }, false],
  [{}, false],
])('an input with %j is followed: %s', (input, expected) => {
  expect(isFollowed(input)).toBe(expected);
});
