import type { Writable } from 'node:stream';
import { Help } from 'commander';
import { csvOf, flatten, recordRow, rowOf } from '../../../services/texts/csv.js';
import { harmless, harmlessJson } from '../../../services/texts/text.js';
import { Times } from '../../../services/texts/time.js';
import { StatusLine } from './progress.js';
import { type Cell, type ColumnLayout, layOut, type Style } from './table.js';

/** A stream that may be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The content of a cell. A date is shown in the zone of the person, `true` as yes, and `false` and undefined as nothing. */
export type Value = string | number | boolean | Date | null | undefined;

/** A column of a table: the value of a record, and how the column behaves where the terminal is narrow. */
export interface Column<Item> extends Omit<ColumnLayout, 'title'> {
  readonly value: (item: Item) => Value;
  readonly style?: (item: Item) => Style | undefined;
}

export type TableColumns<Item> = Readonly<Record<string, Column<Item>['value'] | Column<Item>>>;

/** The formats for scripts and spreadsheets. Both have every field, and times in UTC. */
export type RecordFormat = { readonly [Name in 'json' | 'csv']?: true | undefined };

export interface Records<Item> extends RecordFormat {
  readonly columns: TableColumns<Item>;
  /** A record as JSON. CSV has the same fields. Default: as it is. */
  readonly toJson?: (item: Item) => unknown;
  /** The leading fields of CSV, present even without a record: `event.type`. Default: those that the records have. */
  readonly fields?: readonly string[];
  readonly none?: string;
  /** If these columns make the table too wide, each record gets a second line instead of them. */
  readonly below?: { readonly columns: readonly string[]; readonly line: (item: Item) => string };
  /** The total if a limit cut the list; `more` if nobody counted. */
  readonly total?: number | 'more' | undefined;
}

// Keeps D5.
export class Printer {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly times: Times;
  /** Shows progress at a terminal, below what is printed. */
  readonly status: StatusLine;

  constructor({ stdout, stderr, env }: Pick<Printer, 'stdout' | 'stderr' | 'env'>) {
    this.stdout = stdout;
    this.stderr = stderr;
    this.env = env;
    this.times = new Times(env);
    this.status = StatusLine.of(stderr, () => (env['TERM'] === 'dumb' ? undefined : widthOf(stderr, env)));
  }

  /** One JSON value on a line of its own: the only thing that `--json` puts on standard output. */
  json(value: unknown): void {
    this.#write(this.stdout, `${harmlessJson(JSON.stringify(value))}\n`);
  }

  line(text: string): void {
    this.#write(this.stdout, `${harmless(text)}\n`);
  }

  /** Text for people. A terminal gets it in lines that fit. */
  prose(text: string): void {
    this.line(this.fittedProse(text, this.stdout));
  }

  /** A note for the person at the terminal; never on standard output, where scripts read. */
  note(text: string): void {
    this.#write(this.stderr, `${harmless(this.fittedProse(text))}\n`);
  }

  /** Text in lines that fit the terminal of a stream. In a file or a pipe it stays as it is. */
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

  /** A table that fits the terminal. In a file or a pipe it has its full width. */
  readonly fitted = (head: readonly string[], rows: readonly (readonly Cell[])[]): string => {
    const columns = head.map((title) => ({ title }));
    return layOut(columns, rows, { width: widthOf(this.stdout, this.env) }).lines.join('\n');
  };

  /** Wraps text next to something that takes `indent` columns of each line, into lines that fit the terminal. */
  hanging(text: string, indent: number): string {
    const width = widthOf(this.stdout, this.env);
    // If so little room is left, the terminal breaks the line.
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

/** `1,204` */
function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** The width of a terminal in columns: `COLUMNS`, or what it reports. @returns undefined for a file or a pipe */
export function widthOf({ isTTY, columns }: Output, { COLUMNS = '' }: NodeJS.ProcessEnv): number | undefined {
  if (!isTTY) return undefined;
  const set = /^[1-9]\d{0,4}$/.test(COLUMNS) ? Number(COLUMNS) : undefined;
  return set ?? (columns || 80);
}

/** Columns in which prose can be read. */
const LEAST_ROOM = 20;

/** Reports whether to use colors: on a terminal, unless `NO_COLOR` or `TERM=dumb` forbids them; anywhere with `FORCE_COLOR`. */
export function hasColor({ isTTY }: Output, { NO_COLOR, FORCE_COLOR, TERM }: NodeJS.ProcessEnv): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return !['0', 'false'].includes(FORCE_COLOR);
  return isTTY === true && TERM !== 'dumb';
}

/** A text of the catalogue without its Markdown: code as it is, and links by their words. */
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

/** A paragraph in lines of at most this width. All lines after the first begin with `indent` spaces. */
export function wrapText(text: string, width: number, indent = 0): string {
  const lines = HELP.boxWrap(text.replace(/\s+/g, ' '), width - indent);
  return lines.replaceAll('\n', `\n${' '.repeat(indent)}`);
}

/** Names with their texts, a paragraph each: the names are a column of their own. */
export function formatRows(rows: readonly (readonly [name: string, text: string])[], width: number): string {
  const column = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows
    .map(([name, text]) => `  ${name.padEnd(column)}${wrapText(withoutMarkdown(text), width, column + 2)}`)
    .join('\n');
}

/**
 * A message in lines of at most this width, each broken between words and with its own indent. A command stays whole, because
 * people copy it.
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
