import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { type DocumentStore, documentStore } from '../documents/document-store.js';
import { openStore, type StorePlaces } from '../documents/open-store.js';
import type { DocumentRef } from '../messages/requirements.js';
import { LONGEST, shortened } from '../partners/bounds.js';
import { InvalidInput } from '../texts/invalid-input.js';
import { checkedDocument, documentName, MOST_BYTES, MOST_FILES, RefusedDocument } from './document-types.js';
import { formFiles, notReceived } from './held-files.js';
import { Fields } from './query.js';
import { NotShown } from './route.js';

const TOO_LARGE = `At most ${MOST_FILES} files of 25 MiB each, together ${MOST_BYTES / 1024 / 1024} MiB. Nothing was stored or sent.`;

const LIMITS = {
  // The check of each document has a better message for one that is too large.
  ...{ fileSize: MOST_BYTES + 1, files: MOST_FILES },
  ...{ fields: 10, fieldSize: 8 * 1024, fieldNameSize: 200, headerPairs: 20 },
};

export async function documentsOf({ documentDir }: StorePlaces): Promise<DocumentStore> {
  return documentStore(await openStore(documentDir));
}

export interface Uploaded {
  readonly documents: readonly DocumentRef[];
  readonly fields: Fields;
  /** The reason why documents were refused. Then none is stored. */
  readonly refused: InvalidInput | undefined;
}

interface Receiving {
  readonly csrf: string;
  readonly store: DocumentStore;
  /** Is asked before the first byte is stored. It throws when the answer cannot be given. */
  readonly mayStore: (fields: Fields) => Promise<void>;
}

/**
 * Streams the files of a form to the document store. When the upload breaks off or a file is refused, what was stored is removed.
 *
 * @throws {NotShown} when the form is not from this session, or too large
 */
export async function receiveDocuments(
  request: FastifyRequest,
  { csrf, store, mayStore }: Receiving,
): Promise<Uploaded> {
  const mostBytes = MOST_BYTES + LIMITS.fieldSize * LIMITS.fields;
  const form = { csrf, limits: LIMITS, mostBytes, tooLarge: TOO_LARGE };
  const documents: DocumentRef[] = [];
  const values: Record<string, string> = {};
  const problems: string[] = [];
  let bytes = 0;
  const count = (received: number) => {
    bytes += received;
    if (bytes > MOST_BYTES) throw new NotShown(413, TOO_LARGE);
  };
  try {
    for await (const { file, fieldname, filename } of formFiles(request, form, values)) {
      // Browsers send a file without a name where none was chosen.
      if (!filename || fieldname !== 'documents') {
        await passOver(file, count);
        continue;
      }
      if (documents.length === 0) await mayStore(new Fields(values));
      try {
        const name = documentName(filename);
        documents.push(await store.put(name, checkedDocument(name, file, count)));
      } catch (error) {
        if (file.errored) throw notReceived(error, TOO_LARGE);
        if (!(error instanceof RefusedDocument)) throw error;
        problems.push(`${shortened(filename, LONGEST.line)} ${error.message}`);
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

/** Reads the rest of a file that nobody wants, because the next one comes behind it. It counts, because it may be endless. */
async function passOver(file: Readable, count: (received: number) => void): Promise<void> {
  try {
    for await (const chunk of file as AsyncIterable<Buffer>) count(chunk.length);
  } catch (error) {
    throw error instanceof NotShown ? error : notReceived(error, TOO_LARGE);
  }
}

export async function discard(store: DocumentStore, documents: readonly DocumentRef[]): Promise<void> {
  await Promise.allSettled(documents.map(({ key }) => store.remove({ key })));
}
