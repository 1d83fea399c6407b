import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { DocumentNotFound, type DocumentStore } from './document-store.js';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.tif': 'image/tiff',
  '.tiff': 'image/tiff',
  '.txt': 'text/plain',
  '.csv': 'text/csv',
};

/** A key that this store made: nothing in it can lead out of the folder. */
const KEY = /^[0-9a-f-]{36}(\.[a-z0-9]{1,8})?$/;

/** MIME type of a file, by its name. */
export function contentTypeOf(fileName: string): string {
  return CONTENT_TYPES[extname(fileName).toLowerCase()] ?? 'application/octet-stream';
}

/** Documents in a folder that starters and workers share. Files are readable by their owner only. */
export function folderStore(folder: string): DocumentStore {
  return {
    async put(fileName, content) {
      const extension = extname(fileName).toLowerCase();
      const key = randomUUID() + (/^\.[a-z0-9]{1,8}$/.test(extension) ? extension : '');
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(join(folder, key), content, { mode: 0o600, flag: 'wx' });
      return { key, fileName: basename(fileName), contentType: contentTypeOf(fileName) };
    },
    async get({ key }) {
      if (!KEY.test(key)) throw new DocumentNotFound(key);
      return readFile(join(folder, key)).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? new DocumentNotFound(key) : error;
      });
    },
  };
}
