import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { harmless } from '../../../services/texts/text.js';

export type Style = 'red' | 'yellow' | 'green' | 'dim' | 'bold';

export interface ColumnLayout {
  readonly title: string;
  /** If the table does not fit, columns disappear, the highest number first. Columns with 1 stay. Default: 1. */
  readonly priority?: number | undefined;
  /** Cuts other columns first, because people copy this one, such as an ID. */
  readonly keep?: true | undefined;
}

/** The text of a cell; a number is aligned to the right. */
export type Cell = string | number | { readonly text: string; readonly style: Style | undefined };

export interface Room {
  /** The terminal's width in columns. Default: unlimited. */
  readonly width?: number | undefined;
  /** Uses the styles of cells. Default: false. */
  readonly color?: boolean;
}

/** Returns a table with its full width, for people and `grep`. */
export function tableOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const columns = head.map((title) => ({ title }));
  return layOut(columns, rows).lines.join('\n');
}

/**
 * Returns a table without frames, so people can copy and cut it. Each row is one line of at most `width` columns: long texts lose
 * their middle, and less important columns disappear.
 *
 * @returns `hidden` are the titles of columns that do not fit, without those that are empty. `isCramped` is true if a column is cut
 *   that should stay whole, or cut so far that it is hardly readable
 */
export function layOut(
  columns: readonly ColumnLayout[],
  rows: readonly (readonly Cell[])[],
  { width = Number.POSITIVE_INFINITY, color = false }: Room = {},
) {
  const measured = columns.map((column, index) =>
    measure(
      column,
      rows.map((row) => row[index] ?? ''),
    ),
  );
  const widths = widthsOf(measured, width);
  const line = (textOf: (column: Measured) => string, styleOf?: (column: Measured) => Style | undefined) =>
    [...widths]
      .map(([column, room]) => styled(padTo(textOf(column), room, column.isNumeric), styleOf?.(column)))
      .join(GAP)
      .trimEnd();
  const isCut = (column: Measured) =>
    (widths.get(column) ?? column.natural) < (column.keep ? column.natural : readable(column));
  return {
    isCramped: measured.some(isCut),
    lines: [
      line(({ head }) => head),
      ...rows.map((_, index) =>
        line(
          ({ texts }) => texts[index] ?? '',
          ({ cells }) => (color ? styleOf(cells[index]) : undefined),
        ),
      ),
    ],
    hidden: measured.flatMap((column) => (widths.has(column) || column.isEmpty ? [] : [column.title])),
  };
}

const GAP = '  ';

/** The width to which a column may be cut before a less important one disappears. */
const READABLE = 18;

/** The width to which columns are cut once no more can disappear, before the columns to keep are cut, too. */
const NARROW = 8;

/** The share of the terminal's width that one column may keep. */
const KEPT = 0.6;

type Measured = ReturnType<typeof measure>;

function measure(column: ColumnLayout, cells: readonly Cell[]) {
  const head = oneLine(column.title.toUpperCase());
  const texts = cells.map((cell) => oneLine(typeof cell === 'object' ? cell.text : String(cell)));
  const content = texts.reduce((most, text) => Math.max(most, stringWidth(text)), 0);
  const filled = cells.filter((cell) => cell !== '');
  return {
    ...column,
    head,
    cells,
    texts,
    natural: Math.max(content, stringWidth(head)),
    isEmpty: content === 0,
    isNumeric: filled.length > 0 && filled.every((cell) => typeof cell === 'number'),
  };
}

const readable = ({ natural }: Measured) => Math.min(natural, READABLE);

function widthsOf(columns: readonly Measured[], width: number): ReadonlyMap<Measured, number> {
  let output = columns;
  const rest = Math.max(NARROW, Math.floor(width * KEPT));
  const atLeast = (most: number) => (column: Measured) => Math.min(column.natural, column.keep ? rest : most);
  const room = () => width - GAP.length * (output.length - 1);
  const fits = (widthOf: (column: Measured) => number) =>
    output.reduce((sum, column) => sum + widthOf(column), 0) <= room();
  for (const column of byImportance(columns))
    if (!fits(column.isEmpty ? ({ natural }) => natural : atLeast(READABLE)))
      output = output.filter((each) => each !== column);
  while (output.length > 1 && !fits(() => 1)) output = output.slice(0, -1);
  const floor = [atLeast(READABLE), atLeast(NARROW)].find(fits) ?? (() => 1);
  // Cut the widest columns to the same width until all fit, but none below its minimum.
  const at = (level: number) => (column: Measured) =>
    Math.min(column.natural, Math.max(level, floor(column)));
  let level = Math.max(1, Math.min(room(), Math.max(...columns.map(({ natural }) => natural))));
  while (level > 1 && !fits(at(level))) level -= 1;
  return new Map(output.map((column) => [column, at(level)(column)]));
}

/** Returns the columns that may disappear, in order: empty ones, then the highest numbers. */
function byImportance(columns: readonly Measured[]) {
  return columns
    .filter(({ priority = 1 }) => priority > 1)
    .toReversed()
    .sort(
      (one, other) =>
        Number(other.isEmpty) - Number(one.isEmpty) || (other.priority ?? 1) - (one.priority ?? 1),
    );
}

/** Cuts the middle out of a text that is wider than `width`: `merchant-bo…n-bakery`. */
export function cutMiddle(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const parts = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  const room = Math.max(0, width - 1);
  const head = takeFrom(parts, Math.ceil(room / 2));
  const tail = takeFrom(parts.toReversed(), Math.floor(room / 2)).toReversed();
  return `${head.join('')}…${tail.join('')}`;
}

function takeFrom(parts: readonly string[], width: number): string[] {
  let used = 0;
  const end = parts.findIndex((part) => {
    used += stringWidth(part);
    return used > width;
  });
  return parts.slice(0, end);
}

function padTo(text: string, width: number, isRight: boolean): string {
  const output = cutMiddle(text, width);
  const padding = ' '.repeat(Math.max(0, width - stringWidth(output)));
  return isRight ? padding + output : output + padding;
}

/** Styles a text but not its padding, so that the end of a line can be trimmed. */
function styled(text: string, style: Style | undefined): string {
  const content = text.trim();
  if (style === undefined || content === '') return text;
  return text.replace(content, () => styleText(style, content, { validateStream: false }));
}

function styleOf(cell: Cell = ''): Style | undefined {
  return typeof cell === 'object' ? cell.style : undefined;
}

function oneLine(text: string): string {
  return harmless(text.replace(/\s+/g, ' ')).trim();
}
