import { createHash, hash, randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { type FileStore, StoreFailure } from '../../platform/documents/file-store.js';
import { MAX_ATTACHMENT_BYTES } from '../boarding/schemas.js';
import { checkDocument, documentName, typeOf } from './document-types.js';

/** A reference to a document in the store. Its bytes never enter a history. */
export interface DocumentRef {
  /** Key in the store, from the store or `gangway resolve --document`. */
  readonly key: string;
  /** The name the partner sees. */
  readonly fileName: string;
  /** MIME type. */
  readonly contentType: string;
}

/** Its methods throw a {@link StoreFailure}. */
export type DocumentStore = ReturnType<typeof documentStore>;

/** The form of a generated key. A key of this form cannot lead to any other file. */
const KEY = /^[0-9a-f-]{36}(\.[a-z0-9]{1,8})?$/;

/** Documents that wait to be sent to a partner. Workflows contain only references to them. */
export function documentStore(files: FileStore) {
  const checked = (key: string): string => {
    if (!KEY.test(key)) throw new StoreFailure(files.place, 'missing', 'no document has this key');
    return key;
  };
  type Key = Pick<DocumentRef, 'key'>;
  /** The caller must read or destroy the stream, which sets the pace. */
  const open = async ({ key }: Key): Promise<Readable> => files.open(checked(key));
  return {
    open,
    /**
     * Saves a document. Every upload comes through here, so all get the same checks.
     *
     * @param onChunk as in {@link checkDocument}
     * @throws {RefusedDocument}
     */
    async put(
      name: string,
      content: Readable | Uint8Array,
      onChunk?: (chunk: Buffer) => void,
    ): Promise<DocumentRef> {
      const fileName = documentName(name);
      const key = randomUUID() + extname(fileName).toLowerCase();
      const { contentType } = typeOf(fileName);
      const body = content instanceof Readable ? content : Readable.from([content]);
      await files.save(key, checkDocument(fileName, body, onChunk), contentType);
      return { key, fileName, contentType };
    },
    /** If the document is too large to send, returns one byte more than the limit. */
    async get(ref: Key): Promise<Uint8Array<ArrayBuffer>> {
      return beginningOf(await open(ref), MAX_ATTACHMENT_BYTES + 1);
    },
    /** Returns the SHA-256, in hexadecimal, and the length. Streams the document. */
    async hash(ref: Key): Promise<{ readonly sha256: string; readonly bytes: number }> {
      const hash = createHash('sha256');
      let bytes = 0;
      for await (const chunk of (await open(ref)) as AsyncIterable<Buffer>) {
        hash.update(chunk);
        bytes += chunk.length;
      }
      return { sha256: hash.digest('hex'), bytes };
    },
    async remove({ key }: Key): Promise<void> {
      await files.remove(checked(key));
    },
  };
}

async function beginningOf(content: Readable, atMost: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= atMost) break;
  }
  return Buffer.concat(chunks, Math.min(bytes, atMost));
}

/** Text that a file name may contain unchanged. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Returns the text if it is safe in a file name, otherwise its hash. */
export function fileNamePart(text: string): string {
  return PLAIN.test(text) ? text : hashOf([text]);
}

export function hashOf(texts: readonly string[]): string {
  return hash('sha256', JSON.stringify(texts)).slice(0, 8);
}
