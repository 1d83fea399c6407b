import { describe, expect, it } from 'vitest';
import {
  blankCorrection,
  changeable,
  correctionActivities,
  correctionProblems,
} from '../../../src/activities/corrections.js';
import { fieldsOf } from '../../../src/forms/schema-fields.js';
import type { CorrectableType } from '../../../src/messages/activities.js';
import { NO_ACCOUNTS } from '../../../src/messages/inputs.js';
import { business, merchant, OWNER, terminal } from '../../rigs/inputs.js';

const named = { posNames: ['Till'], accounts: { north: { posNames: ['Northern Till'] } } };

/** A check of corrections of one input; each problem is `field: message`. */
const checkOf =
  (type: CorrectableType, input: object, progress: object = {}, known = NO_ACCOUNTS) =>
  (patch: unknown) =>
    correctionProblems({ type, input, patch, ...progress }, known).map(
      ({ field, message }) => `${field}: ${message}`,
    );

const NO_OBJECT = 'must be an object';
const UNTIL_CREATED =
  'fields that can be changed: merchant, agentProfileId, agent, boardingSettingsId, boardingSettings, fees, application';
const ONCE_CREATED = 'fields that can be changed: fees, application';
const NOT_AS_A_WHOLE =
  'application: cannot be removed as a whole; name the fields to change, with null for those to remove';

describe('a correction of a merchant', () => {
  const input = merchant(undefined, { application: { siteInspection: { visited: true } } });
  const problems = checkOf('merchantBoarding', input);

  it.each([
    { merchant: { dba: 'New Name' } },
    { merchant: { email: null } },
    { agentProfileId: null, agent: 'Harbor Agents' },
    { boardingSettingsId: null, boardingSettings: 'Standard' },
    { boardingSettingsId: null, boardingSettings: false },
    { fees: { minimumDiscountAmount: 25 } },
    { fees: null },
    { application: { siteInspection: { visited: null }, equipment: ['till'] } },
  ])('may be %j before the merchant exists', (patch) => {
    expect(problems(patch)).toEqual([]);
  });

  it.each<[unknown, readonly string[]]>([
    ['Test', [`: must be an object; ${UNTIL_CREATED}`]],
    [null, [`: must be an object; ${UNTIL_CREATED}`]],
    [[], [`: must be an object; ${UNTIL_CREATED}`]],
    [{}, [`: contains no field; ${UNTIL_CREATED}`]],
    [{ merchant: 'Test' }, [`merchant: ${NO_OBJECT}`]],
    [{ merchant: null }, ['merchant: is required']],
    [
      { merchant: { dba: null, lastName: '' } },
      ['merchant.lastName: must not be empty', 'merchant.dba: is required'],
    ],
    [{ merchant: { ssn: '078051120' } }, ['merchant.ssn: is not a known field']],
    [{ application: 'volume 240000' }, [`application: ${NO_OBJECT}`]],
    [{ application: ['volume'] }, ['application: must be an object']],
    [{ application: { merchantProfile: 'x' } }, ['application.merchantProfile: must be an object']],
    [{ application: { merchantProfileId: 5 } }, ['application.merchantProfileId: is set by the workflow']],
    [{ application: null }, [NOT_AS_A_WHOLE]],
    [{ fees: 'less' }, [`fees: ${NO_OBJECT}`]],
    [
      { fees: { minimumDiscountAmount: 501, tip: 1 } },
      ['fees.minimumDiscountAmount: must be at most 500', 'fees.tip: is not a known field'],
    ],
    [
      { boardingSettings: false },
      ['boardingSettings: cannot be combined with boardingSettingsId; give one of the two'],
    ],
    [{ agentProfileId: '101' }, ['agentProfileId: must be a number, without quotes']],
    [
      { externalId: 'other', dba: 'New Name' },
      [
        `externalId: cannot be changed by a correction; ${UNTIL_CREATED}`,
        `dba: cannot be changed by a correction; ${UNTIL_CREATED}; did you mean merchant.dba?`,
      ],
    ],
  ])('cannot be %j, and each field is named with its rule', (patch, expected) => {
    expect(problems(patch)).toEqual(expected);
  });

  it.each<[object, readonly string[]]>([
    [{ merchant: { dba: 'New Name' } }, [`merchant: can no longer be changed; ${ONCE_CREATED}`]],
    [{ merchant: 'Test' }, [`merchant: can no longer be changed; ${ONCE_CREATED}`]],
    [{ merchant: null }, [`merchant: can no longer be changed; ${ONCE_CREATED}`]],
    [
      { agent: 'Harbor Agents', agentProfileId: null, boardingSettings: false, boardingSettingsId: null },
      ['agent', 'agentProfileId', 'boardingSettings', 'boardingSettingsId'].map(
        (field) => `${field}: can no longer be changed; ${ONCE_CREATED}`,
      ),
    ],
    [
      { merchant: { dba: 'New Name' }, application: 'volume 240000' },
      [`merchant: can no longer be changed; ${ONCE_CREATED}`, `application: ${NO_OBJECT}`],
    ],
    [{ application: null }, [NOT_AS_A_WHOLE]],
    [{ application: { salesAndBusinessProfile: { volume: 240_000 } } }, []],
    [{ fees: { minimumDiscountAmount: 25 } }, []],
  ])('is limited to fees and application once the merchant exists: %j', (patch, expected) => {
    expect(checkOf('merchantBoarding', input, { merchantExists: true })(patch)).toEqual(expected);
  });

  it('may name a point of sale of its own account, and none of another', () => {
    const pos = (name: string) => ({ merchant: { pos: name } });
    const northern = checkOf('merchantBoarding', input, { account: 'north' }, named);
    const nameless = checkOf('merchantBoarding', input, {}, named);
    expect([northern(pos('Northern Till')), nameless(pos('Till'))]).toEqual([[], []]);
    const rule = 'merchant.pos: belongs to another account';
    expect([northern(pos('Till')), nameless(pos('Northern Till'))]).toEqual([[rule], [rule]]);
  });
});

