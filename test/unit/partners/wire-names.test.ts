import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Operation } from '../../../src/partners/catalogue.js';
import { encode } from '../../../src/partners/encoding.js';
import { fromWire, ownPath, renameInJsonSchema, toWire } from '../../../src/partners/wire-names.js';

const phone = z.string().regex(/^\d{10}$/);

/** Renamed fields at the top, in an object, in a list and in a union, behind what may wrap a schema. */
const person = z.strictObject({
  homePhone: phone.meta({ wireName: 'phoneNumber' }).nullish(),
  name: z.string(),
});
const request = z
  .looseObject({
    id: z.int().meta({ wireName: 'merchantId' }),
    note: z.string().optional(),
    owner: person.optional(),
    owners: z.array(person).default([]),
    either: z.union([z.strictObject({ first: z.string().meta({ wireName: 'one' }) }), z.string()]).optional(),
  })
  .refine(() => true);

const ours = {
  id: 7,
  owner: { homePhone: '5185550100', name: 'Ada' },
  owners: [{ name: 'Bo' }, { homePhone: null, name: 'Cy' }],
  either: { first: 'x' },
  unknown: { homePhone: 'stays' },
};
const theirs = {
  merchantId: 7,
  owner: { phoneNumber: '5185550100', name: 'Ada' },
  owners: [{ name: 'Bo' }, { phoneNumber: null, name: 'Cy' }],
  either: { one: 'x' },
  unknown: { homePhone: 'stays' },
};

describe('a field that the partner calls otherwise', () => {
  it('has the name of the partner on the wire, and ours everywhere else', () => {
    expect(toWire(request, ours)).toEqual(theirs);
    expect(fromWire(request, theirs)).toEqual(ours);
  });

  it('is read by that name only', () => {
    expect(
      fromWire(request, { id: 7, merchantId: 8, owner: { homePhone: '5185550100', name: 'Ada' } }),
    ).toEqual({
      id: 8,
      owner: { name: 'Ada' },
    });
  });

  it('is sent by that name, in the query and in the body', () => {
    const operation = { request, path: '/merchants', query: ['id'], method: 'POST' } as unknown as Operation;
    expect(encode(operation, { id: 7, owner: { homePhone: '5185550100', name: 'Ada' } })).toMatchObject({
      path: '/merchants?merchantId=7',
      body: '{"owner":{"phoneNumber":"5185550100","name":"Ada"}}',
    });
  });

  it('has our name in a problem that the partner reports', () => {
    expect(ownPath(request, 'owner.PhoneNumber')).toBe('owner.homePhone');
    expect(ownPath(request, 'owners.1.phoneNumber')).toBe('owners.1.homePhone');
    expect(ownPath(request, 'merchantId')).toBe('id');
    expect(ownPath(request, 'Owner.Name')).toBe('Owner.Name');
    expect(ownPath(request, 'other.phoneNumber')).toBe('other.phoneNumber');
  });

  it('has the name of the partner in a JSON Schema', () => {
    const schema = z.toJSONSchema(person, {
      override: ({ zodSchema, jsonSchema }) => renameInJsonSchema(zodSchema, jsonSchema),
    });
    expect(schema.properties).toEqual({
      phoneNumber: { anyOf: [{ type: 'string', pattern: '^\\d{10}$' }, { type: 'null' }] },
      name: { type: 'string' },
    });
    expect(schema.required).toEqual(['name']);
  });

  it('does not exist where no schema names one', () => {
    const plain = z.object({ list: z.array(z.object({ a: z.string() })), self: z.json() });
    const value = { list: [{ a: 'x' }], self: { a: [1] } };
    expect(toWire(plain, value)).toBe(value);
    expect(fromWire(plain, value)).toBe(value);
  });
});
