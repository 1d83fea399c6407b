import type { Writable } from 'node:stream';
import { Help } from 'commander';
import { csvOf, flatten, recordRow, rowOf } from '../../../services/texts/csv.js';
import { harmless, harmlessJson } from '../../../services/texts/text.js';
import { Times } from '../../../services/texts/time.js';
import { StatusLine } from './progress.js';
import { type Cell, type ColumnLayout, layOut, type Style } from './table.js';

/** A stream that may be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The content of a cell. Shows a date in the person's time zone, `true` as yes, and `false` and undefined as nothing. */
export type Value = string | number | boolean | Date | null | undefined;

/** A column of a table: a record's value, and the column's layout in a narrow terminal. */
export interface Column<Item> extends Omit<ColumnLayout, 'title'> {
  readonly value: (item: Item) => Value;
  readonly style?: (item: Item) => Style | undefined;
}

export type TableColumns<Item> = Readonly<Record<string, Column<Item>['value'] | Column<Item>>>;

/** The formats for scripts and spreadsheets. Both have every field, and times in UTC. */
export type RecordFormat = { readonly [Name in 'json' | 'csv']?: true | undefined };

export interface Records<Item> extends RecordFormat {
  readonly columns: TableColumns<Item>;
  /** Returns a record as JSON. CSV has the same fields. Default: the record itself. */
  readonly toJson?: (item: Item) => unknown;
  /** The leading fields of CSV, present even without a record: `event.type`. Default: the records' fields. */
  readonly fields?: readonly string[];
  readonly none?: string;
  /** If these columns make the table too wide, each record gets a second line instead of them. */
  readonly below?: { readonly columns: readonly string[]; readonly line: (item: Item) => string };
  /** The total if a limit cut the list; `more` if unknown. */
  readonly total?: number | 'more' | undefined;
}

// Keeps D5.
export class Printer {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly times: Times;
  /** Shows progress at a terminal, below the printed lines. */
  readonly status: StatusLine;

  constructor({ stdout, stderr, env }: Pick<Printer, 'stdout' | 'stderr' | 'env'>) {
    this.stdout = stdout;
    this.stderr = stderr;
    this.env = env;
    this.times = new Times(env);
    this.status = StatusLine.of(stderr, () => (env['TERM'] === 'dumb' ? undefined : widthOf(stderr, env)));
  }

  /** Prints a JSON value on one line. With `--json`, standard output contains nothing else. */
  json(value: unknown): void {
    this.#write(this.stdout, `${harmlessJson(JSON.stringify(value))}\n`);
  }

  line(text: string): void {
    this.#write(this.stdout, `${harmless(text)}\n`);
  }

  /** Prints text for people, wrapped to the terminal. */
  prose(text: string): void {
    this.line(this.fittedProse(text, this.stdout));
  }

  /** Prints a note for people, never on standard output, which scripts read. */
  note(text: string): void {
    this.#write(this.stderr, `${harmless(this.fittedProse(text))}\n`);
  }

  /** Wraps text to a stream's terminal. For a file or a pipe, returns it unchanged. */
  fittedProse(text: string, stream = this.stderr): string {
    const width = widthOf(stream, this.env);
    return width === undefined ? text : fitText(text, width);
  }

