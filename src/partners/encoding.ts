import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { FormData } from 'undici';
import { type FilePart, type Operation, pathParameters } from './catalogue.js';
import { writeExactly } from './json.js';

/**
 * Encodes the URL and body of a request, by its catalogue entry. A list in the query repeats its name. A `bigint` becomes a plain
 * number in the body.
 */
export function encode(operation: Operation, request: Readonly<Record<string, unknown>>) {
  const inPath = new Set(pathParameters(operation));
  const inQuery = new Set(operation.query ?? []);
  const query = new URLSearchParams();
  const body: [string, unknown][] = [];
  for (const [name, value] of Object.entries(request)) {
    if (value === undefined || inPath.has(name)) continue;
    if (inQuery.has(name)) for (const one of [value].flat()) query.append(name, String(one));
    else body.push([name, value]);
  }
  const search = query.size > 0 ? `?${query}` : '';
  const path = operation.path.replace(/\{(\w+)\}/g, (_, field) => encodeURIComponent(String(request[field])));
  const address = { path: path + search, headers: { ...operation.headers } };
  if (operation.encoding === 'multipart') return { ...address, body: formData(body) };
  const hasBody = operation.sendsEmptyBody || body.length > 0;
  if (operation.method === 'GET' || !hasBody) return address;
  const headers = { ...address.headers, 'content-type': 'application/json' };
  return { ...address, headers, body: writeExactly(Object.fromEntries(body)) };
}

function formData(fields: [string, unknown][]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) {
    if (isFilePart(value)) {
      const content = new Blob([Buffer.from(value.content)], { type: value.contentType });
      form.append(name, content, value.fileName);
    } else {
      form.append(name, String(value));
    }
  }
  return form;
}

export function isFilePart(value: unknown): value is FilePart {
  return typeof value === 'object' && value !== null && 'fileName' in value && 'content' in value;
}

/** The encodings that any `fetch` decodes, because some senders use one unasked. */
const DECODERS: Readonly<Record<string, (body: Buffer, options: { maxOutputLength: number }) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  // Some servers omit the zlib header.
  deflate: (body, options) => (((body[0] ?? 0) & 15) === 8 ? inflateSync : inflateRawSync)(body, options),
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

const MAX_ENCODINGS = 5;

/** A byte order mark precedes what headers say (Encoding Standard, BOM sniff). UTF-8 is the default anyway. */
const UTF_16 = [
  { label: 'utf-16le', mark: Buffer.from([0xff, 0xfe]) },
  { label: 'utf-16be', mark: Buffer.from([0xfe, 0xff]) },
];

/**
 * Decodes a response to UTF-8, without a byte order mark. Returns a body unchanged if it is not encoded as its headers say. Reads
 * bytes that are not UTF-8 as Windows-1252.
 *
 * @param headers by lower-case name
 * @throws {RangeError} `ERR_BUFFER_TOO_LARGE` if the decoded body is larger than `most` bytes
 */
export function decodeBody(body: Buffer, headers: Readonly<Record<string, unknown>>, most: number): Buffer {
  const names = String(headers['content-encoding'] ?? 'identity')
    .toLowerCase()
    .split(/, ?/);
  const decoders = names.map((name) => DECODERS[name]).filter((each) => each !== undefined);
  let bytes = body;
  try {
    if (names.length === decoders.length && names.length <= MAX_ENCODINGS)
      bytes = decoders.reduceRight((each, decode) => decode(each, { maxOutputLength: most }), body);
  } catch (error) {
    if (error instanceof RangeError) throw error;
  }
  const [, charset = 'utf-8'] = /charset="?([\w-]{1,40})/i.exec(String(headers['content-type'])) ?? [];
  const marked = UTF_16.find(({ mark }) => bytes.subarray(0, 2).equals(mark))?.label ?? charset;
  for (const label of [marked, 'utf-8', 'windows-1252']) {
    try {
      return Buffer.from(new TextDecoder(label, { fatal: true }).decode(bytes));
    } catch {
      // The body has another charset than its header says.
    }
  }
  return bytes;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  rsquo: '’',
};
const ACCENTS: Readonly<Record<string, string>> = {
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  uml: '\u0308',
  tilde: '\u0303',
  cedil: '\u0327',
};
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi;

/** Replaces HTML entities by their characters. Keeps unknown entities and those of control characters. */
export function withoutEntities(text: string): string {
  return text.replace(ENTITY, (entity, decimal, hex, name = '') => {
    const accent = ACCENTS[name.slice(1).toLowerCase()];
    if (accent !== undefined) return `${name[0]}${accent}`.normalize('NFC');
    if (name !== '') return ENTITIES[name.toLowerCase()] ?? entity;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : '';
    return /^[^\p{C}]$/u.test(character) ? character : entity;
  });
}
