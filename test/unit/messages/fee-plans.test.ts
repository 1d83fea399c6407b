import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FeePlan, unknownLines } from '../../../src/messages/fee-plans.js';
import { customerOnboardingInput, merchantBoardingInput } from '../../../src/messages/inputs.js';
import { fieldProblems } from '../../../src/partners/schema-messages.js';
import { feePlansIn, followFeePlans } from '../../../src/temporal/fee-plans.js';
import { customer, merchant } from '../../rigs/inputs.js';

const RETAIL = {
  name: 'retail-2026',
  fees: {
    cashDiscountRate: 3.5,
    visaMasterCardDiscover: { interchangePlus: { qualified: { perItem: 0.1, percent: 0.25 } } },
    cardBrand: { passThrough: true },
    miscFees: [{ name: 'Setup', amount: 25 }],
  },
  mayChange: ['visaMasterCardDiscover.interchangePlus.qualified', 'miscFees.0.amount'],
};

const QUALIFIED = 'visaMasterCardDiscover.interchangePlus.qualified';

function plans(...all: readonly object[]): readonly FeePlan[] {
  const read = feePlansIn(JSON.stringify(all));
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.plans;
}

const accounts = { posNames: [], accounts: {}, feePlans: () => plans(RETAIL, { ...RETAIL, name: 'online' }) };

function started(more: object) {
  const { data, error } = merchantBoardingInput(accounts).safeParse({ ...merchant(), ...more });
  return error
    ? Object.fromEntries(fieldProblems(error).map(({ field, message }) => [field, message]))
    : data;
}

const line = (values: object) => ({ visaMasterCardDiscover: { interchangePlus: { qualified: values } } });

describe('the fee plan of an input', () => {
  it('becomes its fees, and the input keeps the name', () => {
    expect(started({ feePlan: 'retail-2026' })).toMatchObject({ feePlan: 'retail-2026', fees: RETAIL.fees });
    const { boarding, ...rest } = customer();
    const of = { ...rest, boarding: { ...boarding, feePlan: 'retail-2026' } };
    expect(customerOnboardingInput(accounts).parse(of).boarding.fees).toEqual(RETAIL.fees);
  });

  it('stays as it is where no plans are known, as in the input of a workflow', () => {
    const input = merchant(undefined, { feePlan: 'gone', fees: { cashDiscountRate: 1 } });
    expect(merchantBoardingInput().parse(input)).toMatchObject({
      feePlan: 'gone',
      fees: { cashDiscountRate: 1 },
    });
  });

  it('takes the numbers of the input that the plan lets one change, and the others stay', () => {
    const fees = line({ perItem: 0.1, percent: 0.3 });
    expect(started({ feePlan: 'retail-2026', fees })).toMatchObject({
      fees: { ...RETAIL.fees, visaMasterCardDiscover: fees.visaMasterCardDiscover },
    });
  });

  it.each<[string, object, string, RegExp]>([
    [
      'a number that may not change',
      { cashDiscountRate: 3.6 },
      'fees.cashDiscountRate',
      /^is 3.5 in fee plan/,
    ],
    ['a flag', { cardBrand: { passThrough: false } }, 'fees.cardBrand.passThrough', /^is true in fee plan/],
    [
      'a line of no plan',
      { amex: { qualifed: 1 } },
      'fees.amex.qualifed',
      /^is not in .*; did you mean .*qualified/,
    ],
    [
      'more items of a list',
      { miscFees: [{ amount: 25 }, { amount: 1 }] },
      'fees.miscFees.1.amount',
      /^is not in/,
    ],
    ['a group in place of a number', { cashDiscountRate: {} }, 'fees.cashDiscountRate', /number/],
    [
      'text in place of a number',
      { miscFees: [{ amount: '25' }] },
      'fees.miscFees.0.amount',
      /^must be a number/,
    ],
    ['a name that objects inherit', { amex: { constructor: 1 } }, 'fees.amex.constructor', /^is not in/],
  ])('refuses %s at its field', (_, fees, field, rule) => {
    expect(started({ feePlan: 'retail-2026', fees })).toEqual({ [field]: expect.stringMatching(rule) });
  });

  it('that is unknown is refused with the nearest and all others, beside every other problem', () => {
    const wrong = started({ feePlan: 'retail-2025', dueInHours: 0 });
    expect(wrong).toEqual({
      feePlan: 'must be one of the fee plans: retail-2026, online; did you mean retail-2026?',
      dueInHours: 'must be more than 0, in hours',
    });
  });

  it.each(['x'.repeat(100_000), '__proto__', '../plans', ''])('is a short plain name (%#)', (feePlan) => {
    expect(started({ feePlan })).toHaveProperty('feePlan');
  });

  it('is refused with the setting while there is no file', () => {
    const without = { ...accounts, feePlans: followFeePlans(undefined) };
    const { error } = merchantBoardingInput(without).safeParse(
      merchant(undefined, { feePlan: 'retail-2026' }),
    );
    expect(error?.issues[0]?.message).toContain('GANGWAY_FEE_PLANS names no file');
  });
});

