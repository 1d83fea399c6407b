import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  businessOnboardingInput,
  customerOnboardingInput,
  merchantBoardingInput,
} from '../../../src/messages/inputs.js';
import { fieldProblems, localeRule } from '../../../src/partners/schema-messages.js';
import { business, customer, merchant } from '../../rigs/inputs.js';

function problems(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return error ? fieldProblems(error).map(({ field, message }) => `${field}: ${message}`) : [];
}

describe('an unknown field', () => {
  const [ofMerchant, ofCustomer] = [merchant(), customer()];
  const withOwner = { ...ofCustomer.business, beneficialOwner: [] };
  it.each<[value: object, field: string, meant: string]>([
    [{ ...ofMerchant, boardingSettingId: 11 }, 'boardingSettingId', 'boardingSettingsId'],
    [{ merchant: { ...ofMerchant.merchant, frstName: 'x' } }, 'merchant.frstName', 'firstName'],
    [{ ...ofCustomer, business: withOwner }, 'business.beneficialOwner', 'beneficialOwners'],
  ])('gets the nearest ones, at any depth: %#', (value, field, meant) => {
    const schema = 'business' in value ? customerOnboardingInput() : merchantBoardingInput();
    expect(problems(schema, value)).toContain(`${field}: is not a known field; did you mean ${meant}?`);
  });

  it('that is similar to none is named alone, and several are named each by itself', () => {
    expect(problems(merchantBoardingInput(), { ...merchant(), color: 1, agnt: 'x' })).toEqual([
      'color: is not a known field',
      'agnt: is not a known field; did you mean agent?',
    ]);
  });

  it('is the last of a hundred that get a suggestion, because each takes a while', () => {
    const unknown = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`agent${n}`, 1]));
    const all = problems(merchantBoardingInput(), { ...merchant(), ...unknown });
    expect(all.slice(99)).toEqual([
      'agent99: is not a known field; did you mean agent?',
      'agent100: is not a known field',
    ]);
  });
});

describe('a value in the form of another country', () => {
  it.each(['31.12.1980', '12/31/1980'])('is rejected with the form that is wanted: %s', (dateOfBirth) => {
    const input = business();
    const changed = { ...input, holder: { ...input.holder, dateOfBirth } };
    const problem = 'holder.dateOfBirth: must be a date and time such as 2026-01-05T12:00:00Z';
    expect(problems(businessOnboardingInput(), changed)).toEqual([problem]);
  });

  it.each([
    ['1.234,56', 'must be a number such as 1234.56'],
    ['1,234.56', 'must be a number such as 1234.56'],
    ['25', 'must be a number, without quotes'],
    ['9007199254740993', 'must have 15 digits at most'],
    [9_007_199_254_740_993n, 'must have 15 digits at most'],
  ])('is rejected where a number is wanted: %s', (minimumDiscountAmount, message) => {
    const input = { ...merchant(), fees: { minimumDiscountAmount } };
    expect(problems(merchantBoardingInput(), input)).toEqual([`fees.minimumDiscountAmount: ${message}`]);
  });

  it.each(['1.234,56', '1,234.56', "1'234", '12,5', '1 234', '1.234.567', '-1.234,5'])(
    '%s is no number for us',
    (text) => expect(localeRule(text)).toContain('1234.56'),
  );

  it.each(['31.12.1980', '12/31/1980', '1-2-80'])('%s is no date for us', (text) =>
    expect(localeRule(text)).toContain('1980-12-31'),
  );

  it.each(['240000', '-1.5', '1.234', '1980-12-31', 'Corner Bakery', '192.168.0.1', '518-555-0100', '3, 4'])(
    '%s is left alone',
    (text) => expect(localeRule(text)).toBeUndefined(),
  );
});

describe('a value outside the allowed ones', () => {
  const color = z.object({ color: z.enum(['green', 'yellow', 'orange', 'violet']), flag: z.boolean() });

  it('gets all, and of many the nearest', () => {
    expect(problems(color, { color: 'yelow', flag: true })).toEqual([
      'color: must be one of green, yellow, orange, violet; did you mean yellow?',
    ]);
    expect(problems(color, { color: 7, flag: 'yes' })).toEqual([
      'color: must be one of green, yellow, orange, violet',
      'flag: must be true or false, without quotes',
    ]);
    expect(problems(color, { flag: true })).toEqual([
      'color: is required: one of green, yellow, orange, violet',
    ]);
  });

  it('is never repeated', () => {
    expect(JSON.stringify(problems(color, { color: 'private', flag: 'private' }))).not.toContain('private');
  });
});

describe('a rule without words of its own', () => {
  const schema = z.object({
    amount: z.number().max(500),
    rate: z.number().positive(),
    code: z.string().length(3),
    names: z.array(z.string()).max(1),
    text: z.string(),
    address: z.object({}),
    count: z.int(),
  });

  it.each([
    [{ amount: 501 }, 'amount: must be at most 500'],
    [{ rate: 0 }, 'rate: must be more than 0'],
    [{ code: 'x' }, 'code: must be exactly 3 characters'],
    [{ names: ['a', 'b'] }, 'names: must have at most 1 item'],
    [{ text: 5 }, 'text: must be text'],
    [{ address: [] }, 'address: must be an object'],
    [{ address: 'x' }, 'address: must be an object'],
    [{ count: 1.5 }, 'count: must be a whole number'],
    [{ count: undefined }, 'count: is required'],
  ])('is worded like the list of the rules: %j', (wrong, problem) => {
    const right = { amount: 1, rate: 1, code: 'abc', names: [], text: '', address: {}, count: 1 };
    expect(problems(schema, { ...right, ...wrong })).toEqual([problem]);
  });
});
