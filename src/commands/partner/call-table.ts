import { dateTime } from '../../partners/fields.js';
import { flatten } from '../../texts/csv.js';
import { CommandFailed } from '../cli/errors.js';
import type { Printer, TableColumns, Value } from '../cli/output.js';

/** The formats of a response besides JSON. */
export interface TableFormat {
  readonly table?: true;
  readonly csv?: true;
  /** The field of the response that has the records. Default: the response is the list, or the record. */
  readonly list?: string;
}

/**
 * Prints the records of a response: a list, the wanted list in it, or the response as one record.
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

function recordsIn(response: unknown, list: string | undefined): readonly unknown[] {
  if (Array.isArray(response)) return response;
  const fields = Object.entries(typeof response === 'object' && response !== null ? response : {});
  if (list === undefined) return [response];
  const lists = fields.filter(([, value]) => Array.isArray(value));
  const [, found] = lists.find(([field]) => field === list) ?? [];
  // A response without a field says that there is nothing.
  if (found || fields.length === 0) return (found ?? []) as unknown[];
  const names = lists.map(([field]) => field).join(', ') || 'none';
  throw new CommandFailed(`the response has no list ${JSON.stringify(list)}; its lists: ${names}`);
}

function shownOf(value: unknown): Value {
  if (typeof value === 'string') return dateTime.safeParse(value).success ? new Date(value) : value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null || value === undefined ? undefined : JSON.stringify(value);
}