describe('a correction of a business', () => {
  const input = business(undefined, { beneficialOwners: [OWNER] });
  const problems = checkOf('businessOnboarding', input);
  const FIELDS = 'fields that can be changed: holder, beneficialOwners';

  it.each([
    { holder: { phone: '5185550199', website: null } },
    { holder: { annualBusinessRevenue: '9223372036854775807' } },
    { beneficialOwners: [OWNER, OWNER, OWNER, OWNER] },
    { beneficialOwners: null },
  ])('may be %j', (patch) => {
    expect(problems(patch)).toEqual([]);
  });

  it.each<[object, readonly string[]]>([
    [{ holder: null }, ['holder: is required']],
    [{ holder: 'x' }, [`holder: ${NO_OBJECT}`]],
    [{ holder: { phone: '518', ssn: null } }, ['holder.phone: must be 10 digits', 'holder.ssn: is required']],
    [{ beneficialOwners: 'x' }, ['beneficialOwners: must be a list']],
    [{ beneficialOwners: Array(5).fill(OWNER) }, ['beneficialOwners: at most four beneficial owners']],
    [{ beneficialOwners: [{ ...OWNER, zipCode: '1' }] }, ['beneficialOwners.0.zipCode: must be 5 digits']],
    [{ merchantProfileId: 5 }, [`merchantProfileId: cannot be changed by a correction; ${FIELDS}`]],
  ])('cannot be %j, and each field is named with its rule', (patch, expected) => {
    expect(problems(patch)).toEqual(expected);
  });

  it('names the SSNs that an input lacks after continue-as-new', () => {
    const { ssn: _, ...holder } = input.holder;
    const continued = checkOf('businessOnboarding', { ...input, holder });
    expect(continued({ holder: { phone: '5185550199' } })).toEqual(['holder.ssn: is required']);
    expect(continued({ holder: { phone: '5185550199', ssn: '123456789' } })).toEqual([]);
  });
});

