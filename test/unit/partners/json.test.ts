import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isNestedDeeper,
  keepAllDigits,
  keepDigits,
  parseExactly,
  parsePreservingNumbers,
  withoutDepth,
  writeExactly,
} from '../../../src/partners/json.js';

describe('exact JSON', () => {
  it.each([
    ['{"id":9007199254740993}', { id: 9007199254740993n }],
    ['[9007199254740991,9007199254740992]', [9007199254740991, 9007199254740992n]],
    ['[-0.5,1e2,12.25,-7]', [-0.5, 100, 12.25, -7]],
    ['[1e400]', [Number.POSITIVE_INFINITY]],
    [`[${'9'.repeat(400)}]`, [Number.POSITIVE_INFINITY]],
    ['[12345678901234567.5,1e22]', [12345678901234568, 1e22]],
    ['{"id":1,"id":9007199254740993}', { id: 9007199254740993n }],
    ['"9007199254740993"', '9007199254740993'],
  ])('reads %s', (text, value) => {
    expect(parseExactly(text)).toEqual(value);
  });

  it('writes a bigint as a plain number', () => {
    expect(writeExactly({ id: 9223372036854775807n, name: 'é' })).toBe(
      '{"id":9223372036854775807,"name":"é"}',
    );
  });

  it('keeps every int64', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (id) => {
        const { id: read } = parseExactly(writeExactly({ id })) as { id: number | bigint };
        return BigInt(read) === id;
      }),
    );
  });

  it('keeps digits as text where the next reader would round', () => {
    const json = '{"a":[9223372036854775807,-9007199254740992,9007199254740991,0.1]}';
    expect(parsePreservingNumbers(json)).toEqual({
      a: ['9223372036854775807', '-9007199254740992', 9007199254740991, 0.1],
    });
    const digits = [9007199254740991n, 9007199254740992n].map(keepDigits);
    expect(digits).toEqual([9007199254740991, '9007199254740992']);
  });

  it.each([
    '518000000000000000001234',
    '-9007199254740993',
    '1.00000000000000001',
    '12345678901234567.5',
    '0.1000000000000000055511151231257827',
    '1e400',
    '1e-400',
    '123456789.123456789e-3',
  ])('keeps the text of a number that a double does not hold: %s', (text) => {
    expect(parsePreservingNumbers(`[${text}]`)).toEqual([text]);
  });

  it.each([
    ['1.10', 1.1],
    ['0.10000000000000000000', 0.1],
    ['1e22', 1e22],
    ['1.5e+300', 1.5e300],
    ['5e-324', 5e-324],
    ['100000000000000000000.0e-5', 1e15],
    ['-0.0', -0],
    ['-1.5', -1.5],
  ])('and the number of any other: %s', (text, value) => {
    expect(parsePreservingNumbers(`[${text}]`)).toEqual([value]);
  });

  it('keeps each double as the number that it is', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const isLarge = Number.isInteger(value) && !Number.isSafeInteger(value);
        expect(parsePreservingNumbers(JSON.stringify([value]))).toEqual(
          isLarge && !JSON.stringify(value).includes('e')
            ? [JSON.stringify(value)]
            : [value === 0 ? 0 : value],
        );
      }),
    );
  });

  it('turns what it read exactly into JSON for readers that round', () => {
    const read = parseExactly('{"a":[{"id":9007199254740993}],"b":9007199254740991,"c":null}');
    expect(keepAllDigits(read)).toEqual({ a: [{ id: '9007199254740993' }], b: 9007199254740991, c: null });
  });

  it.each(['{', '{"id":9007199254740993', '9007199254740993x'])('does not read %s', (text) => {
    expect(() => parseExactly(text)).toThrow(SyntaxError);
    expect(() => parsePreservingNumbers(text)).toThrow(SyntaxError);
  });

  it('writes all other JSON as JSON.stringify does, whatever is undefined left out', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.option(fc.jsonValue(), { nil: undefined })), (value) => {
        expect(writeExactly(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('reads all that JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(writeExactly({ read: parseExactly(text) })).toBe(JSON.stringify({ read: JSON.parse(text) }));
      }),
    );
  });
});

describe('how deep a JSON value is nested', () => {
  it.each<[string, number]>([
    ['7', 0],
    ['"[[[["', 0],
    ['null', 0],
    ['[]', 1],
    ['{"a":1,"b":"{"}', 1],
    ['[1,[2,{"a":null}],3]', 3],
  ])('%s has %i levels', (json, levels) => {
    expect(isNestedDeeper(JSON.parse(json), levels)).toBe(false);
    expect(levels === 0 || isNestedDeeper(JSON.parse(json), levels - 1)).toBe(true);
  });

  it('is determined for half a million levels', () => {
    expect(isNestedDeeper(JSON.parse('['.repeat(500_000) + ']'.repeat(500_000)))).toBe(true);
  });
});

describe('JSON cut off below a level', () => {
  it.each([
    ['[1,[2,[3]],[4]]', 3, '[1,[2,[3]],[4]]'],
    ['[1,[2,[3]],[4]]', 2, '[1,[2,[]],[4]]'],
    ['[1,[2,[3]],[4]]', 1, '[1,[],[]]'],
    ['{"a":{"b":{"c":1}},"d":"}{"}', 1, '{"a":{},"d":"}{"}'],
    ['{"a\\"{":{"\\\\":["]"]}}', 2, '{"a\\"{":{"\\\\":[]}}'],
    ['7', 0, '7'],
  ])('%s to %i levels', (json, most, stored) => {
    expect(withoutDepth(json, most)).toBe(stored);
  });

  it.each(['[[[', '[1,[2,[3]]', '[[["a]]]', '[[[}}]'])('%s stays unreadable', (json) => {
    expect(() => JSON.parse(withoutDepth(json, 2))).toThrow(SyntaxError);
  });
});
