import { createHash } from 'node:crypto';
import type { SavedStatement } from '../messages/banking-activities.js';
import type { StatementFormat } from '../partners/banking/statement.js';
import type { Download } from '../partners/catalogue.js';
import type { FileStore } from './file-store.js';

/** What a statement is about, which is what its file is called. */
export interface StatementName {
  /** Ours at the partners; it comes first in the file's name, for two of them may have financial accounts of the same id. */
  readonly partnerAccount?: string | undefined;
  /** A month: `2026-01`. */
  readonly period: string;
  /** Ids of financial accounts, one or more. */
  readonly accounts: readonly string[];
  readonly format: StatementFormat;
}

/** Text that may stand in a file name as it is. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Saves a statement while it comes, in place of one of the same name. @throws as {@link FileStore.save} */
export async function saveStatement(
  files: FileStore,
  name: StatementName,
  { body, contentType }: Download,
): Promise<SavedStatement> {
  const fileName = fileNameOf(name);
  return { fileName, bytes: await files.save(fileName, body, contentType), format: name.format };
}

function fileNameOf({ partnerAccount, period, accounts, format }: StatementName): string {
  const ids = [...new Set(accounts)].sort();
  const [only = ''] = ids;
  const about = ids.length === 1 ? plain(only) : `${ids.length}-accounts-${hashOf(ids)}`;
  const of = partnerAccount === undefined ? '' : `${partnerAccount}-`;
  return `${of}${plain(period)}-${about}.${format.toLowerCase()}`;
}

/** The text itself when it is safe in a file name, else a hash of it. */
export function plain(text: string): string {
  return PLAIN.test(text) ? text : hashOf([text]);
}

function hashOf(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 8);
}
