import { type FileHandle, open } from 'node:fs/promises';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import { parseExactly } from '../../partners/json.js';
import { cannotRead, sourceName } from '../cli/arguments.js';
import type { CommandLine } from '../cli/command-line.js';
import { InvalidInput } from '../cli/errors.js';
import { beginsAsUtf16, IS_UTF_16, notJson } from '../cli/text.js';
import { columnsOf } from './columns.js';
import { csvRows, NO_MAPPING, readMapping } from './csv.js';
import { MAX_ROW_BYTES, notUtf8, REST_UNREAD, type Row, TOO_LONG, unreadable } from './ready.js';

export interface FormatOptions {
  readonly format?: 'csv' | 'ndjson';
  readonly delimiter?: string;
  readonly mapping?: string;
}

const EXTENSIONS: Readonly<Record<string, 'csv' | 'ndjson'>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

/**
 * A reader for the rows of a file.
 *
 * @param schemas of the rows, which name the columns of a table
 * @throws {InvalidInput} when the options do not apply to the format, or the mapping file is invalid
 */
export async function rowReader(
  cli: Pick<CommandLine, 'input'>,
  { format, delimiter, mapping }: FormatOptions,
  file: string,
  schemas: readonly z.ZodType[],
): Promise<(source: Source) => AsyncGenerator<Row>> {
  const chosen = format ?? EXTENSIONS[extname(file).toLowerCase()];
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
    mapping: mapping ? await readMapping(cli, mapping, columns) : NO_MAPPING,
  };
  return (source) => csvRows(source.read(), table);
}

/** Reads a row from each line of JSON. Blank lines are skipped. */
export async function* ndjsonRows(bytes: Readable): AsyncGenerator<Row> {
  let line = 0;
  for await (const text of linesOf(bytes)) {
    line += 1;
    if (Buffer.byteLength(text) > MAX_ROW_BYTES) {
      yield unreadable(line, `${TOO_LONG}; ${REST_UNREAD}`);
      return;
    }
    if (text.trim() !== '') yield notUtf8(line, [text]) ?? parsed(line, text);
  }
}

/**
 * Lines that end with a line feed only. node:readline also ends a line at U+2028, which is valid inside a JSON string. Of a
 * line that is far too long, only the beginning is read.
 */
async function* linesOf(bytes: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const text of bytes.setEncoding('utf8')) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
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
  /** Its name in messages. */
  readonly name: string;
  /** Its bytes, from the beginning. */
  read(): Readable;
  close(): Promise<void>;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Opens a file, or standard input for `-`. The file stays open, so a file that is replaced in the meantime is read as it was.
 * A source that cannot be read twice, such as a pipe, is held in memory, because a temporary file must not hold private data.
 *
 * @throws {InvalidInput}
 */
export async function openSource(cli: Pick<CommandLine, 'input'>, file: string): Promise<Source> {
  const name = sourceName(file);
  if (file === '-') return heldSource(name, await cli.input());
  const handle = await open(file).catch(cannotRead(name));
  try {
    return await sourceOf(handle, name);
  } catch (error) {
    await handle.close();
    return error instanceof InvalidInput ? Promise.reject(error) : cannotRead(name)(error as Error);
  }
}

async function sourceOf(handle: FileHandle, name: string): Promise<Source> {
  if (!(await handle.stat()).isFile()) return heldSource(name, await handle.readFile());
  const beginning = await handle.read(Buffer.alloc(2), 0, 2, 0);
  rejectUtf16(beginning.buffer, name);
  return {
    name,
    read: () => handle.createReadStream({ start: 0, autoClose: false }),
    close: () => handle.close(),
  };
}

function rejectUtf16(bytes: Uint8Array, name: string): void {
  if (beginsAsUtf16(bytes)) throw new InvalidInput(`${name}: ${IS_UTF_16}`);
}

function heldSource(name: string, bytes: Buffer): Source {
  rejectUtf16(bytes, name);
  function* chunks() {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
  }
  return { name, read: () => Readable.from(chunks()), close: async () => {} };
}
