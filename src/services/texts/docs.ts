import { readFileSync } from 'node:fs';
import { inPackage } from '../../platform/process/package.js';

/** Reads the package's version, and the pages of docs/ whose texts the command and the console show. */

/** A row of a table, by the names of its columns. Markdown; an empty cell is absent. */
export type Row = Readonly<Record<string, string>>;

export function readDocsPage(name: 'codes' | 'configuration' | 'operations'): string {
  return readFileSync(inPackage(`docs/${name}.md`), 'utf8');
}

/** Returns the tables of a page with a table under each heading. */
export function tablesIn(markdown: string) {
  const sections = markdown.split(/^## /m).slice(1);
  return sections.map((section) => {
    const [heading = '', ...lines] = section.split('\n');
    const [names = [], , ...rows] = lines.filter((line) => line.startsWith('|')).map(cellsOf);
    return { heading, rows: rows.map((cells) => rowOf(names, cells)) };
  });
}

function cellsOf(line: string): string[] {
  const cells = line.split(/(?<!\\)\|/).slice(1, -1);
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function rowOf(names: readonly string[], cells: readonly string[]): Row {
  const named = names.map((name, index) => [name.toLowerCase(), cells[index] ?? '']);
  return Object.fromEntries(named.filter(([, cell]) => cell));
}

/** A table in Markdown. @param figures titles of columns that are aligned to the right */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  figures: readonly string[] = [],
): string {
  const row = (each: readonly string[]) =>
    `| ${each.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ', ')).join(' | ')} |`;
  const rule = head.map((title) => (figures.includes(title) ? '---:' : '---'));
  return [row(head), row(rule), ...rows.map(row)].join('\n');
}

/** The version of Gangway: `0.1.0`. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(inPackage('package.json'), 'utf8')) as { version: string }).version;
}
