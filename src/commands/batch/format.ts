import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import type { KnownAccounts } from '../../messages/inputs.js';
import { parseExactly } from '../../partners/json.js';
import { sourceName } from '../cli/arguments.js';
import type { CommandLine } from '../cli/command-line.js';
import { InvalidInput } from '../cli/errors.js';
import { columnsOf } from './columns.js';
import { csvRows, NO_MAPPING, readMapping } from './csv.js';
import { MAX_ROW_BYTES, mutilated, NO_FURTHER, type Row, rowSchemas, TOO_LONG, unreadable } from './ready.js';

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
 * How to read the rows of a file.
 *
 * @throws {InvalidInput} when the options do not fit it, or the mapping file is wrong
 */
export async function rowReader(
  cli: Pick<CommandLine, 'input'>,
  { format, delimiter, mapping }: FormatOptions,
  file: string,
  known: KnownAccounts,
): Promise<(source: Source) => AsyncGenerator<Row>> {
  const chosen = format ?? EXTENSIONS[extname(file).toLowerCase()];
  if (!chosen)
    throw new InvalidInput('give --format csv or --format ndjson: the name of the file does not say');
  if (chosen === 'ndjson') {
    if (delimiter ?? mapping) throw new InvalidInput('--delimiter and --mapping are for CSV');
    return (source) => ndjsonRows(source.read());
  }
  const columns = columnsOf(rowSchemas(known));
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
      yield unreadable(line, `${TOO_LONG}; ${NO_FURTHER}`);
      return;
    }
    if (text.trim() !== '') yield mutilated(line, [text]) ?? parsed(line, text);
  }
}

/**
 * Lines as JSON has them: node:readline would end one at U+2028 as well, which may stand in a text. Of a line that is
 * far too long only the beginning is read.
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
    // The parser's own message quotes the text, which may hold private data.
    return unreadable(line, 'is not JSON');
  }
}

/** A file that can be read from its beginning more than once. */
export interface Source {
  /** What people call it. */
  readonly name: string;
  /** Its bytes, from the beginning. */
  read(): Readable;
  close(): Promise<void>;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Opens a file, or standard input for `-`. It stays open, so a file that is replaced meanwhile is still read as it was.
 * What cannot be read twice, a pipe say, is held in memory: it may hold private data, which is not for a temporary file.
 *
 * @throws {InvalidInput}
 */
export async function openSource(cli: Pick<CommandLine, 'input'>, file: string): Promise<Source> {
  const name = sourceName(file);
  if (file === '-') return heldSource(name, await cli.input());
  try {
    const handle = await open(file);
    if (!(await handle.stat()).isFile()) return heldSource(name, await handle.readFile());
    return {
      name,
      read: () => handle.createReadStream({ start: 0, autoClose: false }),
      close: () => handle.close(),
    };
  } catch (error) {
    throw new InvalidInput(`${name}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function heldSource(name: string, bytes: Buffer): Source {
  function* chunks() {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
  }
  return { name, read: () => Readable.from(chunks()), close: async () => {} };
}
