import { Readable } from 'node:stream';

/** A stream of this content in chunks of so many bytes. */
export function inChunks(content: string | Buffer, size: number): Readable {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const count = Math.ceil(bytes.length / size);
  return Readable.from(
    Array.from({ length: count }, (_, place) => bytes.subarray(place * size, (place + 1) * size)),
  );
}
