import type { Writable } from 'node:stream';
import Table from 'cli-table3';

/** A stream that may be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** How to print records of a kind. */
export interface Records<Item> {
  /** The cell of a record in each column, by the column's title. */
  readonly columns: Readonly<Record<string, (item: Item) => string>>;
  /** Prints JSON lines instead of a table. */
  readonly json?: true | undefined;
  /** A record as JSON. Default: as it is. */
  readonly toJson?: (item: Item) => unknown;
  /** Printed when there are no records. */
  readonly none?: string;
}

/** Prints for people and scripts. */
export class Printer {
  readonly stdout: Output;
  readonly stderr: Output;

  constructor({ stdout, stderr }: Pick<Printer, 'stdout' | 'stderr'>) {
    this.stdout = stdout;
    this.stderr = stderr;
  }

  /** One JSON value on a line of its own: the only thing that `--json` puts on standard output. */
  json(value: unknown): void {
    this.stdout.write(`${JSON.stringify(value)}\n`);
  }

  line(text: string): void {
    this.stdout.write(`${harmless(text)}\n`);
  }

  /** A note for the person at the terminal; never on standard output, where scripts read. */
  note(text: string): void {
    this.stderr.write(`${harmless(text)}\n`);
  }

  table(head: readonly string[], rows: readonly (readonly string[])[]): void {
    this.line(tableOf(head, rows));
  }

  /** Prints records as JSON lines or as a table. */
  records<Item>(
    items: readonly Item[],
    { columns, json, toJson = (item) => item, none = 'none' }: Records<Item>,
  ): void {
    if (json) for (const item of items) this.json(toJson(item));
    else if (items.length === 0) this.line(none);
    else {
      const cells = (item: Item) => Object.values(columns).map((column) => column(item));
      this.table(Object.keys(columns), items.map(cells));
    }
  }
}

/** Text from a partner must not control the terminal, so all control characters except tabs and line ends are removed. */
function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, '');
}

/** A table for people, without frames, so that it can be copied and cut. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const frame = ['top', 'bottom', 'left', 'right'].flatMap((side) => [
    side,
    `${side}-mid`,
    `${side}-left`,
    `${side}-right`,
  ]);
  const inner = ['mid', 'left-mid', 'mid-mid', 'right-mid'];
  const table = new Table({
    head: head.map((title) => title.toUpperCase()),
    chars: { ...Object.fromEntries([...frame, ...inner].map((part) => [part, ''])), middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}

/** A date for people: `2026-03-01 14:05`, UTC. */
export function shortDate(date: string | Date | undefined): string {
  if (date === undefined) return '';
  return new Date(date).toISOString().slice(0, 16).replace('T', ' ');
}
