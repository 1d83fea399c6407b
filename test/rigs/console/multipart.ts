import { Readable } from 'node:stream';
import type { Sent } from './running-console.js';

/** A part of a form. A part with a file name is a file. */
export interface Part {
  readonly name: string;
  /** Goes into the header as it is: line ends and all. */
  readonly fileName?: string;
  readonly content: string | Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const BOUNDARY = 'a-boundary-of-this-form';

/** A form with files whose every byte a test chooses, which no client for forms would send. */
export function multipart(parts: readonly Part[]): Pick<Sent, 'body' | 'headers'> {
  return { body: Readable.from(bytesOf(parts), { objectMode: false }), headers: MULTIPART };
}

export const MULTIPART = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

async function* bytesOf(parts: readonly Part[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    yield Buffer.from(headOf(part));
    const { content } = part;
    if (typeof content === 'string') yield Buffer.from(content);
    else if (content instanceof Uint8Array) yield content;
    else yield* content;
    yield Buffer.from('\r\n');
  }
  yield Buffer.from(`--${BOUNDARY}--\r\n`);
}

export function headOf({ name, fileName }: Pick<Part, 'name' | 'fileName'>): string {
  const file = fileName === undefined ? '' : `; filename="${fileName}"\r\ncontent-type: application/pdf`;
  return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`;
}

const MIB = 1024 * 1024;

/** A document of this many mebibytes, made while it is sent. */
export function* large(mebibytes: number, beginning = '%PDF-1.7\n'): Generator<Uint8Array> {
  yield Buffer.from(beginning);
  const zeros = Buffer.alloc(MIB);
  for (let number = 0; number < mebibytes; number += 1) yield zeros;
  yield Buffer.from('\n%%EOF\n');
}
