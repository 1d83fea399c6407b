import type { DocumentStore } from '../documents/document-store.js';
import { StoreFailure } from '../documents/file-store.js';
import type { DocumentRef } from '../messages/requirements.js';
import type { AcceptedAnswer, PartnerActivity } from '../temporal/history.js';
import type { Mask } from './mask.js';
import type { ExportedDocument } from './record.js';

/** Every document that an answer named or a call sent, with the hash of what the store has. */
export async function documentsOf(
  store: DocumentStore,
  answers: readonly AcceptedAnswer[],
  activities: readonly PartnerActivity[],
  mask: Mask,
): Promise<ExportedDocument[]> {
  const answered = answers.flatMap(({ requirementId, answer }) =>
    answer.kind === 'documents' ? answer.documents.map((document) => ({ document, requirementId })) : [],
  );
  const sent = activities.flatMap(({ request }, index) => {
    const document = documentIn(request);
    return document ? [{ document, number: index + 1 }] : [];
  });
  const all = new Map([...answered, ...sent].map(({ document }) => [document.key, document]));
  const documents: ExportedDocument[] = [];
  for (const [key, { fileName, contentType }] of all) {
    const isIt = ({ document }: { readonly document: DocumentRef }) => document.key === key;
    documents.push({
      ...{ key, fileName: mask.theirs(fileName), contentType },
      answered: [...new Set(answered.filter(isIt).map(({ requirementId }) => requirementId))],
      sentBy: sent.filter(isIt).map(({ number }) => number),
      ...(await hashOf(store, key)),
    });
  }
  return documents;
}

async function hashOf(
  store: DocumentStore,
  key: string,
): Promise<Pick<ExportedDocument, 'sha256' | 'bytes' | 'problem'>> {
  try {
    return await store.hash({ key });
  } catch (error) {
    if (error instanceof StoreFailure) return { problem: error.message };
    throw error;
  }
}

/** The document in the request of an upload. */
function documentIn(request: unknown): DocumentRef | undefined {
  if (typeof request !== 'object' || request === null || !('document' in request)) return undefined;
  const { document } = request as { document?: Partial<DocumentRef> };
  return typeof document?.key === 'string' ? (document as DocumentRef) : undefined;
}
