import { readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { bucketAddress, type FileStore, StoreFailure } from '../../../documents/file-store.js';
import { type Check, messageOf, ok, type Verdict, warn, wrong } from './check.js';

/** A file that the check writes and leaves in place, because nothing needs the permission to remove files. */
const PROBE = {
  name: 'gangway-doctor.txt',
  content: 'gangway doctor wrote this file to check that the store can be written and read',
};

interface Store {
  readonly place: string;
  /** The setting names it, so that it may have a typing error. */
  readonly isGiven: boolean;
  readonly open: () => Promise<FileStore>;
}

/** Writes a file and reads it. Makes no folder, because a name with a typing error would then look right. */
export function storeCheck(name: string, setting: string, { place, isGiven, open }: Store): Check {
  const fix = `correct ${setting}, or the permissions there`;
  return {
    name,
    fix,
    async run() {
      try {
        const held = bucketAddress(place) === undefined ? await filesIn(place) : undefined;
        const missing = `${place}: the folder does not exist, and the first file makes it`;
        if (held === 'missing')
          return [isGiven ? warn(missing, `correct ${setting}, or create the folder`) : ok(missing)];
        return [await written(await open(), held === 'none' ? ', which is empty' : '')];
      } catch (error) {
        if (!(error instanceof StoreFailure)) throw error;
        const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
        return [wrong(messageOf(error), (code !== undefined && REMEDIES[code]) || fix)];
      }
    },
  };
}

/** What a folder holds. One that cannot be read counts as full, because writing then shows why. */
function filesIn(place: string): Promise<'missing' | 'none' | 'some'> {
  return readdir(place).then(
    (names) => (names.every((name) => name === PROBE.name) ? 'none' : 'some'),
    ({ code }: NodeJS.ErrnoException) => (code === 'ENOENT' ? 'missing' : 'some'),
  );
}

async function written(files: FileStore, note: string): Promise<Verdict> {
  await files.save(PROBE.name, Readable.from([PROBE.content]), 'text/plain');
  const read = await text(await files.open(PROBE.name));
  if (read === PROBE.content) return ok(files.place + note);
  return wrong(`${files.place}: a file reads differently from what was written`, 'repair the store');
}

const FREE_SPACE = 'free up or add space there';
const REPAIR = 'repair the disk or the mount';
const PERMIT = 'allow the user of this process to read and write there';
const RAISE = 'raise the limit of open files';

/** What to do about a failure of the file system that no setting causes. */
const REMEDIES: Readonly<Record<string, string | undefined>> = {
  ...{ ENOSPC: FREE_SPACE, EDQUOT: FREE_SPACE },
  ...{ EIO: REPAIR, ESTALE: REPAIR },
  ...{ EACCES: PERMIT, EPERM: PERMIT },
  ...{ EMFILE: RAISE, ENFILE: RAISE },
  EROFS: 'mount it as writable',
};
