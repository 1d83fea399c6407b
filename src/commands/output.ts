import Table from 'cli-table3';

/** One JSON value on a line of its own: the only thing that `--json` puts on standard output. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A note for the person at the terminal; never on standard output, where scripts read. */
export function printNote(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** A table for people, without frames, so that it can be copied and cut. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
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
  printLine(table.toString());
}

/** A date as people read it: `2026-03-01 14:05`, UTC. */
export function shortDate(date: string | Date | undefined): string {
  if (date === undefined) return '';
  return new Date(date).toISOString().slice(0, 16).replace('T', ' ');
}
