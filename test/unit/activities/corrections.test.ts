import { describe, expect, it } from 'vitest';
import {
  blankCorrection,
  changeableInput,
  correctionActivities,
  correctionProblems,
} from '../../../src/activities/corrections.js';
import { NO_ACCOUNTS } from '../../../src/messages/inputs.js';
import type { CorrectableType } from '../../../src/messages/workflow-types.js';
import { schemaFields } from '../../../src/services/forms/schema-fields.js';
import { business, merchant, OWNER } from '../../rigs/inputs.js';

const named = { posNames: ['Till'], accounts: { north: { posNames: ['Northern Till'] } } };

/** A check of corrections of one input; each problem is `field: message`. */
const checkOf =
  (type: CorrectableType, input: object, progress: object = {}, accounts = NO_ACCOUNTS) =>
  (patch: unknown) =>
    correctionProblems({ type, input, patch, ...progress }, accounts).map(
      ({ field, message }) => `${field}: ${message}`,
    );

const NO_OBJECT = 'must be an object';
const siteInspected = merchant(undefined, { application: { siteInspection: { visited: true } } });
const owned = business(undefined, { beneficialOwners: [OWNER] });
const { ssn: _, ...continued } = owned.holder;
const CAN = 'fields that can be changed';
const ONCE_CREATED = `${CAN}: fees, application`;
const UNTIL_CREATED = `${CAN}: merchant, agentProfileId, agent, boardingSettingsId, boardingSettings, fees, application`;
const NO_LONGER = `can no longer be changed; ${ONCE_CREATED}`;
const NOT_AS_A_WHOLE =
  'application: cannot be removed as a whole; name the fields to change, with null for those to remove';
const [EMPTY, TEN] = ['must not be empty', 'must be 10 digits'];
const ONE_OF_TWO = 'cannot be combined with boardingSettingsId; give one of the two';
const NEVER = 'cannot be changed by a correction';

/** Whose input is corrected. */
const NEW = 'a merchant that does not exist yet';
const BOARDED = 'a merchant';
const BUSINESS = 'a business';
const CONTINUED = 'a business after continue-as-new';
const CHECKS = {
  [NEW]: checkOf('merchantBoarding', siteInspected),
  [BOARDED]: checkOf('merchantBoarding', siteInspected, { merchantExists: true }),
  [BUSINESS]: checkOf('businessOnboarding', owned),
  [CONTINUED]: checkOf('businessOnboarding', { ...owned, holder: continued }),
} as const;
type Case = [of: keyof typeof CHECKS, patch: unknown, ...problems: string[]];
const OF_NOWHERE = { ...OWNER, zipCode: '1' };
const NO_OWN_AGENT = { agent: 'Harbor Agents', agentProfileId: null };
const NO_SETTINGS = { boardingSettings: false, boardingSettingsId: null };

