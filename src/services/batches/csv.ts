import type { Readable } from 'node:stream';
import { setImmediate as breathe } from 'node:timers/promises';
import { CsvError, type Parser, parse } from 'csv-parse';
import { z } from 'zod';
import type { FieldProblem } from '../../partners/partner-error.js';
import { PLAIN_NUMBER } from '../../partners/schema-messages.js';
import { didYouMean } from '../../platform/settings/did-you-mean.js';
import { typedFee } from '../forms/amounts.js';
import { check, InvalidInput } from '../texts/invalid-input.js';
import { harmlessJson } from '../texts/text.js';
import { asListed, type CellType, type Column, type Columns, TEMPLATE_KEY } from './columns.js';
import { MAX_ROW_BYTES, notUtf8, REST_UNREAD, type Row, TOO_LONG, unreadable } from './validation.js';

/** The maximum number of lines in a file. Empty lines count, because each takes time. */
export const MAX_LINES = 200_000;

export const TOO_MANY_LINES = 'is beyond the 200,000 lines that a file may have: split the file';

interface Table {
  /** The character between cells. Default: a comma. */
  readonly delimiter?: string | undefined;
  readonly mapping: Mapping;
  readonly columns: Columns;
}

/** Reads a row from each record of a table whose first record names the columns. Empty cells are absent fields. */
export async function* csvRows(bytes: Readable, table: Table): AsyncGenerator<Row> {
  let header: Header | undefined;
  for await (const { line, cells, fault } of recordsOf(bytes, table.delimiter)) {
    if (fault !== undefined) return yield unreadable(line, `${fault}; ${REST_UNREAD}`);
    if (cells.every((cell) => cell === '') || cells.includes(TEMPLATE_KEY)) continue;
    else if (header) yield notUtf8(line, cells) ?? rowOf(line, cells, header, table.mapping);
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
  // Excel also writes blank cells after the last column.
  if (cells.length < header.length || cells.slice(header.length).some(Boolean))
    return unreadable(line, `has ${cells.length} cells; the header has ${header.length}`);
  const value = object();
  const problems: FieldProblem[] = [];
  for (const { path, value: constant } of constants) put(value, path, constant);
  for (const [index, column] of header.entries()) {
    const cell = cells[index];
    if (!cell || column === undefined) continue;
    if (column === null) return unreadable(line, 'has a cell below a header that is blank');
    const rule = brokenRule(cell, column);
    if (rule !== undefined) problems.push({ field: column.path.join('.'), message: rule });
    put(value, column.path, cellValue(cell, column));
  }
  return problems.length > 0 ? { line, problems } : { line, value };
}

/** Without a prototype, so a header can only name a field. */
function object(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

/** Sets a field, and creates the objects and lists around it. */
export function put(into: object, path: Column['path'], value: unknown): void {
  let target = into as Record<string | number, unknown>;
  for (const [depth, name] of path.slice(0, -1).entries()) {
    target[name] ??= typeof path[depth + 1] === 'number' ? [] : object();
    target = target[name] as typeof target;
  }
  target[path.at(-1) ?? ''] = value;
}

/** The value of a cell. Text that does not match the type stays text, so that the schema reports it. */
export function cellValue(cell: string, column: MappedColumn): Scalar {
  const { path, type, words = {} } = column;
  if (Object.hasOwn(words, cell)) return words[cell] ?? cell;
  const fee = typedFee(path, cell);
  if (fee && 'value' in fee) return fee.value;
  if (type === 'number' && PLAIN_NUMBER.test(cell)) return Number(cell);
  if (type === 'boolean' && BOOLEAN.test(cell)) return /^(?:true|yes)$/i.test(cell);
  return asListed(cell, column);
}

const BOOLEAN = /^(?:true|false|yes|no)$/i;

/** Returns the rule of a mapping that a cell breaks. The schema may accept any JSON there, and so the text. */
function brokenRule(cell: string, { path, as: type, words = {} }: MappedColumn): string | undefined {
  if (Object.hasOwn(words, cell)) return undefined;
  const fee = typedFee(path, cell);
  if (fee) return 'rule' in fee ? fee.rule : undefined;
  if (SCIENTIFIC.test(cell)) return NOT_SCIENTIFIC;
  if (type === 'number' && !PLAIN_NUMBER.test(cell)) return 'must be a number such as 1234.56';
  return type === 'boolean' && !BOOLEAN.test(cell) ? 'must be true or false, yes or no' : undefined;
}

/** A long number in Excel's form: `1.23457E+15`. The other digits are lost. */
const SCIENTIFIC = /^\d(?:[.,]\d+)?E\+\d{2,3}$/;
const NOT_SCIENTIFIC =
  'is in scientific notation, without its last digits: in Excel, format the column as Text, then enter the number again';

/** The first line `sep=;`, by which Excel knows the separator. */
const SEPARATOR = /^(?:\xef\xbb\xbf)?"?sep=(.)"?(?:\r\n|\r|\n)/i;
const MAX_OF_SEPARATOR = 12;

/** Text that Excel must not change: `="007"`. */
const AS_TEXT = /(?<=[,;|\t\r\n])="/g;
const LENGTH_OF_AS_TEXT = 3;

/** Removes invisible differences from a cell: zero-width characters, and kinds of spaces. */
function visible(cell: string): string {
  const text = cell.replace(/[\xad\u200b\u200e\u200f\u2060\ufeff]/g, '').replace(/[\xa0\u2007\u202f]/g, ' ');
  return text.trim().replace(/^="([^"]*)"$/, '$1');
}

interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
  /** Why the record is unreadable. It is then the last record. */
  readonly fault?: string;
}

