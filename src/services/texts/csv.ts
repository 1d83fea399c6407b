import { harmless } from './text.js';

/** Writes CSV (RFC 4180): a header, a comma between cells, CRLF after each row, UTF-8. */

/** A record by the dotted paths of its fields, such as `event.type`. A list is one cell of JSON. */
export type FlatRecord = ReadonlyMap<string, unknown>;

/** Flattens a record. @param record a JSON value */
export function flatten(record: unknown): FlatRecord {
  return new Map(fieldsIn(JSON.parse(JSON.stringify(record) ?? 'null'), []));
}

function fieldsIn(value: unknown, path: readonly string[]): [string, unknown][] {
  const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isGroup) return [[path.join('.'), value]];
  return Object.entries(value).flatMap(([name, inside]) => fieldsIn(inside, [...path, name]));
}

/** Returns records as CSV. @param first the leading fields, present even without a record */
export function csvOf(records: readonly unknown[], first: readonly string[]): string {
  const flat = records.map(flatten);
  const fields = [...new Set([...first, ...flat.flatMap((record) => [...record.keys()])])];
  return rowOf(fields) + flat.map((record) => recordRow(record, fields)).join('');
}

export function recordRow(record: FlatRecord, fields: readonly string[]): string {
  return rowOf(fields.map((field) => record.get(field)));
}

export function rowOf(values: readonly unknown[]): string {
  return `${values.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const input = harmless(typeof value === 'string' ? value : JSON.stringify(value));
  // Spreadsheets run a cell that begins like a formula, some even after a space. A number stays unchanged.
  const isFormula =
    /^(?:[\t\n]|[\s\p{Cf}]*[=+\-@＝＋－＠])/u.test(input) && !/^[+-]?\d+(\.\d+)?$/.test(input);
  const text = isFormula ? `'${input}` : input;
  return /[",\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
