import type { Readable } from 'node:stream';
import { CsvError, type Parser, parse } from 'csv-parse';
import { z } from 'zod';
import type { FieldProblem } from '../../partners/partner-error.js';
import { check, readJson, sourceName } from '../cli/arguments.js';
import type { CommandLine } from '../cli/command-line.js';
import { InvalidInput } from '../cli/errors.js';
import type { Column, Columns } from './columns.js';
import { MAX_ROW_BYTES, mutilated, NO_FURTHER, type Row, TOO_LONG, unreadable } from './ready.js';

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

/** What the cells of a row are, by their place; undefined where one is left out. */
export type Header = readonly (MappedColumn | undefined)[];

/** Understands the first row of a table. @returns what is wrong with it, if anything is */
export function readHeader(
  cells: readonly string[],
  known: Columns,
  { columns, constants }: Mapping,
): { readonly header: Header; readonly problems: readonly FieldProblem[] } {
  const header: (MappedColumn | undefined)[] = [];
  const unknown: FieldProblem[] = [];
  for (const name of cells) {
    const mapped = columns.get(name);
    const column = mapped === undefined ? known.find(name) : (mapped ?? undefined);
    header.push(column);
    if (!column && mapped !== null) unknown.push({ field: '', message: notAColumn(known, name) });
  }
  if (unknown.length === cells.length) return { header, problems: [NO_HEADER] };
  return { header, problems: [...unknown, ...clashes([...header, ...constants])] };
}

/** Cells that are no names may be private values, so they are not repeated. */
const NO_HEADER: FieldProblem = {
  field: '',
  message: 'has no known column: the first row must name them (see --mapping and --delimiter)',
};

/** Two columns must not be the same member, nor one a part of the other. */
function clashes(header: Header): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const taken = new Set<string>();
  const names = header.flatMap((column) => (column ? [column.path.join('.')] : []));
  for (const name of names) {
    if (taken.has(name)) problems.push({ field: name, message: 'is given by two columns' });
    taken.add(name);
    const whole = names.find((other) => name.startsWith(`${other}.`));
    if (whole) problems.push({ field: name, message: `is part of ${whole}, which is a column, too` });
  }
  return problems;
}

const scalar = z.union([z.string(), z.number(), z.boolean()]);

export type Scalar = z.output<typeof scalar>;

const words = z.record(z.string(), scalar);

const mappingFile = z.strictObject({
  /** By the header of the file: the column it stands for, or null to leave it out. */
  columns: z.record(
    z.string(),
    z.union([
      z.null(),
      z.string(),
      z.strictObject({
        to: z.string(),
        /** Where the member may be of any type, as in `application`; text unless given. */
        as: z.enum(['text', 'number', 'boolean']).optional(),
        /** What certain cells stand for. */
        words: words.optional(),
      }),
    ]),
  ),
  /** Columns that the file does not have, with the value of each row. */
  constants: words.default({}),
});

/** A column of a file, and what certain of its cells stand for. */
export interface MappedColumn extends Column {
  readonly words?: Readonly<Record<string, Scalar>> | undefined;
}

/** How headers of others become ours. */
export interface Mapping {
  /** By header; null where it is left out. */
  readonly columns: ReadonlyMap<string, MappedColumn | null>;
  readonly constants: readonly (MappedColumn & { readonly value: Scalar })[];
}

export const NO_MAPPING: Mapping = { columns: new Map(), constants: [] };

/** Reads a mapping file, see examples/mapping.json. @throws {InvalidInput} that names each wrong entry */
export async function readMapping(
  cli: Pick<CommandLine, 'input'>,
  file: string,
  known: Columns,
): Promise<Mapping> {
  const given = check(mappingFile, await readJson(cli, file), sourceName(file));
  const problems: FieldProblem[] = [];
  const columns = new Map<string, MappedColumn | null>();
  for (const [header, target] of Object.entries(given.columns)) {
    if (target === null) columns.set(header, null);
    else {
      const { to: name, as: type, words } = typeof target === 'string' ? { to: target } : target;
      const column = known.find(name);
      if (column) columns.set(header, { ...column, words, ...(type && { type }) });
      else problems.push({ field: `columns.${header}`, message: notAColumn(known, name) });
    }
  }
  const constants = Object.entries(given.constants).flatMap(([name, value]) => {
    const column = known.find(name);
    if (!column) problems.push({ field: `constants.${name}`, message: notAColumn(known, name) });
    return column ? [{ ...column, value }] : [];
  });
  if (problems.length > 0)
    throw new InvalidInput(`${sourceName(file)}: is not valid; nothing was started`, problems);
  return { columns, constants };
}

/** Says that a name is none of ours, and which may have been meant. */
export function notAColumn(known: Columns, name: string): string {
  const meant = known.nearest(name);
  return `${JSON.stringify(name)} is not a known column${meant ? `; did you mean ${meant}?` : ''}`;
}
