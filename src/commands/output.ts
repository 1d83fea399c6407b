import Table from 'cli-table3';

/** One JSON value on a line of its own: the only thing that `--json` puts on standard output. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function printLine(text: string): void {
  process.stdout.write(`${harmless(text)}\n`);
}

/** A note for the person at the terminal; never on standard output, where scripts read. */
export function printNote(text: string): void {
  process.stderr.write(`${harmless(text)}\n`);
}

/** What partners write must not steer the terminal: without control characters but tabs and ends of lines. */
function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, '');
}

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  printLine(tableOf(head, rows));
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

/** A date as people read it: `2026-03-01 14:05`, UTC. */
export function shortDate(date: string | Date | undefined): string {
  if (date === undefined) return '';
  return new Date(date).toISOString().slice(0, 16).replace('T', ' ');
}
