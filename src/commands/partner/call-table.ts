import { flatten } from '../../operators/csv.js';
import { dateTime } from '../../partners/fields.js';
import { CommandFailed } from '../cli/errors.js';
import type { Printer, TableColumns, Value } from '../cli/output.js';

/** The formats of a response besides JSON. */
export interface TableFormat {
  readonly table?: true;
  readonly csv?: true;
  /** The field of the response that has the records. Default: the first list. */
  readonly list?: string;
}

/**
 * Prints the records of a response: the response itself, or a list in it. A response without a list is one record.
 *
 * @throws {CommandFailed} when it does not have the wanted list
 */
export function printRecords(printer: Printer, response: unknown, { csv, list }: TableFormat): void {
  const records = recordsIn(response, list);
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

function recordsIn(response: unknown, wanted: string | undefined): readonly unknown[] {
  if (typeof response !== 'object' || response === null) return [response];
  if (Array.isArray(response)) return response;
  const lists = Object.entries(response).filter(([, value]) => Array.isArray(value));
  const [, found] = lists.find(([field]) => wanted === undefined || field === wanted) ?? [];
  if (found) return found as unknown[];
  if (Object.keys(response).length === 0) return [];
  if (wanted === undefined) return [response];
  const names = lists.map(([field]) => field).join(', ') || 'none';
  throw new CommandFailed(`the response has no list ${JSON.stringify(wanted)}; its lists: ${names}`);
}

function shownOf(value: unknown): Value {
  if (typeof value === 'string') return dateTime.safeParse(value).success ? new Date(value) : value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null || value === undefined ? undefined : JSON.stringify(value);
}
