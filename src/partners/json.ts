import { FormData } from 'undici';
import { type FilePart, type Operation, pathParameters } from './catalogue.js';

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
  return parseWith(text, (source, value) => (isWhole(source) ? BigInt(source) : value));
}

/**
 * Reads JSON that travels on as JSON, through readers that round: a number that a double does not hold becomes its text, as it
 * stands there. That is a whole number beyond 2^53, one with more digits than a double has, and one too large for a double.
 *
 * @throws {SyntaxError} when it is not JSON
 */
export function parseKeepingDigits(text: string): unknown {
  return parseWith(text, (source) => source);
}

/** A number that a double may not hold has 16 digits or more, or an exponent of three. Most texts have neither. */
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

/** Whether a reader that rounds comes to the same number. */
function isExact(source: string, value: number): boolean {
  return isWhole(source) ? Number.isSafeInteger(value) : decimal(source) === decimal(String(value));
}

/** One text for all ways to write a decimal number: its digits without zeros at either end, and its power of ten. */
function decimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return significant === '' ? '0' : `${sign}${significant}e${power}`;
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

/** A JSON value from {@link parseExactly}, for readers that round: see {@link keepingDigits}. */
export function keepingAllDigits(value: unknown): unknown {
  if (typeof value === 'bigint') return keepingDigits(value);
  if (Array.isArray(value)) return value.map(keepingAllDigits);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inside]) => [field, keepingAllDigits(inside)]),
  );
}

/**
 * Where a request goes and what it carries, by its catalogue entry. A list in the query repeats its name. A `bigint` is
 * a plain number in the body.
 */
export function encode(operation: Operation, request: Readonly<Record<string, unknown>>) {
  const inPath = new Set(pathParameters(operation));
  const inQuery = new Set(operation.query ?? []);
  const query = new URLSearchParams();
  const body: [string, unknown][] = [];
  for (const [member, value] of Object.entries(request)) {
    if (value === undefined || inPath.has(member)) continue;
    if (inQuery.has(member)) for (const one of [value].flat()) query.append(member, String(one));
    else body.push([member, value]);
  }
  const search = query.size > 0 ? `?${query}` : '';
  const path = operation.path.replace(/\{(\w+)\}/g, (_, member) =>
    encodeURIComponent(String(request[member])),
  );
  const address = { path: path + search, headers: { ...operation.headers } };
  if (operation.encoding === 'multipart') return { ...address, body: formData(body) };
  const hasBody = operation.sendsEmptyBody || body.length > 0;
  if (operation.method === 'GET' || !hasBody) return address;
  const headers = { ...address.headers, 'content-type': 'application/json' };
  return { ...address, headers, body: writeExactly(Object.fromEntries(body)) };
}

function formData(members: [string, unknown][]): FormData {
  const form = new FormData();
  for (const [name, value] of members) {
    if (isFilePart(value)) {
      const content = new Blob([Buffer.from(value.content)], { type: value.contentType });
      form.append(name, content, value.fileName);
    } else {
      form.append(name, String(value));
    }
  }
  return form;
}

function isFilePart(value: unknown): value is FilePart {
  return typeof value === 'object' && value !== null && 'fileName' in value && 'content' in value;
}
