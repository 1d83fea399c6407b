import { eachLeaf } from '../platform/privacy/private-fields.js';

/** The functions of the ECMAScript proposal "JSON.parse source text access", which V8 has and the types lack. */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(json: string): unknown;
}

const { parse, rawJSON } = JSON as unknown as ExactJson;

/**
 * Parses JSON. Whole numbers beyond 2^53, such as an int64, become a `bigint`, where `JSON.parse` would round them. A number too
 * large for a double becomes infinite.
 *
 * @throws {SyntaxError} if it is not JSON
 */
export function parseExactly(text: string): unknown {
  return parseWith(text, (source, value) =>
    isWhole(source) && Number.isFinite(value) ? BigInt(source) : value,
  );
}

/**
 * Parses JSON for readers that round. A number that a double cannot hold becomes text: a whole number beyond 2^53, a number with
 * too many digits, or one too large for a double.
 *
 * @throws {SyntaxError} if it is not JSON
 */
export function parsePreservingNumbers(text: string): unknown {
  return parseWith(text, (source) => source);
}

/** Matches a number that a double may not hold: 16 or more digits, or a three-digit exponent. Most texts have neither. */
const MAY_BE_ROUNDED = /[\d.]{16}|[eE][+-]?\d{3}/;

function parseWith(text: string, inexact: (source: string, rounded: number) => unknown): unknown {
  if (!MAY_BE_ROUNDED.test(text)) return JSON.parse(text);
  return parse(text, (_, value, { source = '' }) =>
    typeof value === 'number' && !isExact(source, value) ? inexact(source, value) : value,
  );
}

function isWhole(source: string): boolean {
  return /^-?\d+$/.test(source);
}

/** Reports whether a double holds the number exactly. */
function isExact(source: string, value: number): boolean {
  return isWhole(source) ? Number.isSafeInteger(value) : decimal(source) === decimal(String(value));
}

/** Returns the canonical text of a decimal number: its digits without zeros at either end, and its power of ten. */
function decimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/(?<!0)0+$/, '');
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return significant === '' ? '0' : `${sign}${significant}e${power}`;
}

/** The inverse of {@link parseExactly}: like `JSON.stringify`, with a `bigint` as a plain number. */
export function writeExactly(value: unknown): string {
  const asNumber = (_: string, inside: unknown) =>
    typeof inside === 'bigint' ? rawJSON(String(inside)) : inside;
  return JSON.stringify(value, asNumber) ?? 'null';
}

/** Returns a whole number for readers that round: a number up to 2^53, beyond that a string of digits. */
export function keepDigits(whole: bigint): number | string {
  const number = Number(whole);
  return Number.isSafeInteger(number) ? number : String(whole);
}

/** Converts a value from {@link parseExactly} for readers that round: see {@link keepDigits}. */
export function keepAllDigits(value: unknown): unknown {
  return eachLeaf(value, (leaf) => (typeof leaf === 'bigint' ? keepDigits(leaf) : leaf));
}

/** The maximum nesting of objects and lists in an input or event, because the check is recursive. */
export const MAX_NESTING = 64;

export const TOO_NESTED = `must not be nested deeper than ${MAX_NESTING} levels`;

/** Reports whether a JSON value has more than `most` levels of objects and lists: `{}` has one; a number or bytes have none. */
export function isNestedDeeper(value: unknown, most = MAX_NESTING): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const within = level.filter(hasFields);
    if (within.length > 0 && depth >= most) return true;
    level = within.flatMap((each) => Object.values(each));
  }
  return false;
}

/**
 * Removes everything deeper than `most` levels from JSON text, and leaves the next level's objects and lists empty. Any JSON can
 * then be parsed, and {@link isNestedDeeper} still reports that it was too deep.
 */
export function withoutDepth(json: string, most: number): string {
  let text = '';
  let from = 0;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (isInText) {
      if (sign === '\\') at++;
      else if (sign === '"') isInText = false;
    } else if (sign === '"') {
      isInText = true;
    } else if (sign === '{' || sign === '[') {
      depth++;
      if (depth === most + 1) text += json.slice(from, at + 1);
    } else if (sign === '}' || sign === ']') {
      if (depth === most + 1) from = at;
      depth--;
    }
  }
  return depth > most ? text : text + json.slice(from);
}

function hasFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}
