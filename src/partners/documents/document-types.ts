import { basename, extname } from 'node:path';
import { Readable } from 'node:stream';
import { MAX_ATTACHMENT_BYTES } from '../boarding/schemas.js';

/**
 * The accepted document types. A file's name and content must match, and a file that is valid as two types is refused, so that its
 * reader sees what its uploader saw.
 */

export const MOST_FILES = 10;

/** The maximum total size of the documents of an answer, in bytes. */
export const MOST_BYTES = 4 * MAX_ATTACHMENT_BYTES;

const NAME_LENGTH = 200;

/** Thrown for a document that is not accepted. The message is for the person, and does not quote the content. */
export class RefusedDocument extends Error {
  override readonly name = 'RefusedDocument';
}

/** The form of a file, by its content. Messages use the first name. */
export interface Form {
  readonly names: readonly string[];
  readonly begins: (start: Buffer) => boolean;
  readonly ends?: (end: Buffer) => boolean;
  readonly isText?: true;
}

interface DocumentType extends Form {
  readonly contentType: string;
}

const beginsWith =
  (...signatures: readonly (readonly number[])[]) =>
  (start: Buffer) =>
    signatures.some((signature) => start.subarray(0, signature.length).equals(Buffer.from(signature)));

/** The white space includes the byte order mark that some programs write. */
export const startsAs = (pattern: RegExp) => (start: Buffer) => pattern.test(start.toString());

const endsAs = (pattern: RegExp) => (end: Buffer) => pattern.test(end.toString('latin1'));

/** Readers look for the end mark within this distance, because programs append to files. */
export const endsWith = (mark: string) => (end: Buffer) => end.subarray(-1_024).includes(mark);

export const PDF: DocumentType = {
  names: ['.pdf'],
  contentType: 'application/pdf',
  begins: startsAs(/^\s*%PDF-/),
  ends: endsWith('%%EOF'),
};

