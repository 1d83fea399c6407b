import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { storeCheck } from '../../../src/commands/system/doctor/stores.js';
import { type FileStore, fileStore, folder, judgeFile } from '../../../src/documents/file-store.js';

const examine = (files: FileStore) =>
  storeCheck('document store', 'DOCUMENT_DIR', async () => files).run(new AbortController().signal);

/** A folder whose disk ends each operation with this error. */
function failing(code: string): FileStore {
  const fail = () => Promise.reject(Object.assign(new Error('a failure of the disk'), { code }));
  return fileStore({ place: '/documents', write: fail, read: fail, remove: fail, judge: judgeFile });
}

describe('doctor reports what happened to a file that it writes in a store, and what to do:', () => {
  it('nothing, and the file stays', async () => {
    const place = join(await mkdtemp(join(tmpdir(), 'gangway-stores-')), 'documents');
    expect(await examine(folder(place))).toEqual([{ state: 'ok', detail: place }]);
    expect(await readdir(place)).toEqual(['gangway-doctor.txt']);
  });

  it.each([
    ['ENOSPC', 'no space is left (ENOSPC)', 'free up or add space there'],
    ['EDQUOT', 'the quota is used up (EDQUOT)', 'free up or add space there'],
    ['EROFS', 'it is mounted read-only (EROFS)', 'mount it as writable'],
    ['EACCES', 'permission denied (EACCES)', 'allow the user of this process to read and write there'],
    ['EIO', 'the disk fails (EIO)', 'repair the disk or the mount'],
    ['EXDEV', 'EXDEV', 'correct DOCUMENT_DIR, or the permissions there'],
  ])('%s', async (code, happened, fix) => {
    expect(await examine(failing(code))).toEqual([
      { state: 'wrong', detail: `/documents: ${happened}`, fix },
    ]);
  });

  it('ENOTDIR, where the setting is wrong', async () => {
    expect(await examine(folder('/dev/null/documents'))).toEqual([
      {
        state: 'wrong',
        detail: '/dev/null/documents: a part of the path is no folder (ENOTDIR)',
        fix: 'correct DOCUMENT_DIR, or the permissions there',
      },
    ]);
  });
});