describe('a file of fee plans', () => {
  it.each<[string, string, string, RegExp]>([
    ['no JSON', '[', '', /not JSON/],
    ['one plan without a list', JSON.stringify(RETAIL), '', /list/],
    [
      'an unknown group',
      JSON.stringify([{ ...RETAIL, fees: { visa: { a: 1 } } }]),
      '0.fees.visa',
      /not a known field/,
    ],
    ['a plan without fees', JSON.stringify([{ name: 'a' }]), '0.fees', /required/],
    [
      'a plan without a value',
      JSON.stringify([{ name: 'a', fees: { amex: {} } }]),
      '0.fees',
      /must have a fee/,
    ],
    [
      'half a line',
      '[{"name":"a","fees":{"amex":{"q":{"percent":1}}}}]',
      '0.fees.amex.q.perItem',
      /required/,
    ],
    ['null, which would remove a fee', '[{"name":"a","fees":{"amex":{"q":null}}}]', '0.fees.amex.q', /null/],
    [
      'a number beyond a double',
      '[{"name":"a","fees":{"cashDiscountRate":1e400}}]',
      '0.fees.cashDiscountRate',
      /./,
    ],
    [
      '__proto__',
      '[{"name":"a","fees":{"amex":{"__proto__":{"perItem":1,"percent":1}}}}]',
      '0.fees.amex.__proto__',
      /cannot be a name/,
    ],
    [
      'a line that is there twice',
      '[{"name":"a","fees":{"amex":{"q":1,"q":2}}}]',
      '0.fees.amex.q',
      /there twice/,
    ],
    [
      'two plans of one name',
      JSON.stringify([RETAIL, { ...RETAIL, name: 'Retail-2026' }]),
      '1.name',
      /another plan/,
    ],
    [
      'a change of no number',
      JSON.stringify([{ ...RETAIL, mayChange: ['amex'] }]),
      '0.mayChange.0',
      /is no number/,
    ],
    [
      'a change of a flag',
      JSON.stringify([{ ...RETAIL, mayChange: ['cardBrand'] }]),
      '0.mayChange.0',
      /is no number/,
    ],
    ['too deep', '['.repeat(10_000) + ']'.repeat(10_000), '', /nested/],
    ['too long', ' '.repeat(1024 * 1024 + 1), '', /1 MiB/],
  ])('is refused with %s', (_, text, field, rule) => {
    const read = feePlansIn(text);
    expect('problems' in read && read.problems).toContainEqual({
      field,
      message: expect.stringMatching(rule),
    });
  });

  it('is read again when it changes, and keeps its last good plans while it cannot be used', () => {
    const folder = mkdtempSync(join(tmpdir(), 'plans-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'plans.json');
    const read = followFeePlans(file);
    expect(read).toThrow('GANGWAY_FEE_PLANS: cannot be read (ENOENT)');
    writeFileSync(file, JSON.stringify([RETAIL]));
    expect(read().map(({ name }) => name)).toEqual(['retail-2026']);
    expect(read()).toBe(read());
    writeFileSync(file, '[{}]');
    expect(read().map(({ name }) => name)).toEqual(['retail-2026']);
    expect(followFeePlans(file)).toThrow('GANGWAY_FEE_PLANS: 0.name: is required');
    writeFileSync(file, JSON.stringify([{ ...RETAIL, name: 'next' }]));
    expect(read().map(({ name }) => name)).toEqual(['next']);
  });
});

describe('unknownLines', () => {
  it('names each line that the own fees lack, with the nearest one, and the fields of the line once', () => {
    const own = { authorizationMonthlyAndSpecialProgram: { chargeback: { perItem: 25, percent: 0 } } };
    const fees = {
      authorizationMonthlyAndSpecialProgram: { chargebak: { perItem: 25, percent: 0 } },
      miscFees: [{ a: 1 }],
    };
    expect(unknownLines(fees, own, 'merchant 1')).toEqual([
      {
        field: 'fees.authorizationMonthlyAndSpecialProgram.chargebak',
        message: 'is in no fee of merchant 1; did you mean authorizationMonthlyAndSpecialProgram.chargeback?',
      },
    ]);
    expect(unknownLines(fees, {}, 'merchant 1')).toEqual([]);
    expect(unknownLines(line({ percent: 9 }), line({ percent: 1, perItem: 0 }), 'merchant 1')).toEqual([]);
  });
});

it(`a number of ${QUALIFIED} may be named by its line`, () => {
  expect(started({ feePlan: 'online', fees: line({ perItem: 0.2, percent: 0.25 }) })).toMatchObject({
    fees: line({ perItem: 0.2, percent: 0.25 }),
  });
});
