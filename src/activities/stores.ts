import type { DocumentStore } from '../documents/document-store.js';
import { StoreFailure } from '../documents/file-store.js';
import type { DocumentRef } from '../messages/requirements.js';
import { PartnerError, type PartnerErrorDetails } from '../partners/partner-error.js';

/** The call that a file is for, or comes from. */
export type FileCall = Pick<PartnerErrorDetails, 'system' | 'operation'>;

/** A document, as a part of a call that is yet to be made. @throws {PartnerError} when the store does not give it */
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

/**
 * Keeps the file that a read answered.
 *
 * @throws {PartnerError} what it broke off with, or of the store
 */
export async function kept<Saved>(call: FileCall, save: () => Promise<Saved>): Promise<Saved> {
  return save().catch((error: unknown) => {
    throw error instanceof StoreFailure
      ? withoutEffect(call, error, 'file', `cannot be kept: ${error.message}`)
      : error;
  });
}

/** A store that is away is waited for as a partner is; what a person must mend, a person is told. */
function withoutEffect(call: FileCall, failure: StoreFailure, field: string, message: string): PartnerError {
  const { kind, reason } = failure;
  const told =
    kind === 'away'
      ? ({ kind: 'NotSent', fields: [] } as const)
      : ({ kind: 'Rejected', fields: [{ field, message }] } as const);
  return new PartnerError({ ...call, ...told, reason: `no ${field}: ${reason}` }, { cause: failure });
}
