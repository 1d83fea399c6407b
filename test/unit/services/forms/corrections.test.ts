import { describe, expect, it } from 'vitest';
import type { Correctable } from '../../../../src/messages/activities.js';
import {
  changeableFields,
  changeLines,
  changesOf,
  checkCorrection,
  formatValue,
  isCorrectable,
} from '../../../../src/services/forms/corrections.js';
import { merchant } from '../../../rigs/inputs.js';

const KNOWN = { posNames: [], accounts: {} } as never;

const BOARDING: Correctable = {
  type: 'merchantBoarding',
  input: {
    ...merchant(),
    externalId: 'm-1',
    fees: { minimumDiscountAmount: 25, rates: [{ name: 'Visa', rate: 1.5 }] },
    application: { volume: 180_000, owner: { ssn: '123-45-6789', city: 'Albany' } },
  },
};

const change = (patch: object, more: Partial<Correctable> = {}) =>
  changesOf({ ...BOARDING, ...more }, patch as never);

describe('the changes of a correction', () => {
  const LIKE_VOLUME = 'new field; did you mean volume?';
  it.each<[patch: object, ...changes: [field: string, before: unknown, after: unknown, remark: string][]]>([
    [{}],
    [{ application: { volume: 180_000 } }],
    [{ application: { volume: 240_000 } }, ['application.volume', 180_000, 240_000, '']],
    [{ merchant: { pos: null } }, ['merchant.pos', 'None', undefined, '']],
    // A list is replaced as a whole, and what is the same in it does not count.
    [{ fees: { rates: [{ name: 'Visa', rate: 2 }] } }, ['fees.rates.0.rate', 1.5, 2, '']],
    // Private values are masked, before and after.
    [{ application: { owner: { ssn: '9' } } }, ['application.owner.ssn', '[Redacted]', '[Redacted]', '']],
    [{ application: { volumee: 1 } }, ['application.volumee', undefined, 1, LIKE_VOLUME]],
    [{ application: { quite: { other: 1 } } }, ['application.quite', undefined, { other: 1 }, 'new field']],
  ])('of %j', (patch, ...changes) => {
    const matches = change(patch).map(({ field, before, after, remark }) => [field, before, after, remark]);
    expect(matches).toEqual(changes);
  });

  it('says of a new field that the partner asked for it', () => {
    const questions = ['application.seasonal', 'merchant'];
    const remark = 'new field that the partner asked for; sent as is';
    expect(change({ application: { seasonal: true } }, { fields: questions })).toMatchObject([{ remark }]);
    expect(change({ application: { season: true } }, { fields: questions })).toMatchObject([
      { remark: 'new field' },
    ]);
  });
});

describe('a line of a change', () => {
  it('has both values, and what may be wrong', () => {
    const changed = { field: 'fees.volume', before: 180_000, after: 240_000, remark: '' };
    const added = { field: 'fees.volumee', before: undefined, after: 'x', remark: 'new field' };
    const lines = ['  fees.volume: 180000 -> 240000', '  fees.volumee: none -> "x"  (new field)'];
    expect(changeLines([changed, added])).toEqual(lines);
  });

  it.each([
    [undefined, 'none'],
    [null, 'null'],
    ['', '""'],
    ['x'.repeat(58), `"${'x'.repeat(58)}"`],
    ['x'.repeat(59), `"${'x'.repeat(58)}…`],
  ])('shows %j as %s', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });
});

const NUMBER = 'write a number as 1234.56: digits, and a point before the decimals';
it.each<[patch: object, ...problems: [field: string, message: string][]]>([
  [{ application: { volume: 240_000 } }],
  [{ application: { volume: '240000' } }],
  [{ application: { volume: '240.000,50' } }, ['application.volume', NUMBER]],
  // A text may stay a text.
  [{ application: { owner: { city: '240.000,50' } } }],
  [{ externalId: 'm-2' }, ['externalId', expect.stringContaining('cannot be changed') as never]],
])('the correction %j has these problems: %j', (patch, ...problems) => {
  const check = () => checkCorrection(BOARDING, patch as never, KNOWN);
  if (problems.length === 0) return expect(check).not.toThrow();
  const matches = problems.map(([field, message]) => ({ field, message }));
  expect(check).toThrow(expect.objectContaining({ problems: matches }));
});

it.each([
  ['merchant-boarding-m-1', true],
  ['business-onboarding-m-1@north', true],
  ['customer-onboarding-m-1', false],
  ['partner-account-boarding', false],
  ['nonsense', false],
])('the input of %s can be corrected: %s', (workflowId, isSo) => {
  expect(isCorrectable(workflowId)).toBe(isSo);
});

describe('the fields that a correction can change', () => {
  const fieldsOf = (more: Partial<Correctable> = {}) => changeableFields({ ...BOARDING, ...more }, KNOWN);
  const named = (fields: ReturnType<typeof fieldsOf>, start: string) =>
    fields.filter(({ name }) => name.startsWith(start));

  it('are those of the schema with their present values, and those that are in an open field', () => {
    const fields = fieldsOf();
    expect(named(fields, 'merchant.dba')).toMatchObject([{ isRequired: true, now: 'Corner Bakery' }]);
    const open = fields.filter(({ name }) => /^application\.(volume|owner)/.test(name));
    const any = { isRequired: false, type: 'any', kind: 'text', rule: '' };
    expect(open).toEqual([
      { ...any, name: 'application.volume', now: 180_000 },
      { ...any, name: 'application.owner.ssn', now: '[Redacted]' },
      { ...any, name: 'application.owner.city', now: 'Albany' },
    ]);
    expect(named(fields, 'externalId')).toEqual([]);
    expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
  });

  it('are fees and application alone, once the merchant exists', () => {
    const tops = new Set(fieldsOf({ merchantExists: true }).map(({ name }) => name.split('.')[0]));
    expect([...tops].sort()).toEqual(['application', 'fees']);
  });

  it('are also those that the partner asked for, once each', () => {
    // The input has no guid, and no other place takes one.
    const questions = ['merchant.seasonal', 'application.volume', 'merchant.email', 'guid'];
    const rule = 'the partner asked for it; sent as is';
    const fields = fieldsOf({ fields: questions });
    const any = { isRequired: false, type: 'any', kind: 'text', rule };
    expect(named(fields, 'merchant.seasonal')).toEqual([
      { ...any, name: 'merchant.seasonal', now: undefined },
    ]);
    expect(named(fields, 'application.volume')).toHaveLength(1);
    expect(named(fields, 'merchant.email')).toMatchObject([{ type: 'string' }]);
    expect(named(fields, 'guid')).toEqual([]);
  });
});
