import { extname } from 'node:path';
import type { KnownAccounts } from '../../messages/known-accounts.js';
import type { CommandLine } from '../command-line.js';
import { InvalidInput } from '../errors.js';
import { columnsOf } from './columns.js';
import { csvRows } from './csv.js';
import { NO_MAPPING, readMapping } from './mapping.js';
import { ndjsonRows } from './ndjson.js';
import { rowSchemas } from './ready.js';
import type { Row } from './rows.js';
import type { Source } from './source.js';

export interface FormatOptions {
  readonly format?: 'csv' | 'ndjson';
  readonly delimiter?: string;
  readonly mapping?: string;
}

const EXTENSIONS: Readonly<Record<string, 'csv' | 'ndjson'>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

/**
 * How to read the rows of a file.
 *
 * @throws {InvalidInput} when the options do not fit it, or the mapping file is wrong
 */
export async function rowReader(
  cli: Pick<CommandLine, 'input'>,
  { format, delimiter, mapping }: FormatOptions,
  file: string,
  known: KnownAccounts,
): Promise<(source: Source) => AsyncGenerator<Row>> {
  const chosen = format ?? EXTENSIONS[extname(file).toLowerCase()];
  if (!chosen)
    throw new InvalidInput('give --format csv or --format ndjson: the name of the file does not say');
  if (chosen === 'ndjson') {
    if (delimiter ?? mapping) throw new InvalidInput('--delimiter and --mapping are for CSV');
    return (source) => ndjsonRows(source.read());
  }
  const columns = columnsOf(rowSchemas(known));
  const table = {
    columns,
    delimiter,
    mapping: mapping ? await readMapping(cli, mapping, columns) : NO_MAPPING,
  };
  return (source) => csvRows(source.read(), table);
}
