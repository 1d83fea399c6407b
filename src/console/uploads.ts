import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { type DocumentStore, documentStore } from '../documents/document-store.js';
import { openStore, type StorePlaces } from '../documents/open-store.js';
import type { DocumentRef } from '../messages/requirements.js';
import { InvalidInput } from '../operators/invalid-input.js';
import { LONGEST, shortened } from '../partners/bounds.js';
import { requireCsrf } from './admission.js';
import { checkedDocument, documentName, MOST_BYTES, MOST_FILES, RefusedDocument } from './document-types.js';
import { formParts, notReceived } from './held-files.js';
import { Fields } from './query.js';
import { NotShown } from './route.js';

/** Receives the documents of an answer. */

/** The size limit of fields other than files. */
const FIELD_BYTES = 8 * 1024;
const MOST_FIELDS = 10;

const TOO_LARGE = `At most ${MOST_FILES} files of 25 MiB each, together ${MOST_BYTES / 1024 / 1024} MiB. Nothing was stored or sent.`;

/** The store of the documents that wait to be sent. */
export async function documentsOf({ documentDir }: StorePlaces): Promise<DocumentStore> {
  return documentStore(await openStore(documentDir));
}

export interface Uploaded {
  readonly documents: readonly DocumentRef[];
  readonly fields: Fields;
  /** The reason why documents were refused. Then none is stored. */
  readonly refused: InvalidInput | undefined;
}

/**
 * Streams the files of a form to the document store. The field `csrf` comes before the files, so nothing is stored for a form that is not from
 * this session. When the upload breaks off or a file is refused, what was stored is removed.
 *
 * @param mayStore is asked before the first byte is stored. It throws when the answer cannot be given
 * @throws {NotShown} when the form is not from this session, or too large
 */
export async function receiveDocuments(
  request: FastifyRequest,
  {
    csrf,
    store,
    mayStore,
  }: {
    readonly csrf: string;
    readonly store: DocumentStore;
    readonly mayStore: (fields: Fields) => Promise<void>;
  },
): Promise<Uploaded> {
  const limits = {
    // The check of each document has a better message for one that is too large.
    fileSize: MOST_BYTES + 1,
    files: MOST_FILES,
    fields: MOST_FIELDS,
    fieldSize: FIELD_BYTES,
    fieldNameSize: 200,
    headerPairs: 20,
  };
  const mostBytes = MOST_BYTES + FIELD_BYTES * MOST_FIELDS;
  const documents: DocumentRef[] = [];
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  let bytes = 0;
  try {
    for await (const part of formParts(request, limits, mostBytes, TOO_LARGE)) {
      if (part.type === 'field') {
        values[part.fieldname] = part.value;
        continue;
      }
      requireCsrf({ body: values }, csrf);
      const count = (received: number) => {
        bytes += received;
        if (bytes > MOST_BYTES) throw new NotShown(413, TOO_LARGE);
      };
      // Browsers send a file without a name where none was chosen.
      if (!part.filename || part.fieldname !== 'documents') {
        await passOver(part.file, count);
        continue;
      }
      if (documents.length === 0) await mayStore(new Fields(values));
      try {
        const name = documentName(part.filename);
        documents.push(await store.put(name, checkedDocument(name, part.file, count)));
      } catch (error) {
        if (part.file.errored) throw notReceived(error, TOO_LARGE);
        if (!(error instanceof RefusedDocument)) throw error;
        problems.push(`${shortened(part.filename, LONGEST.line)} ${error.message}`);
        await passOver(part.file, count);
      }
    }
  } catch (error) {
    await discard(store, documents);
    throw error;
  }
  requireCsrf({ body: values }, csrf);
  const fields = new Fields(values);
  if (problems.length === 0 && documents.length > 0) return { documents, fields, refused: undefined };
  await discard(store, documents);
  const lines = problems.length > 0 ? problems : ['choose at least one file'];
  const refused = new InvalidInput(
    'The documents cannot be sent.',
    lines.map((message) => ({ field: 'documents', message })),
  );
  return { documents: [], fields, refused };
}

/** Reads the rest of a file that nobody wants, because the next one comes behind it. It counts, because it may be endless. */
async function passOver(file: Readable, count: (received: number) => void): Promise<void> {
  try {
    for await (const chunk of file as AsyncIterable<Buffer>) count(chunk.length);
  } catch (error) {
    throw error instanceof NotShown ? error : notReceived(error, TOO_LARGE);
  }
}

/** Removes documents that no answer names. */
export async function discard(store: DocumentStore, documents: readonly DocumentRef[]): Promise<void> {
  await Promise.allSettled(documents.map(({ key }) => store.remove({ key })));
}
