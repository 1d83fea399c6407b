import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { harmless } from '../../texts/text.js';

/** A color or weight of a cell. */
export type Style = 'red' | 'yellow' | 'green' | 'dim' | 'bold';

/** The behavior of a column on a narrow terminal. */
export interface ColumnLayout {
  readonly title: string;
  /** 1 stays. Others disappear where the table does not fit, the highest number first. Default: 1. */
  readonly priority?: number | undefined;
  /** Shown whole as long as possible: an id, or what people copy. Other columns are cut first. */
  readonly keep?: true | undefined;
}

/** The text of a cell; a number is aligned to the right. */
export type Cell = string | number | { readonly text: string; readonly style: Style | undefined };

export interface Room {
  /** Columns of the terminal. Default: as many as needed, and nothing is cut. */
  readonly width?: number | undefined;
  /** Uses the styles of cells. Default: false. */
  readonly color?: boolean;
}

/** A table of the full width, for people and `grep`. */
export function tableOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const columns = head.map((title) => ({ title }));
  return layOut(columns, rows).lines.join('\n');
}

/**
 * A table without frames, so that it can be copied and cut. Each row is one line of at most `width` columns: long texts lose
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
  const titles = columns.map(({ title }) => oneLine(title.toUpperCase()));
  const texts = rows.map((row) => columns.map((_, index) => textOf(row[index])));
  const measured = columns.map((column, index) => {
    const widest = (lines: readonly (readonly string[])[]) =>
      lines.reduce((most, line) => Math.max(most, stringWidth(line[index] ?? '')), 0);
    const content = widest(texts);
    return { ...column, natural: Math.max(content, widest([titles])), isEmpty: content === 0 };
  });
  const widths = widthsOf(measured, width);
  const shown = columns.flatMap((_, index) => (widths[index] === undefined ? [] : [index]));
  const isRight = columns.map((_, index) => isNumeric(rows, index));
  const lineOf = (cells: readonly string[], row: readonly Cell[] = []) =>
    shown
      .map((index) => {
        const padded = padTo(cells[index] ?? '', widths[index] ?? 0, isRight[index] === true);
        return color ? styled(padded, styleOf(row[index])) : padded;
      })
      .join(GAP)
      .trimEnd();
  const isCut = ({ natural, keep }: Measured, index: number) =>
    (widths[index] ?? natural) < (keep ? natural : Math.min(natural, READABLE));
  return {
    isCramped: measured.some(isCut),
    lines: [lineOf(titles), ...texts.map((cells, index) => lineOf(cells, rows[index]))],
    hidden: measured.flatMap(({ title, isEmpty }, index) =>
      widths[index] === undefined && !isEmpty ? [title] : [],
    ),
  };
}

const GAP = '  ';

/** The width to which a column may be cut before a less important one disappears. */
const READABLE = 18;

/** The width to which columns are cut when no other can disappear, before those to keep are cut as well. */
const NARROW = 8;

/** The part of the terminal that one column may keep. */
const KEPT = 0.6;

/** A column with the width of its longest text. */
interface Measured extends ColumnLayout {
  readonly natural: number;
  readonly isEmpty: boolean;
}

/** The width of each column; undefined for those that disappear. */
function widthsOf(columns: readonly Measured[], width: number): readonly (number | undefined)[] {
  const kept = Math.max(NARROW, Math.floor(width * KEPT));
  const floorOf = (most: number) => columns.map(({ natural, keep }) => Math.min(natural, keep ? kept : most));
  const readable = floorOf(READABLE);
  const tiny = columns.map(() => 1);
  const shown = new Set(columns.keys());
  const room = () => width - GAP.length * (shown.size - 1);
  const fits = (floor: readonly number[]) => sumOf(floor, shown) <= room();
  const natural = columns.map((column) => column.natural);
  for (const { index, isEmpty } of byImportance(columns))
    if (!fits(isEmpty ? natural : readable)) shown.delete(index);
  while (shown.size > 1 && !fits(tiny)) shown.delete(Math.max(...shown));
  const widths = leveled(natural, [readable, floorOf(NARROW)].find(fits) ?? tiny, shown, room());
  return columns.map((_, index) => (shown.has(index) ? widths[index] : undefined));
}

function sumOf(widths: readonly number[], shown: ReadonlySet<number>): number {
  return [...shown].reduce((sum, index) => sum + (widths[index] ?? 0), 0);
}

/** The columns that may disappear, in this order: those without a text, and then those of the highest number. */
function byImportance(columns: readonly Measured[]) {
  return columns
    .map(({ priority = 1, isEmpty }, index) => ({ priority, isEmpty, index }))
    .filter(({ priority }) => priority > 1)
    .sort(
      (one, other) =>
        Number(other.isEmpty) - Number(one.isEmpty) ||
        other.priority - one.priority ||
        other.index - one.index,
    );
}

/** Cuts the widest columns to one width until all fit, and none below its floor. */
function leveled(
  natural: readonly number[],
  floor: readonly number[],
  shown: ReadonlySet<number>,
  room: number,
): readonly number[] {
  const at = (level: number) =>
    natural.map((wide, index) => Math.min(wide, Math.max(level, floor[index] ?? 0)));
  const fits = (level: number) => sumOf(at(level), shown) <= room;
  let level = Math.min(Math.max(...natural, 1), Math.max(room, 1));
  while (level > 1 && !fits(level)) level -= 1;
  return at(level);
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

/** The first of these characters that fit into `width`. */
function takeFrom(parts: readonly string[], width: number): string[] {
  let used = 0;
  const end = parts.findIndex((part) => {
    used += stringWidth(part);
    return used > width;
  });
  return parts.slice(0, end);
}

function padTo(text: string, width: number, isRight: boolean): string {
  const shown = cutMiddle(text, width);
  const padding = ' '.repeat(Math.max(0, width - stringWidth(shown)));
  return isRight ? padding + shown : shown + padding;
}

/** Leaves the padding plain, so that the end of a line can be trimmed. */
function styled(text: string, style: Style | undefined): string {
  const content = text.trim();
  if (style === undefined || content === '') return text;
  return text.replace(content, () => styleText(style, content, { validateStream: false }));
}

function textOf(cell: Cell = ''): string {
  return oneLine(typeof cell === 'object' ? cell.text : String(cell));
}

function styleOf(cell: Cell = ''): Style | undefined {
  return typeof cell === 'object' ? cell.style : undefined;
}

function isNumeric(rows: readonly (readonly Cell[])[], index: number): boolean {
  const cells = rows.map((row) => row[index]).filter((cell) => cell !== undefined && cell !== '');
  return cells.length > 0 && cells.every((cell) => typeof cell === 'number');
}

function oneLine(text: string): string {
  return harmless(text.replace(/\s+/g, ' ')).trim();
}
