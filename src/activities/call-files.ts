import type { DocumentRef } from '../messages/requirements.js';
import type { DocumentStore } from '../partners/documents/document-store.js';
import { PartnerError, type PartnerErrorDetails } from '../partners/partner-error.js';
import { StoreFailure } from '../platform/documents/file-store.js';

export type FileCall = Pick<PartnerErrorDetails, 'system' | 'operation'>;

/** Reads a document from the store for a call. A failure of the store becomes a `PartnerError` of the call. */
export async function documentFor(call: FileCall, documents: DocumentStore, document: DocumentRef) {
  const { fileName, contentType } = document;
  const content = await documents.get(document).catch((error: unknown) => {
    if (!(error instanceof StoreFailure)) throw error;
    const problem =
      error.kind === 'missing'
        ? `${fileName} is not in the document store`
        : `${fileName} cannot be read: ${error.message}`;
    throw withoutEffect(call, error, 'document', problem);
  });
  return { fileName, contentType, content };
}

/** Saves the file that a read returns. A failure of the store becomes a `PartnerError` of the call. */
export async function withStoreFailures<Saved>(call: FileCall, save: () => Promise<Saved>): Promise<Saved> {
  return save().catch((error: unknown) => {
    throw error instanceof StoreFailure
      ? withoutEffect(call, error, 'file', `cannot be saved: ${error.message}`)
      : error;
  });
}

/** An unavailable store is retried, as an unavailable partner is. Any other failure becomes a question to a person. */
function withoutEffect(call: FileCall, failure: StoreFailure, field: string, message: string): PartnerError {
  const { kind, reason } = failure;
  const failed =
    kind === 'unavailable'
      ? ({ kind: 'NotSent', fields: [] } as const)
      : ({ kind: 'Rejected', fields: [{ field, message }] } as const);
  const details = { ...call, ...failed, atStore: true, reason: `no ${field}: ${reason}` } as const;
  return new PartnerError(details, { cause: failure });
}