it.each<Case>([
  [NEW, { merchant: { dba: 'New Name' } }],
  [NEW, { merchant: { email: null } }],
  [NEW, { agentProfileId: null, agent: 'Harbor Agents' }],
  [NEW, { boardingSettingsId: null, boardingSettings: 'Standard' }],
  [NEW, { boardingSettingsId: null, boardingSettings: false }],
  [NEW, { fees: { minimumDiscountAmount: 25 } }],
  [NEW, { fees: null }],
  [NEW, { application: { siteInspection: { visited: null }, equipment: ['till'] } }],
  [NEW, 'Test', `: must be an object; ${UNTIL_CREATED}`],
  [NEW, null, `: must be an object; ${UNTIL_CREATED}`],
  [NEW, [], `: must be an object; ${UNTIL_CREATED}`],
  [NEW, {}, `: contains no field; ${UNTIL_CREATED}`],
  [NEW, { merchant: 'Test' }, `merchant: ${NO_OBJECT}`],
  [NEW, { merchant: null }, 'merchant: is required'],
  [
    NEW,
    { merchant: { dba: null, lastName: '' } },
    `merchant.lastName: ${EMPTY}`,
    'merchant.dba: is required',
  ],
  [NEW, { merchant: { ssn: '078051120' } }, 'merchant.ssn: is not a known field'],
  [NEW, { application: 'volume 240000' }, `application: ${NO_OBJECT}`],
  [NEW, { application: ['volume'] }, `application: ${NO_OBJECT}`],
  [NEW, { application: { merchantProfile: 'x' } }, `application.merchantProfile: ${NO_OBJECT}`],
  [NEW, { application: { merchantProfileId: 5 } }, 'application.merchantProfileId: is set by the workflow'],
  [NEW, { application: null }, NOT_AS_A_WHOLE],
  [NEW, { fees: 'less' }, `fees: ${NO_OBJECT}`],
  [NEW, { fees: { tip: 1 } }, 'fees.tip: is not a known field'],
  [NEW, { boardingSettings: false }, `boardingSettings: ${ONE_OF_TWO}`],
  [NEW, { agentProfileId: '101' }, 'agentProfileId: must be a number, without quotes'],
  [NEW, { externalId: 'other' }, `externalId: ${NEVER}; ${UNTIL_CREATED}`],
  [NEW, { dba: 'New Name' }, `dba: ${NEVER}; ${UNTIL_CREATED}; did you mean merchant.dba?`],
  [BOARDED, { merchant: { dba: 'New Name' } }, `merchant: ${NO_LONGER}`],
  [BOARDED, { merchant: 'Test' }, `merchant: ${NO_LONGER}`],
  [BOARDED, { merchant: null }, `merchant: ${NO_LONGER}`],
  [BOARDED, NO_OWN_AGENT, `agent: ${NO_LONGER}`, `agentProfileId: ${NO_LONGER}`],
  [BOARDED, NO_SETTINGS, `boardingSettings: ${NO_LONGER}`, `boardingSettingsId: ${NO_LONGER}`],
  [BOARDED, { merchant: {}, application: 'x' }, `merchant: ${NO_LONGER}`, `application: ${NO_OBJECT}`],
  [BOARDED, { application: null }, NOT_AS_A_WHOLE],
  [BOARDED, { application: { salesAndBusinessProfile: { volume: 240_000 } } }],
  [BOARDED, { fees: { minimumDiscountAmount: 25 } }],
  [BUSINESS, { holder: { phone: '5185550199', website: null } }],
  [BUSINESS, { holder: { annualBusinessRevenue: '9223372036854775807' } }],
  [BUSINESS, { beneficialOwners: [OWNER, OWNER, OWNER, OWNER] }],
  [BUSINESS, { beneficialOwners: null }],
  [BUSINESS, { holder: null }, 'holder: is required'],
  [BUSINESS, { holder: 'x' }, `holder: ${NO_OBJECT}`],
  [BUSINESS, { holder: { phone: '518', ssn: null } }, `holder.phone: ${TEN}`, 'holder.ssn: is required'],
  [BUSINESS, { beneficialOwners: 'x' }, 'beneficialOwners: must be a list'],
  [BUSINESS, { beneficialOwners: [OF_NOWHERE] }, 'beneficialOwners.0.zipCode: must be 5 digits'],
  [BUSINESS, { merchantProfileId: 5 }, `merchantProfileId: ${NEVER}; ${CAN}: holder, beneficialOwners`],
  [CONTINUED, { holder: { phone: '5185550199' } }, 'holder.ssn: is required'],
  [CONTINUED, { holder: { phone: '5185550199', ssn: '123456789' } }],
])('of %s, the correction %j has these problems: %s', (of, patch, ...problems) => {
  expect(CHECKS[of](patch)).toEqual(problems);
});

