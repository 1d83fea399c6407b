import { describe, expect, it } from 'vitest';
import { businessOnboardingInput, merchantBoardingInput } from '../../../../src/messages/inputs.js';
import { patchFrom, settingsFrom } from '../../../../src/services/forms/set-fields.js';
import { InvalidInput } from '../../../../src/services/texts/invalid-input.js';
import { business, merchant, OWNER } from '../../../rigs/inputs.js';

const application = { profile: { volume: 180_000, zip: '12207', isOpen: true, note: 'x' } };
const input = merchant(undefined, { application });

const patch = (...values: string[]) => patchFrom(settingsFrom(values), input, merchantBoardingInput());

function problemsOf(...values: string[]): readonly unknown[] {
  try {
    return [patch(...values)];
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.problems.length > 0 ? error.problems.map(({ message }) => message) : [error.message];
  }
}

describe('--set', () => {
  it.each([
    ['application.profile.volume=240000', { application: { profile: { volume: 240_000 } } }],
    ['application.profile.volume=24.5', { application: { profile: { volume: 24.5 } } }],
    ['application.profile.zip=12208', { application: { profile: { zip: '12208' } } }],
    ['application.profile.code=00123', { application: { profile: { code: '00123' } } }],
    ['application.profile.isOpen=false', { application: { profile: { isOpen: false } } }],
    ['application.profile.note=null', { application: { profile: { note: null } } }],
    ['application.profile.note="null"', { application: { profile: { note: 'null' } } }],
    ['application.profile.note=a=b', { application: { profile: { note: 'a=b' } } }],
    ['application.profile.volume="1.234,56"', { application: { profile: { volume: '1.234,56' } } }],
    ['application.other={"a": [1]}', { application: { other: { a: [1] } } }],
    ['merchant.dba=123', { merchant: { dba: '123' } }],
    ['merchant.email=', { merchant: { email: '' } }],
    ['agentProfileId=102', { agentProfileId: 102 }],
    ['boardingSettings=false', { boardingSettings: false }],
    ['fees.minimumDiscountAmount=25', { fees: { minimumDiscountAmount: 25 } }],
  ])('%s makes a merge patch with the type of the field', (value, expected) => {
    expect(patch(value)).toEqual(expected);
  });

  it('is repeatable', () => {
    expect(patch('merchant.dba=One', 'merchant.email=null', 'merchant.lastName=Two')).toEqual({
      merchant: { dba: 'One', lastName: 'Two' },
    });
  });

  it('changes, adds and removes an item of a list, which is in the patch as a whole', () => {
    const owned = business(undefined, { beneficialOwners: [OWNER] });
    const of = (...values: string[]) => patchFrom(settingsFrom(values), owned, businessOnboardingInput());
    expect(of('beneficialOwners.0.city=Troy')).toEqual({ beneficialOwners: [{ ...OWNER, city: 'Troy' }] });
    expect(of('beneficialOwners.1.city=Troy')).toEqual({ beneficialOwners: [OWNER, { city: 'Troy' }] });
    expect(of('beneficialOwners.0=null')).toEqual({ beneficialOwners: [] });
    expect(owned.beneficialOwners).toEqual([OWNER]);
    expect(() => of('beneficialOwners.3.city=Troy')).toThrow(InvalidInput);
  });

  it.each([
    ['application.profile.volume=1.234,56', /^write a number as 1234\.56.*; to send it as text: --set /],
    ['application.profile.volume=lots', /^is a number, so write it as 1234\.56/],
    ['application.profile.opened=31.12.1980', /^write a date as 1980-12-31/],
    [
      'fees.minimumDiscountAmount=1.234,56',
      /^write a number as 1234\.56: digits, and a point before the decimals$/,
    ],
    ['__proto__.x=1', /^is not a field$/],
    ['application..x=1', /^is not a field$/],
    [
      'application.other={"a": 1',
      /^--set application\.other: is not JSON: line 1, column 8: the text ends early$/,
    ],
    ['application', /^--set: must be FIELD=VALUE, such as application\.volume=240000$/],
    ['application.profile.volume=180000', /^--set: changes nothing/],
  ])('%s is rejected with the form that is wanted', (value, message) => {
    expect(problemsOf(value)).toEqual([expect.stringMatching(message)]);
  });

  it('changes no input and no prototype', () => {
    const before = structuredClone(input);
    patch('application.profile.volume=1', 'merchant.dba=Other');
    expect(input).toEqual(before);
    expect(problemsOf('application.constructor.x=1')).toEqual([{ application: { constructor: { x: 1 } } }]);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});
