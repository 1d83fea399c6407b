import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { SavedStatement } from '../messages/banking-activities.js';
import type { StatementFormat } from '../partners/banking/statement.js';

/** What a statement is about, which is what its file is called. */
export interface StatementName {
  /** A month: `2026-01`. */
  readonly period: string;
  /** Ids of financial accounts, one or more. */
  readonly accounts: readonly string[];
  readonly format: StatementFormat;
}

/** Where statements are kept that the partner made for us. */
export interface StatementFolder {
  /**
   * Writes a statement while it comes, in place of one of the same name. Until it is whole, the old one stays.
   *
   * @throws {PartnerError} that `body` broke off with, or the file system's error; nothing is left behind then
   */
  save(name: StatementName, body: Readable): Promise<SavedStatement>;
}

/** Text that may stand in a file name as it is. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Statements in a folder. Files are readable by their owner only. */
export function statementFolder(folder: string): StatementFolder {
  return {
    async save(name, body) {
      const fileName = fileNameOf(name);
      const unfinished = join(folder, `.${randomUUID()}.part`);
      // It may break off before there is a file to read it into.
      body.once('error', () => undefined);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const bytes = await writeAll(unfinished, body);
        await rename(unfinished, join(folder, fileName));
        return { fileName, bytes, format: name.format };
      } catch (error) {
        // The caller must hear why there is no statement, not why the rest of one could not be removed.
        await rm(unfinished, { force: true }).catch(() => undefined);
        throw error;
      } finally {
        // Lets go of the partner when the file was the problem.
        body.destroy();
      }
    },
  };
}

/** Answers how many bytes were written; they are on the disk by then. */
async function writeAll(path: string, body: Readable): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    await writeFile(file, body);
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

function fileNameOf({ period, accounts, format }: StatementName): string {
  const ids = [...new Set(accounts)].sort();
  const [only = ''] = ids;
  const about = ids.length === 1 ? plain(only) : `${ids.length}-accounts-${hashOf(ids)}`;
  return `${plain(period)}-${about}.${format.toLowerCase()}`;
}

/** The text itself when it is safe in a file name, else a hash of it. */
function plain(text: string): string {
  return PLAIN.test(text) ? text : hashOf([text]);
}

function hashOf(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 8);
}