describe('a correction of a terminal', () => {
  const input = { externalId: 't-1', mid: '0001', provisionTerminal: terminal() };
  const address = { street_line1: '2 Main Street' };
  const FIELDS = 'fields that can be changed: provisionTerminal.terminal, provisionTerminal.toProduction';
  const WITH_ACCOUNT = FIELDS.replace(':', ': provisionTerminal.account,');

  it.each<[object, readonly string[]]>([
    [{ account: { address } }, []],
    [{ terminal: { name: 'Bar' }, toProduction: true }, []],
    [{ account: { address: null } }, ['provisionTerminal.account.address: is required']],
    [{ dueInHours: 1 }, [`provisionTerminal.dueInHours: cannot be changed by a correction; ${WITH_ACCOUNT}`]],
  ])('is checked by its rules before the account exists: %j', (provisionTerminal, expected) => {
    expect(checkOf('terminalProvisioning', input)({ provisionTerminal })).toEqual(expected);
  });

  it.each<[object, readonly string[]]>([
    [{ provisionTerminal: { terminal: { name: 'Bar' } } }, []],
    [
      { provisionTerminal: { account: { address }, terminal: { name: '' } } },
      [
        `provisionTerminal.account: can no longer be changed; ${FIELDS}`,
        'provisionTerminal.terminal.name: must not be empty',
      ],
    ],
    [{ provisionTerminal: null }, ['provisionTerminal: is required']],
    [{ provisionTerminal: 'x' }, [`provisionTerminal: ${NO_OBJECT}`]],
    [{ mid: '0002' }, [`mid: cannot be changed by a correction; ${FIELDS}`]],
  ])('is limited to the terminal once the account exists: %j', (patch, expected) => {
    const problems = checkOf('terminalProvisioning', input, { paymentsAccountExists: true });
    expect(problems(patch)).toEqual(expected);
  });
});

it('a problem that leaves the worker names known fields only, because another name may be a value in the wrong place', async () => {
  const { checkCorrection } = correctionActivities(NO_ACCOUNTS);
  const problems = (type: CorrectableType, input: object, patch: object) =>
    checkCorrection({ type, input, patch, merchantExists: false, paymentsAccountExists: false });
  const one = 'a field in it is not a known field';
  expect(
    await problems('merchantBoarding', merchant(), {
      merchant: { '078051120': 'x', lastName: '' },
      fees: { Ada: 1 },
    }),
  ).toEqual([
    { field: 'merchant.lastName', message: 'must not be empty' },
    { field: 'merchant', message: one },
    { field: 'fees', message: one },
  ]);
  const input = { externalId: 't-1', mid: '0001', provisionTerminal: terminal() };
  expect(await problems('terminalProvisioning', input, { provisionTerminal: { Ada: 'x' } })).toEqual([
    { field: 'provisionTerminal', message: expect.stringMatching(/^a field in it cannot be changed/) },
  ]);
});