it('a correction may name a point of sale of its own account, and none of another', () => {
  const pos = (name: string) => ({ merchant: { pos: name } });
  const northern = checkOf('merchantBoarding', siteInspected, { account: 'north' }, named);
  const nameless = checkOf('merchantBoarding', siteInspected, {}, named);
  expect([northern(pos('Northern Till')), nameless(pos('Till'))]).toEqual([[], []]);
  const rule = 'merchant.pos: belongs to another account';
  expect([northern(pos('Till')), nameless(pos('Northern Till'))]).toEqual([[rule], [rule]]);
});

it('a problem that leaves the worker names known fields only, because another name may be a value in the wrong place', async () => {
  const { checkCorrection } = correctionActivities(NO_ACCOUNTS);
  const problems = (type: CorrectableType, input: object, patch: object) =>
    checkCorrection({ type, input, patch, merchantExists: false });
  const one = 'a field in it is not a known field';
  const patch = { merchant: { '078051120': 'x', lastName: '' }, fees: { Ada: 1 } };
  expect(await problems('merchantBoarding', merchant(), patch)).toEqual([
    { field: 'merchant.lastName', message: 'must not be empty' },
    { field: 'merchant', message: one },
    { field: 'fees', message: one },
  ]);
  const message = expect.stringMatching(/^a field in it cannot be changed/);
  expect(await problems('businessOnboarding', business(), { Ada: 'x' })).toEqual([{ field: '', message }]);
});

describe('a field that no schema has', () => {
  const UNKNOWN = 'is not a known field';
  const questions = ['merchant.taxClassification', 'merchant.owner.taxId', 'fees.surcharge'];
  const problems = (patch: object, more: object = {}, input: object = merchant()) =>
    checkOf('merchantBoarding', input, { fields: questions, ...more })(patch);

  const LLC = { merchant: { taxClassification: 'LLC' } };
  it.each<object>([
    LLC,
    { merchant: { taxClassification: { kind: 'LLC', since: 2020 } } },
    { merchant: { owner: { taxId: '1' } } },
    { fees: { surcharge: 1 } },
  ])('may be added where the partner asked for it: %j', (patch) => {
    expect(problems(patch)).toEqual([]);
  });

  it.each<[object, object, string]>([
    [{ merchant: { taxClass: 'LLC' } }, {}, `merchant.taxClass: ${UNKNOWN}`],
    [{ fees: { taxClassification: 'LLC' } }, {}, `fees.taxClassification: ${UNKNOWN}`],
    [{ taxClassification: 'LLC' }, {}, 'taxClassification: cannot be changed'],
    [LLC, { fields: [] }, `merchant.taxClassification: ${UNKNOWN}`],
    [LLC, { fields: ['merchant'] }, `merchant.taxClassification: ${UNKNOWN}`],
    [LLC, { merchantExists: true }, 'merchant: can no longer be changed'],
    [{ merchant: { taxClassification: 'LLC', pos: 'x' } }, {}, 'merchant.pos: must be one of'],
    [{ merchant: { taxClassification: 'LLC', dba: 1 } }, {}, 'merchant.dba: '],
  ])('may not be added elsewhere, and excuses nothing else: %j %j', (patch, more, problem) => {
    expect(problems(patch, more)).toEqual([expect.stringContaining(problem)]);
  });

  it('may not be added to v1 of the create, and excuses no rule between fields', () => {
    const problem = `merchant.taxClassification: ${UNKNOWN}`;
    const v1 = merchant(undefined, { createVersion: 'v1' });
    expect(problems(LLC, {}, v1)).toEqual([expect.stringContaining(problem)]);
    const patch = { merchant: { taxClassification: 'LLC', pos: 'Northern Till' } };
    const rule = 'merchant.pos: belongs to another account';
    expect(checkOf('merchantBoarding', merchant(), { fields: questions }, named)(patch)).toEqual([rule]);
  });

  it('that was added stays, whatever is corrected later', () => {
    const before = merchant();
    const input = { ...before, merchant: { ...before.merchant, taxClassification: 'LLC' } };
    expect(problems({ application: { volume: 1 } }, { fields: [], merchantExists: true }, input)).toEqual([]);
    expect(problems({ merchant: { email: 'x@example.com' } }, { fields: [] }, input)).toEqual([]);
  });

  it('is in the correction to fill in', () => {
    const blank = blankCorrection(
      { type: 'merchantBoarding', input: merchant(), fields: questions },
      NO_ACCOUNTS,
    );
    const inMerchant = { taxClassification: '', owner: { taxId: '' } };
    expect(blank).toEqual({ merchant: inMerchant, fees: { surcharge: '' } });
  });
});