const TYPES: readonly DocumentType[] = [
  PDF,
  {
    names: ['.png'],
    contentType: 'image/png',
    begins: beginsWith([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ends: endsAs(/\0{4}IEND\xaeB`\x82\0*$/),
  },
  {
    names: ['.jpg', '.jpeg'],
    contentType: 'image/jpeg',
    begins: beginsWith([0xff, 0xd8, 0xff]),
    // Cameras append zeros; Samsung's append records that end with SEFT.
    ends: endsAs(/(?:\xff\xd9|SEFT)\0*$/),
  },
  {
    names: ['.tif', '.tiff'],
    contentType: 'image/tiff',
    begins: beginsWith([0x49, 0x49, 0x2a, 0], [0x4d, 0x4d, 0, 0x2a]),
  },
  { names: ['.txt'], contentType: 'text/plain', begins: () => true, isText: true },
  { names: ['.csv'], contentType: 'text/csv', begins: () => true, isText: true },
];

export const ACCEPTED_NAMES = TYPES.flatMap(({ names }) => names);

/** How much of the beginning is searched for other types, in bytes. PDF readers accept a header within the first 1024. */
const START_BYTES = 4_096;

/** How much of the end is searched, in bytes: a ZIP archive has its directory there, and a comment of up to 64 KiB after it. */
const END_BYTES = 66_000;

const ZIP_END = Buffer.from([0x50, 0x4b, 5, 6]);
const MARKUP = /<(?:!doctype|html|head|body|script|svg|iframe|\?php)\b/i;
/** Programs: Windows, Linux, macOS, Java; and scripts. */
const PROGRAM = beginsWith(
  [0x4d, 0x5a],
  [0x7f, 0x45, 0x4c, 0x46],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xca, 0xfe, 0xba, 0xbe],
  [0x23, 0x21],
);

/** @throws {RefusedDocument} if it is not accepted */
export function typeOf(name: string): DocumentType {
  const type = TYPES.find(({ names }) => names.includes(extname(name).toLowerCase()));
  if (type) return type;
  throw new RefusedDocument(`only files of these types are accepted: ${ACCEPTED_NAMES.join(', ')}`);
}

/**
 * Returns a document's name from the sender's file name: without path and control characters, and short enough for partners.
 *
 * @throws {RefusedDocument} if nothing is left, or the type is not accepted
 */
export function documentName(value: string): string {
  const plain = value.normalize('NFC').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
  const name = basename(plain.replaceAll('\\', '/')).trim().replace(/^\.+/, '');
  typeOf(name);
  if (name.length <= NAME_LENGTH) return name;
  const extension = extname(name).toLowerCase();
  return name.slice(0, NAME_LENGTH - extension.length).replace(/[\uD800-\uDBFF]$/, '') + extension;
}

/**
 * Reports whether a reference has the name and type for which the content was checked, so that no partner gets text as HTML. The
 * key has the extension of the stored name.
 */
export function isAsStored({
  key,
  fileName,
  contentType,
}: Record<'key' | 'fileName' | 'contentType', string>) {
  const extension = extname(fileName).toLowerCase();
  const type = TYPES.find(({ names }) => names.includes(extension));
  return type?.contentType === contentType && extname(key) === extension && isPlainName(fileName);
}

function isPlainName(name: string): boolean {
  try {
    return documentName(name) === name;
  } catch {
    return false;
  }
}

/**
 * Streams a document, and stops if its content does not match its name, so a store never has a complete refused document. The
 * source stays open, so the sender can continue.
 *
 * @param onChunk may throw
 * @throws {RefusedDocument} through the stream
 */
export function checkDocument(name: string, content: Readable, onChunk?: OnChunk): Readable {
  return Readable.from(checkContent(content, typeOf(name), onChunk), { objectMode: false });
}

type OnChunk = (chunk: Buffer) => void;

/** Like {@link checkDocument}, for a file of any form. @param most the maximum size, in bytes */
export async function* checkContent(
  content: Readable,
  type: Form,
  onChunk: OnChunk = () => undefined,
  most = MAX_ATTACHMENT_BYTES,
): AsyncGenerator<Buffer> {
  const text = type.isText && new TextDecoder('utf-8', { fatal: true });
  let [before, last] = [Buffer.alloc(0), Buffer.alloc(0)];
  let bytes = 0;
  for await (const block of blocksOf(content)) {
    onChunk(block);
    if (bytes === 0) refuseStart(block.subarray(0, START_BYTES), type);
    bytes += block.length;
    if (bytes > most) throw new RefusedDocument('is larger than 25 MiB');
    if (text) refuseText(block, (part) => text.decode(part, { stream: true }));
    if (last.length > 0) yield last;
    [before, last] = [last, block];
  }
  if (bytes === 0) throw new RefusedDocument('is empty');
  if (text) refuseText(Buffer.alloc(0), () => text.decode());
  const end = Buffer.concat([before, last]).subarray(-END_BYTES);
  if (type.ends && !type.ends(end))
    throw new RefusedDocument(`is not a complete ${nameOf(type)} file, or has data after its end`);
  if (!type.isText && end.includes(ZIP_END)) throw new RefusedDocument('is an archive as well');
  yield last;
}

/**
 * Joins small chunks into blocks, because joining the end with each chunk would be slow. Only the last block may be shorter than an
 * end.
 */
async function* blocksOf(content: Readable): AsyncGenerator<Buffer<ArrayBuffer>> {
  let [chunks, bytes]: [Buffer[], number] = [[], 0];
  const parts: AsyncIterable<Buffer | Uint8Array | string> = content.iterator({ destroyOnReturn: false });
  for await (const part of parts) {
    const chunk = Buffer.isBuffer(part) ? part : Buffer.from(part);
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < END_BYTES) continue;
    yield Buffer.concat(chunks);
    [chunks, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(chunks);
}

function nameOf({ names: [name = ''] }: Form): string {
  return name.slice(1).toUpperCase();
}

function refuseStart(start: Buffer, type: Form): void {
  const other = TYPES.find((each) => nameOf(each) !== nameOf(type) && !each.isText && each.begins(start));
  if (!type.begins(start) || other || PROGRAM(start)) {
    const match = other ? ` Its content is ${nameOf(other)}.` : '';
    throw new RefusedDocument(`does not match its name.${match}`);
  }
  const text = start.toString('latin1');
  if (type.isText) return;
  const isOther = (nameOf(type) !== 'PDF' && text.includes('%PDF-')) || MARKUP.test(text);
  if (isOther) throw new RefusedDocument('contains the beginning of another file type');
}

/** Accepts only UTF-8 without control characters, because programs disagree on how to show any other text. */
function refuseText(chunk: Buffer, decode: (chunk: Buffer) => string): void {
  let text: string;
  try {
    text = decode(chunk);
  } catch {
    throw new RefusedDocument('is not UTF-8 text: save it as UTF-8');
  }
  if (/[^\P{Cc}\t\r\n\f]/u.test(text)) throw new RefusedDocument('is not text: it has control characters');
}
