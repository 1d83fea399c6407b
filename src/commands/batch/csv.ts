import type { Readable } from 'node:stream';
import { CsvError, type Parser, parse } from 'csv-parse';
import type { Columns } from './columns.js';
import { type Header, readHeader } from './header.js';
import type { MappedColumn, Mapping, Scalar } from './mapping.js';
import { MAX_ROW_BYTES, mutilated, NO_FURTHER, type Row, TOO_LONG, unreadable } from './rows.js';

export interface Table {
  /** What separates cells; a comma unless given. */
  readonly delimiter?: string | undefined;
  readonly mapping: Mapping;
  readonly columns: Columns;
}

/** Reads a row from each record of a table whose first record names the columns. Empty cells are absent members. */
export async function* csvRows(bytes: Readable, table: Table): AsyncGenerator<Row> {
  let header: Header | undefined;
  for await (const { line, cells, fault } of recordsOf(bytes, table.delimiter)) {
    if (fault !== undefined) yield unreadable(line, `${fault}; ${NO_FURTHER}`);
    else if (cells.length === 1 && cells[0] === '') continue;
    else if (header) yield mutilated(line, cells) ?? rowOf(line, cells, header, table.mapping);
    else {
      const { problems, ...read } = readHeader(cells, table.columns, table.mapping);
      header = read.header;
      if (problems.length === 0) continue;
      yield { line, problems };
      return;
    }
  }
}

function rowOf(line: number, cells: readonly string[], header: Header, { constants }: Mapping): Row {
  if (cells.length !== header.length)
    return unreadable(line, `has ${cells.length} cells, and the header has ${header.length}`);
  const value = object();
  for (const { path, value: constant } of constants) put(value, path, constant);
  for (const [place, column] of header.entries()) {
    const cell = cells[place];
    if (column && cell) put(value, column.path, cellValue(cell, column));
  }
  return { line, value };
}

/** Without a prototype: no header can name anything but a member. */
function object(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function put(into: object, path: MappedColumn['path'], value: Scalar): void {
  let target = into as Record<string | number, unknown>;
  for (const [depth, member] of path.slice(0, -1).entries()) {
    target[member] ??= typeof path[depth + 1] === 'number' ? [] : object();
    target = target[member] as typeof target;
  }
  target[path.at(-1) ?? ''] = value;
}

/** What a cell stands for. Text that does not fit its type stays text, for the schema to refuse. */
function cellValue(cell: string, { type, words = {} }: MappedColumn): Scalar {
  if (Object.hasOwn(words, cell)) return words[cell] ?? cell;
  if (type === 'number' && /^-?\d+(\.\d+)?$/.test(cell)) return Number(cell);
  if (type === 'boolean' && /^(true|false)$/i.test(cell)) return cell.toLowerCase() === 'true';
  return cell;
}

interface CsvRecord {
  /** The line it begins in. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Why it cannot be read. It is the last one then. */
  readonly fault?: string;
}

async function* recordsOf(bytes: Readable, delimiter = ','): AsyncGenerator<CsvRecord> {
  const parsed: { record: string[]; raw: string }[] = [];
  const parser = parse({
    delimiter,
    bom: true,
    trim: true,
    // Named, for it would otherwise take those that it meets first, and a table may have both.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: MAX_ROW_BYTES,
    raw: true,
    on_record(record: unknown) {
      parsed.push(record as (typeof parsed)[number]);
      return null;
    },
  });
  let line = 1;
  // Its own count takes a CRLF inside quotes for two lines.
  function* parsedNow(): Generator<CsvRecord> {
    for (const { record, raw } of parsed.splice(0)) {
      yield { line, cells: record };
      line += raw.match(/\r\n|\r|\n/g)?.length ?? 0;
    }
  }
  parser.on('error', () => {});
  for await (const chunk of bytes) {
    const fault = await fed(parser, chunk);
    yield* parsedNow();
    if (fault) return yield { line, cells: [], fault };
  }
  const fault = await fed(parser);
  yield* parsedNow();
  if (fault) yield { line, cells: [], fault };
}

/** Hands a chunk to the parser, or the end. @returns what is wrong in it */
function fed(parser: Parser, chunk?: unknown): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null) => {
      if (!error) resolve(undefined);
      else if (error instanceof CsvError) resolve(FAULTS[error.code] ?? `cannot be read (${error.code})`);
      else reject(error);
    };
    if (chunk === undefined) parser.end(done);
    else parser.write(chunk, done);
  });
}

/** In words of our own: the parser's quote the cells, which may be private. */
const FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quote; a quote inside a quoted cell is doubled',
  INVALID_OPENING_QUOTE: 'has a quote inside a cell that is not quoted',
  CSV_MAX_RECORD_SIZE: `${TOO_LONG}; is a quote not closed?`,
};
