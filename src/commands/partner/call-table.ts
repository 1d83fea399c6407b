import { flatten } from '../../operators/csv.js';
import { dateTime } from '../../partners/fields.js';
import type { Printer, TableColumns, Value } from '../cli/output.js';

/** The formats of a response besides JSON. */
export interface TableFormat {
  readonly table?: true;
  readonly csv?: true;
}

/** Prints the records of a response: the response itself, or its first list. A response without a list is one record. */
export function printRecords(printer: Printer, response: unknown, { csv }: TableFormat): void {
  const isList = (value: unknown) => Array.isArray(value);
  const inside = typeof response === 'object' && response !== null ? Object.values(response) : [];
  const records: readonly unknown[] = [response, ...inside].find(isList) ?? [response];
  const rows = records.map(flatten);
  const fields = new Set(rows.flatMap((row) => [...row.keys()]));
  const columns: TableColumns<ReturnType<typeof flatten>> = Object.fromEntries(
    [...fields].map((field, index) => [
      field || 'value',
      // A narrow terminal has room for the first columns.
      { value: (row) => shownOf(row.get(field)), priority: index + 1 },
    ]),
  );
  printer.records(rows, { columns, csv, toJson: (row) => records[rows.indexOf(row)] });
}

function shownOf(value: unknown): Value {
  if (typeof value === 'string') return dateTime.safeParse(value).success ? new Date(value) : value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null || value === undefined ? undefined : JSON.stringify(value);
}
