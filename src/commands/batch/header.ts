import type { FieldProblem } from '../../partners/partner-error.js';
import type { Columns } from './columns.js';
import { type MappedColumn, type Mapping, notAColumn } from './mapping.js';

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
