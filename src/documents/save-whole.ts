import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/**
 * Writes a file of a partner while it comes, in place of one of the same name. Until it is whole, the old one stays. It is
 * readable by its owner only.
 *
 * @returns how many bytes were written; they are on the disk by then
 * @throws {PartnerError} that `body` broke off with, or the file system's error; nothing is left behind then
 */
export async function saveWhole(folder: string, fileName: string, body: Readable): Promise<number> {
  const unfinished = join(folder, `.${randomUUID()}.part`);
  // It may break off before there is a file to read it into.
  body.once('error', () => undefined);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const bytes = await writeAll(unfinished, body);
    await rename(unfinished, join(folder, fileName));
    return bytes;
  } catch (error) {
    // The caller must hear why there is no file, not why the rest of one could not be removed.
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    // Lets go of the partner when the file was the problem.
    body.destroy();
  }
}

async function writeAll(path: string, body: Readable): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    await writeFile(file, body);
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}