async function* recordsOf(bytes: Readable, text = ','): AsyncGenerator<CsvRecord> {
  const { delimiter, chunks, isNamed } = await separated(bytes, text);
  const parsed: { record: string[]; raw: string }[] = [];
  const parser = parse({
    delimiter,
    bom: true,
    trim: true,
    // Explicit, because otherwise the parser uses only the first kind it finds, and a table may have both.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: MAX_ROW_BYTES,
    raw: true,
    on_record(record: unknown) {
      parsed.push(record as (typeof parsed)[number]);
      return null;
    },
  });
  let line = isNamed ? 2 : 1;
  // The parser's own count treats a CRLF inside quotes as two lines.
  function* parsedNow(): Generator<CsvRecord> {
    for (const { record, raw } of parsed.splice(0)) {
      if (line > MAX_LINES) yield { line, cells: [], fault: TOO_MANY_LINES };
      yield { line, cells: record.map(visible) };
      line += raw.match(/\r\n|\r|\n/g)?.length ?? 0;
    }
  }
  parser.on('error', () => {});
  for await (const chunk of chunks) {
    const fault = await fed(parser, chunk);
    yield* parsedNow();
    if (fault) return yield { line, cells: [], fault };
    // A chunk of empty lines has no row, whose reader would yield to the event loop.
    await breathe();
  }
  const fault = await fed(parser);
  yield* parsedNow();
  if (fault) yield { line, cells: [], fault };
}

/** Reads the separator, if the file names it, and returns the rest without the marks of {@link AS_TEXT}. */
async function separated(bytes: Readable, value: string) {
  const all = bytes[Symbol.asyncIterator]();
  // Each character is a byte.
  let text = '';
  const more = async () => {
    const { done, value } = await all.next();
    if (!done) text += Buffer.from(value).toString('latin1');
    return !done;
  };
  while (text.length < MAX_OF_SEPARATOR && (await more()));
  const [first = '', named] = SEPARATOR.exec(text) ?? [];
  text = text.slice(first.length);
  async function* chunks() {
    do {
      text = text.replace(AS_TEXT, '"');
      yield Buffer.from(text.slice(0, -LENGTH_OF_AS_TEXT), 'latin1');
      text = text.slice(-LENGTH_OF_AS_TEXT);
    } while (await more());
    yield Buffer.from(text, 'latin1');
  }
  return { delimiter: named ?? value, isNamed: named !== undefined, chunks: chunks() };
}

/** Passes a chunk, or the end, to the parser. @returns its fault, if any */
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

/** Our own messages: the parser's quote the cells, which may be private. */
const FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quote; a quote inside a quoted cell is doubled',
  INVALID_OPENING_QUOTE: 'has a quote inside a cell that is not quoted',
  CSV_MAX_RECORD_SIZE: `${TOO_LONG}; is a quote not closed?`,
};

/** The columns in the file's order: undefined for an ignored column, null for one without a name. */
type Header = readonly (MappedColumn | undefined | null)[];

function readHeader(cells: readonly string[], knownColumns: Columns, { columns, constants }: Mapping) {
  if (cells.length > MAX_COLUMNS) return { header: [], problems: [TOO_WIDE] };
  const header: (MappedColumn | undefined | null)[] = [];
  const unknown: FieldProblem[] = [];
  for (const name of cells) {
    const mapped = columns.get(name);
    const column = mapped === undefined ? knownColumns.find(name) : (mapped ?? undefined);
    header.push(name === '' ? null : column);
    if (column || mapped === null || name === '') continue;
    // Finding a similar name compares all known names.
    const message = unknown.length < MAX_SUGGESTIONS ? notAColumn(knownColumns, name) : notKnown(name);
    unknown.push({ field: '', message });
  }
  if (unknown.length === cells.filter(Boolean).length) return { header, problems: [NO_HEADER] };
  if (unknown.some(({ message }) => !message.endsWith('?')))
    unknown.push({ field: '', message: `known columns are ${similarTo(header, knownColumns).join(', ')}` });
  return { header, problems: [...unknown, ...clashes([...header, ...constants])] };
}