describe('a correction to fill in', () => {
  const blankFor = (
    type: CorrectableType,
    input: object,
    questions: readonly string[],
    progress: object = {},
  ) => blankCorrection({ type, input, fields: questions, ...progress }, NO_ACCOUNTS);
  const created = { merchantExists: true };

  it.each<[string[], object, object]>([
    [['merchant.email', 'merchant.dba'], {}, { merchant: { email: '', dba: '' } }],
    [['agentProfileId'], {}, { agentProfileId: '' }],
    [['merchant.email', 'application.volume'], created, { application: { volume: '' } }],
    [['application.owner.name'], created, { application: { owner: { name: '' } } }],
    [['application.siteInspection'], created, { application: { siteInspection: { '': '' } } }],
    [['fees.minimumDiscountAmount'], created, { fees: { minimumDiscountAmount: '' } }],
    [['fees.miscFees'], created, { application: { '': '' } }],
    [['guid'], {}, { merchant: { '': '' } }],
    [['merchant.email'], created, { application: { '': '' } }],
    [[], created, { application: { '': '' } }],
  ])('of a merchant has empty quotes for what can still be changed: %j', (fields, progress, blank) => {
    expect(blankFor('merchantBoarding', merchant(), fields, progress)).toEqual(blank);
  });

  it.each<[string[], object]>([
    [['holder.website', 'holder.phone'], { holder: { website: '', phone: '' } }],
    [['beneficialOwners.0.email'], { holder: { '': '' } }],
    [['beneficialOwners'], { holder: { '': '' } }],
  ])('of a business leaves lists out, because a patch replaces a whole list: %j', (fields, blank) => {
    expect(blankFor('businessOnboarding', business(), fields)).toEqual(blank);
  });

  it('has what an object requires, and any name', () => {
    const empty = { dba: '', firstName: '', lastName: '', cashDiscount: '', pos: '' };
    expect(blankFor('merchantBoarding', merchant(), ['merchant'])).toEqual({ merchant: empty });
    const blank = blankFor('merchantBoarding', merchant(), ['application.__proto__.x'], created);
    expect(JSON.stringify(blank)).toBe('{"application":{"__proto__":{"x":""}}}');
  });

  it.each<[CorrectableType, object, object]>([
    ['merchantBoarding', merchant(), {}],
    ['merchantBoarding', merchant(), created],
    ['businessOnboarding', business(), {}],
  ])('of %s has a form that the check takes, for every field: %#', (type, input, progress) => {
    const fill = (inside: unknown): unknown =>
      typeof inside === 'object' && inside !== null
        ? Object.fromEntries(Object.entries(inside).map(([name, more]) => [name, fill(more)]))
        : 'x';
    const { schema } = changeableInput({ type, input, ...progress }, NO_ACCOUNTS);
    for (const { name } of schemaFields(schema)) {
      const patch = fill(blankFor(type, input, [name], progress));
      const problems = correctionProblems({ type, input, patch, ...progress }, NO_ACCOUNTS);
      const ofForm = problems.filter(({ message }) => /known field|changed|an object|a list/.test(message));
      // Where nobody knows the name of the field, a person fills it in.
      if (!JSON.stringify(patch).includes('""')) expect([name, ofForm]).toEqual([name, []]);
    }
  });
});
