import { parse, stringify } from 'lossless-json';

/**
 * Reads JSON whose whole numbers may be beyond 2^53, as an int64 is: such a number becomes a `bigint`, where
 * `JSON.parse` would round it.
 *
 * @throws {SyntaxError} when it is not JSON
 */
export function parseExactly(text: string): unknown {
  return parse(text, null, (digits) => {
    const number = Number(digits);
    return Number.isSafeInteger(number) || !/^-?\d+$/.test(digits) ? number : BigInt(digits);
  });
}

/** Writes what {@link parseExactly} reads: as `JSON.stringify` does, and a `bigint` as a plain number. */
export function writeExactly(value: object): string {
  return stringify(value) ?? 'null';
}
