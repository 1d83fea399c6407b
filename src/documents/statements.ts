import { Readable } from 'node:stream';
import type { SavedStatement } from '../messages/banking-activities.js';
import { defined } from '../messages/objects.js';
import { type StatementFormat, statementFormat } from '../partners/banking/client.js';
import type { Download } from '../partners/catalogue.js';
import { PartnerError } from '../partners/partner-error.js';
import { digestOf, hashOf, plain } from './document-store.js';
import { checked, type Form, PDF, RefusedDocument } from './document-types.js';
import { type FileStore, StoreFailure } from './file-store.js';

/**
 * Statements in the statement store. A sign-in page may come with 200 as well, so a file is believed by its type, its beginning and
 * its end. No file takes the place of another: a statement that differs from the earlier ones of its name gets a number.
 */

export interface StatementName {
  /** The account at the partners. The file name begins with it, because two accounts may have financial accounts of the same id. */
  readonly partnerAccount?: string | undefined;
  readonly period: string;
  readonly accounts: readonly string[];
  /** The requested format, unless the partner names another one. */
  readonly format: StatementFormat;
}

const OFX = {
  begins: (start: Buffer) =>
    /^\s*(OFXHEADER:|<\?|<OFX)/.test(start.toString('latin1')) && start.includes('<OFX'),
  ends: (end: Buffer) => end.toString('latin1').trimEnd().endsWith('</OFX>'),
};

const FORMS: Readonly<Record<StatementFormat, Form>> = {
  PDF,
  QBO: { ...OFX, names: ['.qbo'] },
  OFX: { ...OFX, names: ['.ofx'] },
  // It begins with the names of its columns. A sentence has fewer commas, and JSON begins otherwise.
  CSV: {
    names: ['.csv'],
    begins: (start) => /^(?![{[])[^\r\n]*?([,;\t])[^\r\n]*?\1/.test(start.toString('latin1')),
  },
};

/** The content types of pages and of failures. */
const OTHER_TYPE = /^(text\/html|application\/(\w+\+)?(json|xhtml))\b/i;

const STATEMENT = { system: 'banking', operation: 'generate-full-statement' } as const;
const UNREADABLE = {
  kind: 'Uncertain',
  reason: 'unreadable response',
  unreadable: STATEMENT.operation,
} as const;

/** Passes a statement on while it arrives. If it is none, the content breaks off with a `PartnerError`, so that no store has it. */
export function checkedStatement(
  { body, contentType }: Download,
  asked: StatementFormat,
  onChunk: (chunk: Buffer) => void = () => undefined,
) {
  // It may break off while the store looks for earlier statements.
  body.once('error', () => undefined);
  const format = statementFormat(contentType) ?? asked;
  const form = OTHER_TYPE.test(contentType) ? { ...FORMS[format], begins: () => false } : FORMS[format];
  async function* translated() {
    try {
      yield* checked(body, form, onChunk, Number.POSITIVE_INFINITY);
    } catch (error) {
      if (!(error instanceof RefusedDocument)) throw error;
      const fields = [{ field: '', message: `the ${format} ${error.message}` }];
      throw new PartnerError({ ...STATEMENT, ...UNREADABLE, fields }, { cause: error });
    }
  }
  return { format, content: Readable.from(translated(), { objectMode: false }) };
}

/** More would be a mistake that repeats itself. */
const MOST_OF_A_NAME = 100;

/** @throws {PartnerError} for anything but a statement. @throws as {@link FileStore.save} */
export async function saveStatement(
  files: FileStore,
  name: StatementName,
  download: Download,
): Promise<SavedStatement> {
  const dates = new Dates(name.period);
  const { format, content } = checkedStatement(download, name.format, (chunk) => dates.read(chunk));
  const earlier = new Map<string, string>();
  const next = () => fileNameOf({ ...name, format }, earlier.size + 1);
  try {
    for (let digest = await digestAt(files, next()); digest; digest = await digestAt(files, next())) {
      if (earlier.size === MOST_OF_A_NAME) throw new StoreFailure(files.place, 'refused', `has ${next()}`);
      earlier.set(digest, next());
    }
    const fileName = next();
    const bytes = await files.save(fileName, content, download.contentType);
    // For example after an attempt that saved it, and could not report that.
    const same = earlier.size > 0 && earlier.get((await digestAt(files, fileName)) ?? '');
    if (same) await files.remove(fileName);
    const warning = format === 'CSV' ? dates.warning : undefined;
    return { fileName: same || fileName, bytes, format, ...defined({ warning }) };
  } finally {
    download.body.destroy();
  }
}

async function digestAt(files: FileStore, name: string): Promise<string | undefined> {
  try {
    return (await digestOf(await files.open(name))).sha256;
  } catch (error) {
    if (error instanceof StoreFailure && error.kind === 'missing') return undefined;
    throw error;
  }
}

/** A cell that begins with a date, as in `2026-01-31T10:00:00Z` or `1/31/2026`. */
const DATE = /(?:^|[,;\t])"?(\d{4}-\d\d-\d\d|\d\d?\/\d\d?\/\d{4})/gm;

/** More than any zone differs from UTC, in milliseconds. */
const DAY_MS = 86_400_000;

/** Counts the dates of a CSV that are outside its month. It does not see a date that comes in two parts. */
class Dates {
  #count = 0;
  #outside = 0;
  #example = '';

  constructor(readonly month: string) {}

  read(chunk: Buffer): void {
    const [year = 0, number = 0] = this.month.split('-').map(Number);
    for (const [, date = ''] of chunk.toString('latin1').matchAll(DATE)) {
      const at = Date.parse(date);
      this.#count += 1;
      if (at >= Date.UTC(year, number - 1) - DAY_MS && at < Date.UTC(year, number) + DAY_MS) continue;
      this.#outside += 1;
      this.#example ||= date;
    }
  }

  get warning(): string | undefined {
    if (this.#outside === 0) return undefined;
    return `${this.#outside} of ${this.#count} dates are outside ${this.month}, such as ${this.#example}`;
  }
}

function fileNameOf({ partnerAccount, period, accounts, format }: StatementName, number: number): string {
  const ids = [...new Set(accounts)].sort();
  const [only = ''] = ids;
  const about = ids.length === 1 ? plain(only) : `${ids.length}-accounts-${hashOf(ids)}`;
  const of = partnerAccount === undefined ? '' : `${partnerAccount}-`;
  return `${of}${plain(period)}-${about}${number > 1 ? `-${number}` : ''}.${format.toLowerCase()}`;
}
