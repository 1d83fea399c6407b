import type { DocumentRef } from '../messages/requirements.js';

/** Where documents wait to be sent to a partner. Only references to them travel through workflows. */
export interface DocumentStore {
  /** Takes a file in and answers its reference. */
  put(fileName: string, content: Uint8Array): Promise<DocumentRef>;
  /** @throws {DocumentNotFound} */
  get(ref: DocumentRef): Promise<Uint8Array<ArrayBuffer>>;
}

export class DocumentNotFound extends Error {
  override readonly name = 'DocumentNotFound';
  constructor(key: string) {
    super(`no document ${JSON.stringify(key)} in the store`);
  }
}