  #write(stream: Output, text: string): void {
    this.status.above(() => stream.write(text));
  }

  table(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
    this.line(this.fitted(head, rows));
  }

  /** Returns a table that fits the terminal. In a file or a pipe, it has its full width. */
  readonly fitted = (head: readonly string[], rows: readonly (readonly Cell[])[]): string => {
    const columns = head.map((title) => ({ title }));
    return layOut(columns, rows, { width: widthOf(this.stdout, this.env) }).lines.join('\n');
  };

  /** Wraps text to the terminal, next to something that takes `indent` columns of each line. */
  hanging(text: string, indent: number): string {
    const width = widthOf(this.stdout, this.env);
    // If too little room is left, let the terminal break the line.
    return width === undefined || width - indent < LEAST_ROOM ? text : wrapText(text, width, indent);
  }

  /** Prints records as a table, JSON lines or CSV, and notes when a limit has cut the list. */
  records<Item>(items: readonly Item[], how: Records<Item>): void {
    const { columns, json, csv, toJson = (item) => item, fields = [], none = 'none', total } = how;
    if (json) for (const item of items) this.json(toJson(item));
    else if (csv) this.csv(items.map(toJson), fields);
    else if (items.length === 0) this.line(none);
    else this.#recordTable(items, columns, how.below);
    if (total === 'more') this.note(`the first ${grouped(items.length)}; --limit 0 for all`);
    else if (total !== undefined && total > items.length)
      this.note(`${grouped(items.length)} of ${grouped(total)}; --limit 0 for all`);
  }

  /** Prints records as CSV. @param first the leading fields, present even without a record */
  csv(records: readonly unknown[], first: readonly string[]): void {
    this.#write(this.stdout, csvOf(records, first));
  }

  /** Starts CSV with exactly these fields, for records that come one by one. @returns prints a record */
  csvRows(fields: readonly string[]): (record: unknown) => void {
    this.#write(this.stdout, rowOf(fields));
    return (record) => this.#write(this.stdout, recordRow(flatten(record), fields));
  }

  #recordTable<Item>(
    items: readonly Item[],
    columns: TableColumns<Item>,
    below: Records<Item>['below'],
  ): void {
    const all = Object.entries(columns).map(([title, column]) => {
      const value = typeof column === 'function' ? { value: column } : column;
      // A truncated time is useless.
      const isTime = items.some((item) => value.value(item) instanceof Date);
      return { title, ...value, ...(isTime && { keep: true as const }) };
    });
    const cell = ({ value, style }: Column<Item>, item: Item): Cell => {
      const text = this.#cell(value(item));
      const its = style?.(item);
      return its === undefined ? text : { text: String(text), style: its };
    };
    const room = { width: widthOf(this.stdout, this.env), color: hasColor(this.stdout, this.env) };
    const table = (visibleColumns: typeof all) => {
      const rows = items.map((item) => visibleColumns.map((column) => cell(column, item)));
      return layOut(visibleColumns, rows, room);
    };
    const whole = table(all);
    const isSplit = below && whole.isCramped;
    const first = all.filter(({ title }) => !below?.columns.includes(title));
    const { lines, hidden } = isSplit ? table(first) : whole;
    const [head, ...rows] = lines;
    const second = (index: number) => (isSplit ? [`  ${harmless(below.line(items[index] as Item))}`] : []);
    const printed = [head, ...rows.flatMap((row, index) => [row, ...second(index)])];
    this.#write(this.stdout, `${printed.join('\n')}\n`);
    if (hidden.length > 0)
      this.note(`no room for ${hidden.join(', ')}: widen the terminal, or use --csv or --json`);
  }

  #cell(value: Value): string | number {
    if (value instanceof Date) return this.times.at(value);
    if (typeof value === 'boolean') return value ? 'yes' : '';
    return value ?? '';
  }
}

/** Formats a number: `1,204`. */
function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** Returns a terminal's width in columns, from `COLUMNS` or the terminal; undefined for a file or a pipe. */
export function widthOf({ isTTY, columns }: Output, { COLUMNS = '' }: NodeJS.ProcessEnv): number | undefined {
  if (!isTTY) return undefined;
  const set = /^[1-9]\d{0,4}$/.test(COLUMNS) ? Number(COLUMNS) : undefined;
  return set ?? (columns || 80);
}

/** The minimum width of readable prose, in columns. */
const LEAST_ROOM = 20;

/** Reports whether to use colors: on a terminal, unless `NO_COLOR` or `TERM=dumb` forbids them; anywhere with `FORCE_COLOR`. */
export function hasColor({ isTTY }: Output, { NO_COLOR, FORCE_COLOR, TERM }: NodeJS.ProcessEnv): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return !['0', 'false'].includes(FORCE_COLOR);
  return isTTY === true && TERM !== 'dumb';
}

/** Removes Markdown from a text of the catalogue. Keeps code, and the words of links. */
export function withoutMarkdown(text: string): string {
  return text
    .replace(/\[([^[\]]+)\]\([^()]+\)/g, '$1')
    .replace(/\b_(\w+)_\b/g, '$1')
    .replaceAll('`', '');
}

export function readableWidth({ columns = 80 }: { readonly columns?: number }): number {
  return Math.min(columns, 100);
}

const HELP = Object.assign(new Help(), { minWidthToWrap: 0 });

/** Wraps a paragraph to this width. All lines after the first begin with `indent` spaces. */
export function wrapText(text: string, width: number, indent = 0): string {
  const lines = HELP.boxWrap(text.replace(/\s+/g, ' '), width - indent);
  return lines.replaceAll('\n', `\n${' '.repeat(indent)}`);
}

/** Formats names and their texts in two columns. */
export function formatRows(rows: readonly (readonly [name: string, text: string])[], width: number): string {
  const column = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows
    .map(([name, text]) => `  ${name.padEnd(column)}${wrapText(withoutMarkdown(text), width, column + 2)}`)
    .join('\n');
}

/**
 * Wraps the lines of a message to this width. Keeps each line's indent, and keeps a command on one line, because people copy it.
 */
export function fitText(text: string, width: number): string {
  const fit = (line: string) => {
    const [indent = ''] = /^ */.exec(line) ?? [];
    const rest = line.slice(indent.length);
    const isWhole = line.length <= width || /^(\$ )?gangway /.test(rest);
    return isWhole ? line : indent + wrapText(rest, width, indent.length);
  };
  return text.split('\n').map(fit).join('\n');
}
