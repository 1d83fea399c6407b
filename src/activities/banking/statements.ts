import { Readable } from 'node:stream';
import type { SavedStatement, StatementRequest } from '../../messages/banking-activities.js';
import { type StatementFormat, statementFormat } from '../../partners/banking/client.js';
import type { Download } from '../../partners/catalogue.js';
import { fileNamePart, hashOf } from '../../partners/documents/document-store.js';
import {
  checkContent,
  endsWith,
  type Form,
  PDF,
  RefusedDocument,
  startsAs,
} from '../../partners/documents/document-types.js';
import { PartnerError } from '../../partners/partner-error.js';
import { type FileStore, StoreFailure } from '../../platform/documents/file-store.js';

/**
 * Statements in the statement store. A sign-in page may come with 200 as well, so a file is believed by its type, its beginning and
 * its end. No file takes the place of another: a later one of the same name gets the time.
 */

const OFX = {
  begins: startsAs(/^\s*(?=OFXHEADER:|<\?|<OFX).*<OFX/s),
  ends: endsWith('</OFX>'),
};

const FORMS: Readonly<Record<StatementFormat, Form>> = {
  // Some begin with commands for a printer. Readers look for the beginning in the first 1024 bytes.
  PDF: { ...PDF, begins: (start) => start.subarray(0, 1_024).includes('%PDF-') },
  QBO: { ...OFX, names: ['.qbo'] },
  OFX: { ...OFX, names: ['.ofx'] },
  // A line has three columns, perhaps below a title. A sentence has fewer commas, and JSON and XML begin otherwise.
  CSV: { names: ['.csv'], begins: startsAs(/^(?!\s*[{[<]).*?([,;\t|])[^\r\n]*?\1/s) },
};

/** The content types of pages and of failures. */
const OTHER_TYPE = /^(text\/html|application\/(\w+\+)?(json|xhtml))\b/i;

/** A cell that begins with a date, as in `2026-01-31T10:00:00Z` or `1/31/2026`. */
const DATE = /(?:^|[,;\t|])"?(\d{4}-\d\d-\d\d|\d\d?\/\d\d?\/\d\d(?:\d\d)?)/gm;
const DAY_MS = 86_400_000;

const OPERATION = 'generate-full-statement';
const UNREADABLE = {
  ...({ system: 'banking', operation: OPERATION, unreadable: OPERATION } as const),
  ...({ kind: 'Uncertain', reason: 'unreadable response' } as const),
};

/** Passes a statement on while it arrives. If it is none, the content breaks off with a `PartnerError`, so that no store has it. */
export function checkStatement(
  { body, contentType }: Download,
  requestedFormat: StatementFormat,
  onChunk: (chunk: Buffer) => void = () => undefined,
) {
  // It may break off while the store looks for earlier statements.
  body.once('error', () => undefined);
  // Each format but PDF is plain text.
  const isAsked = requestedFormat !== 'PDF' && /^text\/plain\b/i.test(contentType);
  const format = (!isAsked && statementFormat(contentType)) || requestedFormat;
  const form = OTHER_TYPE.test(contentType) ? { ...FORMS[format], begins: () => false } : FORMS[format];
  async function* translated() {
    try {
      yield* checkContent(body, form, onChunk, Number.POSITIVE_INFINITY);
    } catch (error) {
      if (!(error instanceof RefusedDocument)) throw error;
      const fields = [{ field: '', message: `the ${format} ${error.message}` }];
      throw new PartnerError({ ...UNREADABLE, fields }, { cause: error });
    } finally {
      body.destroy();
    }
  }
  return { format, content: Readable.from(translated(), { objectMode: false }) };
}

/**
 * Saves a statement while it arrives. If there is one of its name, the new one has the time in its name.
 *
 * @throws {PartnerError} for anything but a statement. @throws as {@link FileStore.save}
 */
export async function saveStatement(
  files: FileStore,
  partnerAccount: string | undefined,
  request: StatementRequest,
  download: Download,
): Promise<SavedStatement> {
  const { period } = request;
  let [outside, example] = [0, ''];
  const note = (chunk: Buffer) => {
    for (const [, date = ''] of chunk.toString('latin1').matchAll(DATE)) {
      const days = (Date.parse(date) - Date.parse(`${period}-01`)) / DAY_MS;
      // Roughly, because zones differ. A text such as 31/1/2026 is no date here.
      if (!(days <= -2 || days >= 33)) continue;
      outside += 1;
      example ||= date;
    }
  };
  const { format, content } = checkStatement(download, request.fileFormat, note);
  try {
    const of = (partnerAccount === undefined ? '' : `${partnerAccount}-`) + nameOf(request);
    const isTaken = await isThere(files, `${of}.${format.toLowerCase()}`);
    const time = isTaken ? `-${new Date().toISOString().replace(/[-:.]/g, '')}` : '';
    const fileName = `${of}${time}.${format.toLowerCase()}`;
    const bytes = await files.save(fileName, content, download.contentType);
    const warning = `dates outside ${period}: ${outside}, such as ${example}`;
    return { fileName, bytes, format, ...(format === 'CSV' && outside > 0 && { warning }) };
  } finally {
    download.body.destroy();
  }
}

async function isThere(files: FileStore, name: string): Promise<boolean> {
  try {
    return (await files.open(name)).destroy().destroyed;
  } catch (error) {
    if (error instanceof StoreFailure && error.kind === 'missing') return false;
    throw error;
  }
}

/** The name of a statement in its partner account. Two of these may have financial accounts of the same id. */
function nameOf({ period, financialAccountIds }: StatementRequest): string {
  const ids = [...new Set(financialAccountIds)].sort();
  const [only = ''] = ids;
  return `${fileNamePart(period)}-${ids.length === 1 ? fileNamePart(only) : `${ids.length}-accounts-${hashOf(ids)}`}`;
}
