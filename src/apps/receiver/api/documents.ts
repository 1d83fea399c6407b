import type { Readable } from 'node:stream';
import type { FastifyError } from 'fastify';
import type { DocumentRef } from '../../../messages/requirements.js';
import { MAX_ATTACHMENT_BYTES } from '../../../partners/boarding/schemas.js';
import { documentStore } from '../../../partners/documents/document-store.js';
import { RefusedDocument } from '../../../partners/documents/document-types.js';
import { openStore } from '../../../platform/documents/open-store.js';
import { refusedBeyond } from '../../../platform/http/server.js';
import { response } from '../openapi.js';
import { invalidRequest, Problem } from '../problems.js';
import { audit, type Call, defineRoute } from './calls.js';
import * as shapes from './shapes.js';

/** The size of a form besides its file, in bytes. */
const MORE_BYTES = 4_096;

/** The maximum number of parts. The second part is refused by name, and the parser refuses further parts. */
const MAX_PARTS = 2;

const ALONE = 'is required, as the only part of the form';
const wrongFile = (message: string) => invalidRequest([{ field: 'file', message }]);

interface Storing {
  /** The largest file, in bytes. */
  readonly most: number;
  /** Returns the bytes to store. Default: the file itself. */
  readonly prepare?: (fileName: string, file: Readable) => Promise<Uint8Array>;
}

/** Streams the file of a form to the document store. If the form is refused, removes the file. @throws {Problem} */
export async function storeFile(
  { request, reply, documentDir }: Pick<Call, 'request' | 'reply' | 'documentDir'>,
  { most, prepare }: Storing,
): Promise<DocumentRef> {
  const tooLarge = new Problem('too-large', `a document has at most ${most / 1024 / 1024} MiB`);
  if (!request.isMultipart()) throw new Problem('unsupported-media-type', 'send a form with a file');
  if (Number(request.headers['content-length']) > most + MORE_BYTES) throw tooLarge;
  const refused = refusedBeyond(request, reply, most + MORE_BYTES, tooLarge);
  // The parser ends a file only with its part, so the check of the document must see one that is too large first.
  const parts = request.parts({ limits: { fileSize: 2 * most, parts: MAX_PARTS, headerPairs: 20 } });
  const nextPart = async () => {
    const arriving = parts.next().catch((cause: FastifyError) => {
      throw cause.statusCode === 413
        ? wrongFile(ALONE)
        : new Problem('unreadable', 'the form cannot be read', { cause });
    });
    const { value } = await Promise.race([arriving, refused]);
    return value;
  };
  const part = await nextPart();
  if (part?.type !== 'file' || part.fieldname !== 'file') throw wrongFile(ALONE);
  if (!part.filename) throw wrongFile('must have a file name');
  const { file, filename } = part;
  let bytes = 0;
  const count = ({ length }: Buffer) => {
    bytes += length;
    if (bytes > most) throw tooLarge;
  };
  try {
    const documents = documentStore(await openStore(documentDir));
    const content = prepare ? await Promise.race([prepare(filename, file), refused]) : file;
    const stored = await documents.put(filename, content, count);
    try {
      if (await nextPart()) throw wrongFile(ALONE);
    } catch (error) {
      await documents.remove(stored);
      throw error;
    }
    return stored;
  } catch (error) {
    if (error instanceof RefusedDocument) throw wrongFile(error.message);
    throw file.errored ? new Problem('unreadable', 'the form arrived incomplete') : error;
  }
}

/** `POST /v1/documents`. The body is streamed to the store, so nothing else here reads it. */
export const documentRoute = defineRoute(
  'POST /v1/documents',
  'store-document',
  'documents',
  'Store a document, for an answer of the kind documents',
  {
    body: shapes.documentForm,
    takesFile: true,
    responses: { 201: response('The reference for the answer', shapes.stored) },
    reply: async (call) => {
      const stored = await storeFile(call, { most: MAX_ATTACHMENT_BYTES });
      audit(call, 'store a document', { document: stored.key });
      call.reply.code(201);
      return stored;
    },
  },
);
