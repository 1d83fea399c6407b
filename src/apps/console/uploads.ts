import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyMultipartBaseOptions } from '@fastify/multipart';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DocumentRef } from '../../messages/requirements.js';
import { type DocumentStore, documentStore } from '../../partners/documents/document-store.js';
import { MOST_BYTES, MOST_FILES, RefusedDocument } from '../../partners/documents/document-types.js';
import { LONGEST, truncate } from '../../partners/text-limits.js';
import { openStore, type StorePlaces } from '../../platform/documents/open-store.js';
import { refusedBeyond } from '../../platform/http/server.js';
import { InvalidInput } from '../../services/texts/invalid-input.js';
import { requireCsrf } from './admission.js';
import { Fields } from './query.js';
import { handleOnce, PageError, type RequestContext, type RouteResponse } from './route.js';

const TOO_LARGE = `At most ${MOST_FILES} files of 25 MiB each, together ${MOST_BYTES / 1024 / 1024} MiB. Nothing was stored or sent.`;

const LIMITS = {
  // The document check has a better message for a file that is too large.
  fileSize: MOST_BYTES + 1,
  files: MOST_FILES,
  fields: 10,
  fieldSize: 8 * 1024,
  fieldNameSize: 200,
  headerPairs: 20,
};

export async function openDocumentStore({ documentDir }: StorePlaces): Promise<DocumentStore> {
  return documentStore(await openStore(documentDir));
}

/**
 * Streams the files of a form to the document store. If the upload fails or a file is refused, removes the stored files.
 *
 * @param mayStore is called before the first byte is stored. Throws if the requirement does not accept the answer
 * @returns `refused` has the reason if documents were refused. No document is stored then
 * @throws {PageError} if the form is not from this session, or is too large
 */
export async function receiveDocuments(
  context: RequestContext,
  store: DocumentStore,
  mayStore: (fields: Fields) => Promise<void>,
) {
  const mostBytes = MOST_BYTES + LIMITS.fieldSize * LIMITS.fields;
  const form = { limits: LIMITS, mostBytes, tooLarge: TOO_LARGE };
  const documents: DocumentRef[] = [];
  const values: Record<string, string> = {};
  const problems: string[] = [];
  let bytes = 0;
  const count = (received: number) => {
    bytes += received;
    if (bytes > MOST_BYTES) throw new PageError(413, TOO_LARGE);
  };
  try {
    for await (const { file, fieldname, filename } of formFiles(context, form, values)) {
      // Browsers send a file without a name if a person has chosen none.
      if (!filename || fieldname !== 'documents') {
        await passOver(file, count);
        continue;
      }
      if (documents.length === 0) await mayStore(new Fields(values));
      try {
        documents.push(await store.put(filename, file, ({ length }) => count(length)));
      } catch (error) {
        if (file.errored) throw notReceived(error, TOO_LARGE);
        if (!(error instanceof RefusedDocument)) throw error;
        problems.push(`${truncate(filename, LONGEST.line)} ${error.message}`);
        await passOver(file, count);
      }
    }
  } catch (error) {
    await discard(store, documents);
    throw error;
  }
  const fields = new Fields(values);
  if (problems.length === 0 && documents.length > 0) return { documents, fields, refused: undefined };
  await discard(store, documents);
  const lines = problems.length > 0 ? problems : ['choose at least one file'];
  const about = lines.map((message) => ({ field: 'documents', message }));
  return { documents: [], fields, refused: new InvalidInput('The documents cannot be sent.', about) };
}

/** Skips the rest of a refused file, to get to the next one. Counts its bytes, because it may be endless. */
async function passOver(file: Readable, count: (received: number) => void): Promise<void> {
  try {
    for await (const chunk of file as AsyncIterable<Buffer>) count(chunk.length);
  } catch (error) {
    throw error instanceof PageError ? error : notReceived(error, TOO_LARGE);
  }
}

export async function discard(store: DocumentStore, documents: readonly DocumentRef[]): Promise<void> {
  await Promise.allSettled(documents.map(({ key }) => store.remove({ key })));
}

