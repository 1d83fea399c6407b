import { styleText } from 'node:util';
import stringWidth from 'string-width';

/** A colour or weight of a cell. */
export type Style = 'red' | 'yellow' | 'green' | 'dim' | 'bold';

/** How a column behaves where the terminal is narrow. */
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

export interface LaidOut {
  readonly lines: readonly string[];
  /** The titles of columns that do not fit. */
  readonly hidden: readonly string[];
}

/** A table of the full width, for people and `grep`. */
export function tableOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const columns = head.map((title) => ({ title }));
  return layOut(columns, rows).lines.join('\n');
}

/**
 * A table without frames, so that it can be copied and cut. Each row is one line of at most `width` columns: long texts lose
 * their middle, and less important columns disappear.
 */
export function layOut(
  columns: readonly ColumnLayout[],
  rows: readonly (readonly Cell[])[],
  { width = Number.POSITIVE_INFINITY, color = false }: Room = {},
): LaidOut {
  const titles = columns.map(({ title }) => oneLine(title.toUpperCase()));
  const texts = rows.map((row) => columns.map((_, index) => textOf(row[index])));
  const natural = columns.map((_, index) =>
    [titles, ...texts].reduce((widest, line) => Math.max(widest, stringWidth(line[index] ?? '')), 0),
  );
  const widths = widthsOf(columns, natural, width);
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
  return {
    lines: [lineOf(titles), ...texts.map((cells, index) => lineOf(cells, rows[index]))],
    hidden: columns.filter((_, index) => widths[index] === undefined).map(({ title }) => title),
  };
}

const GAP = '  ';

/** The least width to which a column is cut, as long as others can disappear. */
const NARROW = 12;

/** How much of the terminal one column may keep. */
const KEPT = 0.6;

/** The width of each column; undefined for those that disappear. */
function widthsOf(
  columns: readonly ColumnLayout[],
  natural: readonly number[],
  width: number,
): readonly (number | undefined)[] {
  const least = columns.map(({ keep }, index) =>
    Math.min(natural[index] ?? 0, keep ? Math.max(NARROW, Math.floor(width * KEPT)) : NARROW),
  );
  const shown = new Set(columns.keys());
  const gaps = () => GAP.length * (shown.size - 1);
  const sum = (widths: readonly number[]) => [...shown].reduce((all, index) => all + (widths[index] ?? 0), 0);
  while (sum(least) + gaps() > width) {
    const next = leastImportant(columns, shown);
    if (next === undefined) break;
    shown.delete(next);
  }
  // Narrower than any list needs: cut what is kept, and then the last columns.
  const isTight = sum(least) + gaps() > width;
  const floor = isTight ? columns.map(() => 1) : least;
  while (shown.size > 1 && sum(floor) + gaps() > width) shown.delete(Math.max(...shown));
  const widths = leveled(natural, floor, shown, width - gaps());
  return columns.map((_, index) => (shown.has(index) ? widths[index] : undefined));
}

/** The column to leave out next; undefined when all others stay. */
function leastImportant(columns: readonly ColumnLayout[], shown: ReadonlySet<number>): number | undefined {
  const priorityOf = (index: number) => columns[index]?.priority ?? 1;
  const worst = Math.max(...[...shown].map(priorityOf));
  return worst > 1 ? [...shown].findLast((index) => priorityOf(index) === worst) : undefined;
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
  const fits = (level: number) =>
    at(level).reduce((all, wide, i) => all + (shown.has(i) ? wide : 0), 0) <= room;
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

/**
 * Text from a partner must not control the terminal. Removes all control characters except tabs and line ends, and the marks
 * that reverse the direction of what follows.
 */
export function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu, '');
}
