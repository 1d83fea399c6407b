/** What V8 has of "JSON.parse source text access" (ECMAScript proposal), which the types leave out. */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(json: string): unknown;
}

const { parse, rawJSON } = JSON as unknown as ExactJson;

/**
 * Reads JSON whose whole numbers may be beyond 2^53, as an int64 is: such a number becomes a `bigint`, where
 * `JSON.parse` would round it.
 *
 * @throws {SyntaxError} when it is not JSON
 */
export function parseExactly(text: string): unknown {
  return parseWith(text, BigInt);
}

/**
 * Reads JSON that travels on as JSON, through readers that round: a whole number beyond 2^53 becomes the text of its digits.
 *
 * @throws {SyntaxError} when it is not JSON
 */
export function parseKeepingDigits(text: string): unknown {
  return parseWith(text, (digits) => digits);
}

function parseWith(text: string, large: (digits: string) => unknown): unknown {
  // A number beyond 2^53 has at least 16 digits, which most texts are without.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return parse(text, (_, value, { source = '' }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
      ? large(source)
      : value,
  );
}

/** Writes what {@link parseExactly} reads: as `JSON.stringify` does, and a `bigint` as a plain number. */
export function writeExactly(value: unknown): string {
  const asNumber = (_: string, member: unknown) =>
    typeof member === 'bigint' ? rawJSON(String(member)) : member;
  return JSON.stringify(value, asNumber) ?? 'null';
}

/** A whole number as readers that round keep it: a number up to 2^53, the text of its digits beyond. */
export function keepingDigits(whole: bigint): number | string {
  const number = Number(whole);
  return Number.isSafeInteger(number) ? number : String(whole);
}
