import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib';

/** What the bytes after the first one are. */
const PLAIN = 0;
const DEFLATED = 1;

/** Far above what Temporal takes in one message. More than this is a trap set for the memory. */
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

/** A round trip through the thread pool takes longer than compressing this much. */
const SYNC_BYTES = 32 * 1024;

const deflateAside = promisify(deflateRaw);
const inflateAside = promisify(inflateRaw);

/**
 * One byte that tells the form, then the contents: deflated where that is smaller. Of JSON of 2 to 10 kB a quarter
 * to a third remains; Brotli would gain 3 % more and take twice the time.
 */
export async function pack(contents: Uint8Array): Promise<Buffer> {
  const deflated = await deflate(contents);
  return deflated.length < contents.length
    ? Buffer.concat([Buffer.of(DEFLATED), deflated])
    : Buffer.concat([Buffer.of(PLAIN), contents]);
}

/** @throws {Error} when the form is unknown, or the contents are damaged or larger than 64 MiB */
export async function unpack(packed: Uint8Array): Promise<Uint8Array> {
  const [form] = packed;
  const contents = packed.subarray(1);
  if (form === PLAIN) return contents;
  if (form === DEFLATED) return inflate(contents);
  throw new Error(`unknown form ${form}`);
}

/** Leaves alone what {@link unpack} would refuse. */
async function deflate(contents: Uint8Array): Promise<Uint8Array> {
  if (contents.length > MAX_UNPACKED_BYTES) return contents;
  return contents.length > SYNC_BYTES ? deflateAside(contents) : deflateRawSync(contents);
}

async function inflate(contents: Uint8Array): Promise<Uint8Array> {
  const options = { maxOutputLength: MAX_UNPACKED_BYTES };
  return contents.length > SYNC_BYTES ? inflateAside(contents, options) : inflateRawSync(contents, options);
}
