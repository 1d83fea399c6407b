import type { Readable } from 'node:stream';
import type { FastifyMultipartBaseOptions, Multipart, MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { requireCsrf } from './admission.js';
import { NotShown, type Visit } from './route.js';

export interface HeldFile {
  /** The name that the browser sent: for messages only, never a path. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** A form with files. A field or a file that is empty is absent. */
export interface ReceivedForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, HeldFile>>;
}

/**
 * Receives a form whose files are small enough to hold in memory. Nothing is written to a disk, because the files have private
 * values.
 *
 * @throws {NotShown} when a file is larger than `maxBytes`, or the form is not from a page of this session
 */
export async function receivedForm(
  { request, csrf }: Pick<Visit, 'request' | 'csrf'>,
  maxBytes: number,
): Promise<ReceivedForm> {
  const fields: Record<string, string> = {};
  const files: Record<string, HeldFile> = {};
  const limits = { fileSize: maxBytes + 1, files: 3, fields: 20, fieldSize: 10_000 };
  const mostBytes = limits.files * limits.fileSize + limits.fields * limits.fieldSize;
  const form = { csrf, limits, mostBytes, tooLarge: tooLarge(maxBytes) };
  for await (const { file, fieldname, filename = '' } of formFiles(request, form, fields)) {
    const bytes = await contentOf(file, maxBytes);
    if (bytes.length > 0) files[fieldname] = { name: filename, bytes };
  }
  return { fields, files };
}

/** Not to the end when it is too large: the rest may be anything. */
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
  if (length > maxBytes) throw new NotShown(413, tooLarge(maxBytes));
  return Buffer.concat(chunks);
}

interface FormWithFiles {
  readonly csrf: string;
  readonly limits: NonNullable<FastifyMultipartBaseOptions['limits']>;
  /** The size of the whole form, because `limits` cover only the content of its parts. */
  readonly mostBytes: number;
  /** The message when there is more than that, or than `limits` allow. */
  readonly tooLarge: string;
}

/**
 * The files of a form, while they arrive. Browsers send the fields in the order of the form, and the token is its first, so no file
 * of a form that is not from this session is read.
 *
 * @param fields takes the other fields
 * @throws {NotShown} when the form is too large, ends early, is not such a form, or is not from a page of this session
 */
export async function* formFiles(
  request: FastifyRequest,
  form: FormWithFiles,
  fields: Record<string, string>,
): AsyncGenerator<MultipartFile, void, undefined> {
  for await (const part of formParts(request, form)) {
    if (part.type === 'field') fields[part.fieldname] = String(part.value);
    else {
      requireCsrf({ body: fields }, form.csrf);
      yield part;
    }
  }
  requireCsrf({ body: fields }, form.csrf);
}

async function* formParts(
  request: FastifyRequest,
  { limits, mostBytes, tooLarge }: FormWithFiles,
): AsyncGenerator<Multipart, void, undefined> {
  if (!request.isMultipart()) throw new NotShown(415, 'The form must have a file.');
  const tooMuch = new NotShown(413, tooLarge);
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooMuch;
  let received = 0;
  const refused = new Promise<never>((_, reject) => {
    request.raw.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > mostBytes) reject(tooMuch);
    });
  });
  // While a file is read, nobody waits for the next part.
  refused.catch(() => undefined);
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

/** The error that people see when a form or its file has not arrived. The sender caused it, so the log needs no error. */
export function notReceived(error: unknown, tooLarge: string): NotShown {
  const isLimit = /^FST_(REQ_FILE|FILES|PARTS|FIELDS)/.test(String((error as NodeJS.ErrnoException).code));
  if (isLimit) return new NotShown(413, tooLarge);
  return new NotShown(400, 'The form arrived incomplete, or cannot be read. Nothing was stored or sent.');
}

function tooLarge(maxBytes: number): string {
  return `The file is larger than ${maxBytes / 1024 / 1024} MiB. Nothing was started. Split it, or use "gangway batch".`;
}
