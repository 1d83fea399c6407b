import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type FileStore, fileStore } from './file-store.js';

/** Files in a folder, readable by their owner only. Processes that share the files share the folder. */
export function folder(path: string): FileStore {
  return fileStore({
    place: path,
    async write(name, content) {
      const unfinished = join(path, `.${randomUUID()}.part`);
      try {
        await mkdir(path, { recursive: true, mode: 0o700 });
        await writeAll(unfinished, content);
        await rename(unfinished, join(path, name));
      } catch (error) {
        // The caller must hear why there is no file, not why the rest of one could not be removed.
        await rm(unfinished, { force: true }).catch(() => undefined);
        throw error;
      }
    },
    async read(name) {
      const file = await open(join(path, name));
      return file.createReadStream();
    },
    judge(error) {
      const { code, name } = error as NodeJS.ErrnoException;
      // Room is made on a disk, a mount comes back: all but an absent file may be there with another try.
      return { kind: code === 'ENOENT' ? 'missing' : 'away', reason: code ?? name };
    },
  });
}

async function writeAll(path: string, content: Readable): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await writeFile(file, content);
    await file.sync();
  } finally {
    await file.close();
  }
}