export interface HeldFile {
  /** The file name that the browser sent, for messages. Never use it as a path. */
  readonly name: string;
  readonly bytes: Buffer;
}

export interface HeldForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, HeldFile>>;
}

/**
 * Receives a form with small files into memory. Writes nothing to disk, because the files contain private values. Leaves out empty
 * fields and files.
 *
 * @param show handles the form, once
 * @throws {PageError} if a file is larger than `maxBytes`, or the form is not from a page of this session
 */
export async function receivedForm(
  context: RequestContext,
  maxBytes: number,
  show: (form: HeldForm) => Promise<RouteResponse>,
) {
  const fields: Record<string, string> = {};
  const files: Record<string, HeldFile> = {};
  const limits = { fileSize: maxBytes + 1, files: 3, fields: 20, fieldSize: 10_000 };
  const mostBytes = limits.files * limits.fileSize + limits.fields * limits.fieldSize;
  const form = { limits, mostBytes, tooLarge: tooLarge(maxBytes) };
  for await (const { file, fieldname, filename = '' } of formFiles(context, form, fields)) {
    const bytes = await contentOf(file, maxBytes);
    if (bytes.length > 0) files[fieldname] = { name: filename, bytes };
  }
  const digests = Object.values(files).map(({ bytes }) => hash('sha256', bytes));
  return handleOnce(context, () => show({ fields, files }), [fields, digests]);
}

/** Reads a file. Stops as soon as it is too large, because it may be endless. */
async function contentOf(file: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of file as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw notReceived(error, tooLarge(maxBytes));
  }
  if (length > maxBytes) throw new PageError(413, tooLarge(maxBytes));
  return Buffer.concat(chunks);
}

interface FormWithFiles {
  readonly limits: NonNullable<FastifyMultipartBaseOptions['limits']>;
  /** The maximum size of the whole form, because `limits` covers only the content of its parts. */
  readonly mostBytes: number;
  /** The message for a form that exceeds `mostBytes` or `limits`. */
  readonly tooLarge: string;
}

/**
 * Yields the files of a form while they arrive. Browsers send fields in the form's order, with the token first, so this reads no file
 * of a form from another session.
 *
 * @param fields receives the other fields
 * @throws {PageError} if the form is too large, ends early, is not multipart, or is not from a page of this session
 */
async function* formFiles(
  { request, reply, csrf }: RequestContext,
  form: FormWithFiles,
  fields: Record<string, string>,
) {
  for await (const part of formParts(request, reply, form)) {
    if (part.type === 'field') fields[part.fieldname] = String(part.value);
    else {
      requireCsrf({ body: fields }, csrf);
      yield part;
    }
  }
  requireCsrf({ body: fields }, csrf);
}

async function* formParts(
  request: FastifyRequest,
  reply: FastifyReply,
  { limits, mostBytes, tooLarge }: FormWithFiles,
) {
  if (!request.isMultipart()) throw new PageError(415, 'The form must have a file.');
  const tooMuch = new PageError(413, tooLarge);
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooMuch;
  const refused = refusedBeyond(request, reply, mostBytes, tooMuch);
  const parts = request.parts({ limits });
  try {
    for (;;) {
      const { value, done } = await Promise.race([parts.next(), refused]);
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw error === tooMuch ? error : notReceived(error, tooLarge);
  }
}

/** Returns the error page for a form or file that did not arrive. It logs no error, because the sender caused it. */
export function notReceived(error: unknown, tooLarge: string): PageError {
  const isLimit = /^FST_(REQ_FILE|FILES|PARTS|FIELDS)/.test(String((error as NodeJS.ErrnoException).code));
  if (isLimit) return new PageError(413, tooLarge);
  return new PageError(400, 'The form arrived incomplete, or cannot be read. Nothing was stored or sent.');
}

function tooLarge(maxBytes: number): string {
  return `The file is larger than ${maxBytes / 1024 / 1024} MiB. Nothing was started. Split it, or use "gangway batch".`;
}