describe('a field that no schema has', () => {
  const UNKNOWN = 'is not a known field';
  const asked = ['merchant.taxClassification', 'merchant.owner.taxId', 'fees.surcharge'];
  const problems = (patch: object, more: object = {}, input: object = merchant()) =>
    checkOf('merchantBoarding', input, { asked, ...more })(patch);

  it.each([
    [{ merchant: { taxClassification: 'LLC' } }],
    [{ merchant: { taxClassification: { kind: 'LLC', since: 2020 } } }],
    [{ merchant: { owner: { taxId: '1' } } }],
    [{ fees: { surcharge: 1 } }],
  ])('may be added where the partner asked for it: %j', (patch) => {
    expect(problems(patch)).toEqual([]);
  });

  it.each<[object, object, string]>([
    [{ merchant: { taxClass: 'LLC' } }, {}, `merchant.taxClass: ${UNKNOWN}`],
    [{ fees: { taxClassification: 'LLC' } }, {}, `fees.taxClassification: ${UNKNOWN}`],
    [{ taxClassification: 'LLC' }, {}, 'taxClassification: cannot be changed'],
    [{ merchant: { taxClassification: 'LLC' } }, { asked: [] }, `merchant.taxClassification: ${UNKNOWN}`],
    [
      { merchant: { taxClassification: 'LLC' } },
      { asked: ['merchant'] },
      `merchant.taxClassification: ${UNKNOWN}`,
    ],
    [
      { merchant: { taxClassification: 'LLC' } },
      { merchantExists: true },
      'merchant: can no longer be changed',
    ],
    [{ merchant: { taxClassification: 'LLC', pos: 'x' } }, {}, 'merchant.pos: must be one of'],
    [{ merchant: { taxClassification: 'LLC', dba: 1 } }, {}, 'merchant.dba: '],
  ])('may not be added elsewhere, and excuses nothing else: %j %j', (patch, more, problem) => {
    expect(problems(patch, more)).toEqual([expect.stringContaining(problem)]);
  });

  it('may not be added to v1 of the create, which takes no other fields', () => {
    const input = merchant(undefined, { createVersion: 'v1' });
    expect(problems({ merchant: { taxClassification: 'LLC' } }, {}, input)).toEqual([
      expect.stringContaining(`merchant.taxClassification: ${UNKNOWN}`),
    ]);
  });

  it('excuses no rule between fields', () => {
    const patch = { merchant: { taxClassification: 'LLC', pos: 'Northern Till' } };
    expect(checkOf('merchantBoarding', merchant(), { asked }, named)(patch)).toEqual([
      'merchant.pos: belongs to another account',
    ]);
  });

  it('that was added stays, whatever is corrected later', () => {
    const before = merchant();
    const input = { ...before, merchant: { ...before.merchant, taxClassification: 'LLC' } };
    expect(problems({ application: { volume: 1 } }, { asked: [], merchantExists: true }, input)).toEqual([]);
    expect(problems({ merchant: { email: 'x@example.com' } }, { asked: [] }, input)).toEqual([]);
  });

  it('is in the correction to fill in', () => {
    const blank = blankCorrection({ type: 'merchantBoarding', input: merchant(), asked }, NO_ACCOUNTS);
    expect(blank).toEqual({
      merchant: { taxClassification: '', owner: { taxId: '' } },
      fees: { surcharge: '' },
    });
  });
});

describe('a correction to fill in', () => {
  const terminalInput = { externalId: 't-1', mid: '0001', provisionTerminal: terminal() };
  const blankFor = (type: CorrectableType, input: object, asked: readonly string[], progress: object = {}) =>
    blankCorrection({ type, input, asked, ...progress }, NO_ACCOUNTS);
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
    expect(blankFor('terminalProvisioning', terminalInput, ['provisionTerminal.account.address'])).toEqual({
      provisionTerminal: { account: { address: { street_line1: '', city: '', state: '', zip: '' } } },
    });
    const blank = blankFor('merchantBoarding', merchant(), ['application.__proto__.x'], created);
    expect(JSON.stringify(blank)).toBe('{"application":{"__proto__":{"x":""}}}');
  });

  it.each<[CorrectableType, object, object]>([
    ['merchantBoarding', merchant(), {}],
    ['merchantBoarding', merchant(), created],
    ['businessOnboarding', business(), {}],
    ['terminalProvisioning', terminalInput, {}],
    ['terminalProvisioning', terminalInput, { paymentsAccountExists: true }],
  ])('of %s has a form that the check takes, for every field: %#', (type, input, progress) => {
    const fill = (inside: unknown): unknown =>
      typeof inside === 'object' && inside !== null
        ? Object.fromEntries(Object.entries(inside).map(([name, more]) => [name, fill(more)]))
        : 'x';
    const { schema } = changeable({ type, input, ...progress }, NO_ACCOUNTS);
    for (const { name } of fieldsOf(schema)) {
      const patch = fill(blankFor(type, input, [name], progress));
      const problems = correctionProblems({ type, input, patch, ...progress }, NO_ACCOUNTS);
      const ofForm = problems.filter(({ message }) => /known field|changed|an object|a list/.test(message));
      // Where nobody knows the name of the field, a person fills it in.
      if (!JSON.stringify(patch).includes('""')) expect([name, ofForm]).toEqual([name, []]);
    }
  });
});
