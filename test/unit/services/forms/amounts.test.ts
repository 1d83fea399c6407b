import { describe, expect, it } from 'vitest';
import { feeText, typedFee } from '../../../../src/services/forms/amounts.js';

const of = (name: string, text: string) => typedFee(['fees', 'amex', 'qualified', name], text);

describe('typedFee', () => {
  it.each<[string, string, number]>([
    ['percent', '3.5%', 3.5],
    ['percent', '3.5 %', 3.5],
    ['percent', '3.5', 3.5],
    ['percent', '0', 0],
    ['percent', '.25%', 0.25],
    ['perItem', '$0.10', 0.1],
    ['perItem', '$ .10', 0.1],
    ['perItem', '0.10', 0.1],
    ['amount', '$25', 25],
    ['share', '25%', 25],
  ])('reads %s %s as %d', (name, text, value) => {
    expect(of(name, text)).toEqual({ value });
  });

  it.each([
    '3,5%',
    '-1%',
    '$3.5',
    '1e400',
    'NaN',
    'Infinity',
    '100.01%',
    '%',
    '',
    '3.5%%',
    '0x10',
    '٣%',
    '3.5 percent',
    '1.2345678',
    '9'.repeat(1_000_000),
    `3${' '.repeat(1_000_000)}%`,
  ])('refuses a percentage that is something else, and guesses nothing (%#)', (text) => {
    expect(of('percent', text)).toEqual({ rule: 'must be a percentage from 0 to 100, such as 3.5 or 3.5%' });
  });

  it.each(['-$0.10', '10%', '$1,000', '10¢', '0.10 USD', '1e2', 'NaN', '$'])(
    'refuses %s as an amount in dollars',
    (text) => {
      expect(of('perItem', text)).toEqual({ rule: 'must be an amount in dollars, such as 0.10 or $0.10' });
    },
  );

  it('refuses a number in the form of a country with its rule', () => {
    expect([of('perItem', '0,10'), of('percent', '3,5')]).toEqual(
      Array(2).fill({ rule: expect.stringContaining('1234.56') }),
    );
  });

  it('leaves other fields and texts to their own rules', () => {
    expect([of('name', 'Setup'), of('name', '2026'), of('name', '$5%')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(typedFee(['application', 'fees', 'percent'], '3.5%')).toBeUndefined();
    expect(typedFee(['boarding', 'fees', 'cashDiscountRate'], '3.5%')).toEqual({ value: 3.5 });
  });
});

it('a fee is shown in its unit', () => {
  const fields = ['amex.q.percent', 'amex.q.perItem', 'amex.q.perItem', 'minimumDiscountType', 'cardBrand.a'];
  const values = [0.25, 0.1, 0.0125, 'Monthly', true];
  expect(fields.map((field, index) => feeText(field, values[index]))).toEqual([
    '0.25%',
    '$0.10',
    '$0.0125',
    'Monthly',
    'true',
  ]);
});
