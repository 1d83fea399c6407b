import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feeDifferences } from '../../../src/activities/boarding/application.js';
import { mergePatch } from '../../../src/messages/objects.js';

/** Any JSON object with few names, so that two of them often meet. */
const { fees } = fc.letrec<{ fees: Record<string, unknown>; value: unknown }>((tie) => ({
  fees: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { maxKeys: 4 }),
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 0, 1, '', '2026-01-01T00:00:00Z'),
    tie('fees'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}));

it('fees with merged changes have no difference to the requested changes', () => {
  fc.assert(
    fc.property(fees, fees, (read, changes) => {
      expect(feeDifferences(changes, mergePatch(read, changes))).toEqual([]);
    }),
  );
});

describe('differences', () => {
  it.each<[string, unknown, unknown, string[]]>([
    ['equal values', { a: 1, b: 'x', c: true }, { a: 1, b: 'x', c: true }, []],
    ['zero', { a: 0 }, { a: 0 }, []],
    ['fields nobody asked for', { a: 1 }, { a: 1, b: 2, c: { d: 3 } }, []],
    ['in a group, fields nobody asked for', { g: { a: 1 } }, { g: { a: 1, b: 2 } }, []],
    ['a field asked as undefined', { a: undefined }, { a: 1 }, []],
    ['another order of fields', { a: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } }, []],
    ['the same instant without fractions', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z', []],
    ['the same instant elsewhere', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', []],
    ['equal lists', [1, { a: 1 }], [1, { a: 1 }], []],
    ['lists whose items have another order of fields', [{ a: 1, b: 2 }], [{ b: 2, a: 1 }], []],
    ['lists whose items got fields from the partner', [{ a: 1 }], [{ id: 7, a: 1 }], []],
    ['lists with the same instant', ['2026-01-01T00:00:00Z'], ['2026-01-01T00:00:00.000Z'], []],
    ['empty lists', [], [], []],
    ['an empty list that is stored as null', { m: [] }, { m: null }, []],
    ['an empty list, and one that is not', { m: [] }, { m: [1] }, ['m']],
    ['null and null', { a: null }, { a: null }, []],
    ['null asked, which removes, and nothing there', { a: null }, {}, []],
    ['another value', { a: 1 }, { a: 2 }, ['a']],
    ['a missing field', { a: 1 }, {}, ['a']],
    ['null instead', { a: 1 }, { a: null }, ['a']],
    ['the same number as text', { a: 1, b: 0.5 }, { a: '1.00', b: ' 0.5' }, []],
    ['the same day without a time', '2026-01-01T00:00:00Z', '2026-01-01', []],
    ['another number as text', { a: 1, b: 0, c: 0 }, { a: '2', b: '', c: 'free' }, ['a', 'b', 'c']],
    ['a number instead of text', { a: '1' }, { a: 1 }, ['a']],
    ['a missing group', { g: { a: 1 } }, {}, ['g']],
    ['deep in groups', { g: { h: { i: 1, j: 2 } } }, { g: { h: { i: 1, j: 3 } } }, ['g.h.j']],
    ['several', { a: 1, b: 2, c: 3 }, { a: 1, b: 0, c: 0 }, ['b', 'c']],
    ['another instant', { d: '2026-01-01T00:00:00Z' }, { d: '2026-01-01T00:00:01Z' }, ['d']],
    ['text that only looks like a year', { d: '2026' }, { d: '2026.0' }, ['d']],
    ['not removed', { a: null }, { a: 1 }, ['a']],
    ['a longer list', { m: [1] }, { m: [1, 2] }, ['m']],
    ['a shorter list', { m: [1, 2] }, { m: [1] }, ['m']],
    ['an empty list', { m: [1] }, { m: [] }, ['m']],
    ['an item of a list', { m: [{ a: 1 }, { a: 2 }] }, { m: [{ a: 1 }, { a: 3 }] }, ['m.1.a']],
    ['a list instead of a group', { g: { a: 1 } }, { g: [1] }, ['g']],
  ])('are named by their paths, or there are none (%s)', (_, question, has, fields) => {
    expect(feeDifferences(question, has).map(({ field }) => field)).toEqual(fields);
  });

  it('have both values', () => {
    expect(feeDifferences({ minimum: 25, amex: { a: 1 } }, { minimum: 0 })).toEqual([
      { field: 'minimum', message: 'asked for 25, the partner has 0' },
      { field: 'amex', message: 'asked for {"a":1}, the partner has nothing' },
    ]);
  });
});
