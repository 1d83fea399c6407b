import { expect, it } from 'vitest';
import { differingFields } from '../../../src/temporal/start.js';

it.each<[unknown, unknown, string[]]>([
  [{ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 }, []],
  [{ a: 1 }, { a: '1' }, ['a']],
  [{ a: 1 }, {}, ['a']],
  [{ a: { b: null } }, { a: { b: {} } }, ['a.b']],
  [{ owners: [{ dob: 'x' }, { dob: 'y' }] }, { owners: [{ dob: 'x' }, { dob: 'z' }] }, ['owners.1.dob']],
  [{ owners: [1] }, { owners: [1, 2] }, ['owners.1']],
  [{ owners: [] }, { owners: {} }, ['owners']],
  [undefined, { a: 1 }, ['']],
])('%j and %j differ in %j', (one, other, fields) => {
  expect(differingFields(one, other)).toEqual(fields);
});
