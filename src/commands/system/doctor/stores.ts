import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type FileStore, StoreFailure } from '../../../documents/file-store.js';
import { type Check, messageOf, ok, wrong } from './check.js';

/** A file that the check writes and leaves in place, because nothing needs the permission to remove files. */
const PROBE = {
  name: 'gangway-doctor.txt',
  content: 'gangway doctor wrote this file to check that the store can be written and read',
};

/** Writes a file and reads it. */
export function storeCheck(name: string, setting: string, open: () => Promise<FileStore>): Check {
  const fix = `correct ${setting}, or the permissions there`;
  return {
    name,
    fix,
    async run() {
      try {
        const files = await open();
        await files.save(PROBE.name, Readable.from([PROBE.content]), 'text/plain');
        const read = await text(await files.open(PROBE.name));
        if (read === PROBE.content) return [ok(files.place)];
        return [wrong(`${files.place}: a file reads differently from what was written`, 'repair the store')];
      } catch (error) {
        if (!(error instanceof StoreFailure)) throw error;
        const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
        return [wrong(messageOf(error), (code !== undefined && REMEDIES[code]) || fix)];
      }
    },
  };
}

const FREE_SPACE = 'free up or add space there';
const REPAIR = 'repair the disk or the mount';

/** What to do about a failure of the file system that no setting causes. */
const REMEDIES: Readonly<Record<string, string | undefined>> = {
  ENOSPC: FREE_SPACE,
  EDQUOT: FREE_SPACE,
  EROFS: 'mount it as writable',
  EACCES: 'allow the user of this process to read and write there',
  EPERM: 'allow the user of this process to read and write there',
  EIO: REPAIR,
  ESTALE: REPAIR,
  EMFILE: 'raise the limit of open files',
  ENFILE: 'raise the limit of open files',
};
