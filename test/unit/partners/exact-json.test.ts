import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactly, writeExactly } from '../../../src/partners/exact-json.js';

describe('exact JSON', () => {
  it.each([
    ['{"id":9007199254740993}', { id: 9007199254740993n }],
    ['[9007199254740991,9007199254740992]', [9007199254740991, 9007199254740992n]],
    ['[-0.5,1e2,12.25,-7]', [-0.5, 100, 12.25, -7]],
    ['[1e400]', [Number.POSITIVE_INFINITY]],
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
