import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as breathe } from 'node:timers/promises';
import type { z } from 'zod';
import { parseExactly } from '../../partners/json.js';
import { InvalidInput } from '../texts/invalid-input.js';
import { beginsAsUtf16, IS_UTF_16, notJson } from '../texts/text.js';
import { columnsOf } from './columns.js';
import { csvRows, MAX_LINES, type MappingFile, mappingFrom, NO_MAPPING, TOO_MANY_LINES } from './csv.js';
import { MAX_ROW_BYTES, notUtf8, REST_UNREAD, type Row, TOO_LONG, unreadable } from './validation.js';

export interface Format {
  /** Default: by the name of the file. */
  readonly format?: 'csv' | 'ndjson' | undefined;
  /** The character between cells. Default: a comma. */
  readonly delimiter?: string | undefined;
  readonly mapping?: MappingFile | undefined;
}

const EXTENSIONS: Readonly<Record<string, 'csv' | 'ndjson'>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

export function formatOf(file: string): 'csv' | 'ndjson' | undefined {
  return EXTENSIONS[extname(file).toLowerCase()];
}

/** Returns a reader for the rows of a file. The schemas name the columns of a table. @throws {InvalidInput} */
export function rowReader(
  { format, delimiter, mapping }: Format,
  file: string,
  schemas: readonly z.ZodType[],
): (source: Source) => AsyncGenerator<Row> {
  const chosen = format ?? formatOf(file);
  if (!chosen)
    throw new InvalidInput(
      'give --format csv or --format ndjson: the file name does not end in .csv or .ndjson',
    );
  if (chosen === 'ndjson') {
    if (delimiter ?? mapping) throw new InvalidInput('--delimiter and --mapping are for CSV');
    return (source) => ndjsonRows(source.read());
  }
  const columns = columnsOf(schemas);
  const table = {
    columns,
    delimiter,
    mapping: mapping ? mappingFrom(mapping, columns) : NO_MAPPING,
  };
  return (source) => csvRows(source.read(), table);
}

/** Reads a row from each line of JSON. Blank lines are skipped. */
export async function* ndjsonRows(bytes: Readable): AsyncGenerator<Row> {
  let line = 0;
  for await (const text of linesOf(bytes)) {
    line += 1;
    if (line > MAX_LINES) return yield unreadable(line, `${TOO_MANY_LINES}; ${REST_UNREAD}`);
    if (Buffer.byteLength(text) > MAX_ROW_BYTES) {
      yield unreadable(line, `${TOO_LONG}; ${REST_UNREAD}`);
      return;
    }
    if (text.trim() !== '') yield notUtf8(line, [text]) ?? parsed(line, text);
  }
}

/**
 * Splits lines only at line feeds. node:readline also splits at U+2028, which is valid in a JSON string. Reads only the beginning
 * of a line that is far too long.
 */
async function* linesOf(bytes: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const text of bytes.setEncoding('utf8')) {
    const [first = '', ...more] = text.split('\n');
    const lines = [rest + first, ...more];
    rest = lines.pop() ?? '';
    yield* lines;
    await breathe();
    if (rest.length > MAX_ROW_BYTES) break;
  }
  yield rest;
}

function parsed(line: number, json: string): Row {
  try {
    return { line, value: parseExactly(json.replace(/^\uFEFF/, '')) };
  } catch {
    return unreadable(line, notJson(json, true));
  }
}

/** A file that can be read from its beginning more than once. */
export interface Source {
  readonly name: string;
  read(): Readable;
  close(): Promise<void>;
}

const CHUNK_BYTES = 4 * 1024;

/** @throws {InvalidInput} */
export function rejectUtf16(bytes: Uint8Array, name: string): void {
  if (beginsAsUtf16(bytes)) throw new InvalidInput(`${name}: ${IS_UTF_16}`);
}

/** Returns bytes in memory as a source. @throws {InvalidInput} */
export function heldSource(name: string, bytes: Buffer): Source {
  rejectUtf16(bytes, name);
  function* chunks() {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
  }
  return { name, read: () => Readable.from(chunks()), close: async () => {} };
}
