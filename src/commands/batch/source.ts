import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { CommandLine } from '../command-line.js';
import { InvalidInput } from '../errors.js';
import { sourceName } from '../input-file.js';

/** A file that can be read from its beginning more than once. */
export interface Source {
  /** What people call it. */
  readonly name: string;
  /** Its bytes, from the beginning. */
  read(): Readable;
  close(): Promise<void>;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Opens a file, or standard input for `-`. It stays open, so a file that is replaced meanwhile is still read as it was.
 * What cannot be read twice, a pipe say, is held in memory: it may hold private data, which is not for a temporary file.
 *
 * @throws {InvalidInput}
 */
export async function openSource(cli: Pick<CommandLine, 'input'>, file: string): Promise<Source> {
  const name = sourceName(file);
  if (file === '-') return heldSource(name, await cli.input());
  try {
    const handle = await open(file);
    if (!(await handle.stat()).isFile()) return heldSource(name, await handle.readFile());
    return {
      name,
      read: () => handle.createReadStream({ start: 0, autoClose: false }),
      close: () => handle.close(),
    };
  } catch (error) {
    throw new InvalidInput(`${name}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function heldSource(name: string, bytes: Buffer): Source {
  function* chunks() {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
  }
  return { name, read: () => Readable.from(chunks()), close: async () => {} };
}
