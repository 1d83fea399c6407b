import { type FileHandle, open } from 'node:fs/promises';
import { heldSource, rejectUtf16, type Source } from '../../batches/format.js';
import { InvalidInput } from '../../texts/invalid-input.js';
import { cannotRead, sourceName } from '../cli/arguments.js';
import type { CommandLine } from '../cli/command-line.js';

/**
 * Opens a file, or standard input for `-`. The file stays open, so a file that is replaced in the meantime is read as it was.
 * A source that cannot be read twice, such as a pipe, is held in memory, because a temporary file must not hold private data.
 *
 * @throws {InvalidInput}
 */
export async function openSource(cli: Pick<CommandLine, 'input'>, file: string): Promise<Source> {
  const name = sourceName(file);
  if (file === '-') return heldSource(name, await cli.input());
  const handle = await open(file).catch(cannotRead(name));
  try {
    return await sourceOf(handle, name);
  } catch (error) {
    await handle.close();
    return error instanceof InvalidInput ? Promise.reject(error) : cannotRead(name)(error as Error);
  }
}

async function sourceOf(handle: FileHandle, name: string): Promise<Source> {
  if (!(await handle.stat()).isFile()) return heldSource(name, await handle.readFile());
  const beginning = await handle.read(Buffer.alloc(2), 0, 2, 0);
  rejectUtf16(beginning.buffer, name);
  return {
    name,
    read: () => handle.createReadStream({ start: 0, autoClose: false }),
    close: () => handle.close(),
  };
}
