import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dateTime } from '../../../../src/partners/field-schemas.js';
import { formOf } from '../../../../src/services/forms/schema-fields.js';
import { fieldsIn, inputForm } from '../../../../src/services/forms/typed-input.js';
import { BUSINESS, CUSTOMER, MERCHANT } from '../../../../src/temporal/kinds/kinds.js';

const KNOWN = { posNames: [], accounts: { west: { posNames: [] } } };

const schema = z.strictObject({
  note: z.string().optional(),
  name: z.string().min(1),
  amount: z.number().max(9).optional(),
  isOpen: z.boolean().optional(),
  settings: z.union([z.string(), z.literal(false)]).optional(),
  color: z.enum(['red', 'blue']).default('red'),
  any: z.record(z.string(), z.json()).optional(),
  owners: z
    .array(z.strictObject({ city: z.string().min(1), share: z.int() }))
    .max(2)
    .optional(),
});
const form = inputForm(schema);

const read = (fields: Readonly<Record<string, unknown>>) => form.read(form.typedIn(fields));

describe('the form of a schema', () => {
  it('has what is required first, and the control that suits each field', () => {
    const controls =
      'name text, note text, amount number, isOpen flag, settings text, color choice, owners group, any json';
    expect(form.parts.map(({ name, kind }) => `${name} ${kind}`).join(', ')).toBe(controls);
    expect(form.parts.flatMap(fieldsIn).map(({ name }) => name)).toContain('owners.1.city');
    expect(form.parts.find(({ name }) => name === 'color')).toMatchObject({ rule: 'default: red' });
  });

  it.each([
    ['merchant', MERCHANT],
    ['business', BUSINESS],
    ['customer', CUSTOMER],
  ])('of a %s has a group or a field for everything that its input may have', (_, kind) => {
    const parts = formOf(kind.schema(KNOWN));
    const { properties } = z.toJSONSchema(kind.schema(KNOWN), { io: 'input', unrepresentable: 'any' });
    expect(parts.map(({ name }) => name).toSorted()).toEqual(Object.keys(properties ?? {}).toSorted());
  });
});

it.each([
  ['2026-01-31', { input: { opened: '2026-01-31T00:00:00Z' } }],
  ['2026-01-31T12:30:00Z', { input: { opened: '2026-01-31T12:30:00Z' } }],
  ['31 Jan', { problems: [{ field: 'opened', message: expect.any(String) }] }],
  ['', { problems: [{ field: 'opened', message: 'is required' }] }],
])('a date has a picker, and %j becomes the start of its day: %j', (opened, expected) => {
  const dated = inputForm(z.strictObject({ opened: dateTime }));
  expect(dated.parts).toMatchObject([{ name: 'opened', kind: 'date', rule: '' }]);
  expect(dated.read(dated.typedIn({ opened }))).toEqual(expected);
});

describe('what is typed', () => {
  it('becomes the types of the schema, and an empty field is absent', () => {
    const fields = {
      name: ' Ada ',
      amount: '7.5',
      isOpen: 'true',
      settings: '',
      any: '{"a": [1]}',
      note: '',
    };
    const input = { name: 'Ada', amount: 7.5, isOpen: true, color: 'red', any: { a: [1] } };
    expect(read(fields)).toEqual({ input });
  });

  it('is false where the word stands for it, and text where a number may stand', () => {
    const input = { name: '007', settings: false, color: 'red' };
    expect(read({ name: '007', settings: 'false' })).toEqual({ input });
    expect(read({ name: 'a', settings: '12' })).toMatchObject({ input: { settings: '12' } });
  });

  // Alone catches a value of a list that is refused for its case, and a number for the signs that people put between its digits.
  it.each([
    ['(518) 555-0132', '5185550132'],
    ['518.555.0132', '5185550132'],
    ['518-555-013', undefined],
    ['518 555 0132 x7', undefined],
  ])('takes the phone number %j as %j, and a listed value in any case', (phone, digits) => {
    const phones = inputForm(
      z.strictObject({ phone: z.string().regex(/^\d{10}$/), color: z.enum(['Red']), note: z.string() }),
    );
    const result = phones.read(phones.typedIn({ phone, color: 'RED', note: '12-3456-7890' }));
    if (digits === undefined) expect(result).toMatchObject({ problems: [{ field: 'phone' }] });
    else expect(result).toEqual({ input: { phone: digits, color: 'Red', note: '12-3456-7890' } });
  });

  it('closes gaps in a list, so that a problem is at the item as the page shows it', () => {
    const typed = form.typedIn({ name: 'a', 'owners.1.city': 'Troy' });
    expect([...typed]).toContainEqual(['owners.0.city', 'Troy']);
    expect(form.read(typed)).toEqual({ problems: [{ field: 'owners.0.share', message: 'is required' }] });
  });

  it('has the items of a list from any of their groups, in their order', () => {
    const one = inputForm(z.strictObject({ owners: z.array(z.strictObject({ city: z.string() })).max(4) }));
    const typed = one.typedIn({ 'owners.3.city': 'Troy', 'owners.1.city': 'Rome' });
    expect(one.read(typed)).toEqual({ input: { owners: [{ city: 'Rome' }, { city: 'Troy' }] } });
  });

  it('ignores fields that the schema does not have, and those that are no text', () => {
    const fields = { name: ['a', 'b'], note: { a: 1 }, other: 'x', __proto__: { amount: '1' } };
    expect([...form.typedIn({ ...fields, constructor: 'x' })]).toEqual([]);
  });

  it('is never part of a problem', () => {
    const result = read({ name: 'a', amount: '219-09-9999', any: '{"ssn": 219099999' });
    const problems = [
      { field: 'any', message: expect.stringMatching(/^is not JSON: line 1, column 18/) },
      { field: 'amount', message: expect.stringMatching(/number/) },
    ];
    expect(result).toEqual({ problems });
    expect(JSON.stringify(result)).not.toMatch(/219/);
  });

  it('must not be nested too deeply', () => {
    const deep = `${'['.repeat(600)}${']'.repeat(600)}`;
    expect(read({ name: 'a', any: `{"a": ${deep}}` })).toMatchObject({ problems: [{ field: '' }] });
  });
});