/** The known columns in the groups that a header uses, such as `merchant.dba`, and those in no group. */
function similarTo(header: Header, { names }: Columns): readonly string[] {
  const groups = new Set(header.map((column) => column?.path[0]));
  return names.filter((name) => !name.includes('.') || groups.has(name.split('.')[0]));
}

/** Each column is compared with all others. */
const MAX_COLUMNS = 2_000;

const MAX_SUGGESTIONS = 50;

const TOO_WIDE: FieldProblem = {
  field: '',
  message: `has more than ${MAX_COLUMNS} columns: leave out those that Gangway does not need`,
};

/** The message does not repeat the cells, which may be private values. */
const NO_HEADER: FieldProblem = {
  field: '',
  message:
    'has no known column: the first row must name the columns, or a mapping (Separator and columns in the console, --mapping and ' +
    '--delimiter on the command line)',
};

/** Returns problems of columns that set the same field, or a field and a part of it. */
function clashes(header: Header): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const taken = new Set<string>();
  const names = header.flatMap((column) => (column ? [column.path.join('.')] : []));
  for (const name of names) {
    if (taken.has(name)) problems.push({ field: name, message: 'is set by two columns' });
    taken.add(name);
    const whole = names.find((other) => name.startsWith(`${other}.`));
    if (whole) problems.push({ field: name, message: `is part of ${whole}, which is also a column` });
  }
  return problems;
}

const scalar = z.union([z.string(), z.number(), z.boolean()]);

type Scalar = z.output<typeof scalar>;

const words = z.record(z.string(), scalar);

const mappingFile = z.strictObject({
  /** By header of the file: the column that it stands for, or null to ignore it. */
  columns: z.record(
    z.string(),
    z.union([
      z.null(),
      z.string(),
      z.strictObject({
        to: z.string(),
        /** The type of a field that accepts any type, such as in `application`. Default: text. */
        as: z.enum(['text', 'number', 'boolean']).optional(),
        words: words.optional(),
      }),
    ]),
  ),
  /** Columns that the file does not have, with the value of each row. */
  constants: words.default({}),
});

interface MappedColumn extends Column {
  readonly as?: CellType | undefined;
  readonly words?: Readonly<Record<string, Scalar>> | undefined;
}

interface Mapping {
  /** By header; null if ignored. */
  readonly columns: ReadonlyMap<string, MappedColumn | null>;
  readonly constants: readonly (MappedColumn & { readonly value: Scalar })[];
}

export interface MappingFile {
  readonly name: string;
  readonly value: unknown;
}

export const NO_MAPPING: Mapping = { columns: new Map(), constants: [] };

/** Parses a mapping file, see examples/mapping.json. @throws {InvalidInput} with each invalid entry */
export function mappingFrom({ name: file, value }: MappingFile, knownColumns: Columns): Mapping {
  const mapping = check(mappingFile, value, file);
  const problems: FieldProblem[] = [];
  const find = (field: string, name: string): Column[] => {
    const column = knownColumns.find(name);
    if (!column) problems.push({ field, message: notAColumn(knownColumns, name) });
    return column ? [column] : [];
  };
  const columns = Object.entries(mapping.columns).flatMap(
    ([header, target]): [string, MappedColumn | null][] => {
      if (target === null) return [[header, null]];
      const { to: name, as: type, words } = typeof target === 'string' ? { to: target } : target;
      const matches = find(`columns.${header}`, name);
      return matches.map((column) => [header, { ...column, words, ...(type && { type, as: type }) }]);
    },
  );
  const constants = Object.entries(mapping.constants).flatMap(([name, value]) =>
    find(`constants.${name}`, name).map((column) => ({ ...column, value })),
  );
  if (problems.length > 0) throw new InvalidInput(`${file}: is not valid; nothing was started`, problems);
  return { columns: new Map(columns), constants };
}

function notAColumn(columns: Columns, name: string): string {
  return notKnown(name) + didYouMean(name, columns.names);
}

function notKnown(name: string): string {
  return `${harmlessJson(JSON.stringify(name), /\p{Cf}/gu)} is not a known column`;
}
