import { readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { storeCheck } from '../../../../src/apps/command/system/doctor/doctor.js';
import {
  type FileStore,
  fileStore,
  folder,
  judgeFile,
} from '../../../../src/platform/documents/file-store.js';
import { newFolder } from '../../../rigs/folders.js';

const examine = (files: FileStore, isGiven = true, place = tmpdir()) =>
  storeCheck('document store', 'DOCUMENT_DIR', { place, isGiven, open: async () => files }).run(
    new AbortController().signal,
  );

/** A folder whose disk ends each operation with this error. */
function failing(code: string): FileStore {
  const fail = () => Promise.reject(Object.assign(new Error('a failure of the disk'), { code }));
  return fileStore({ place: '/documents', write: fail, read: fail, remove: fail, judge: judgeFile });
}

describe('doctor reports what happened to a file that it writes in a store, and what to do:', () => {
  it('nothing, and the file stays', async () => {
    const place = await newFolder();
    const empty = [{ state: 'ok', detail: `${place}, which is empty` }];
    expect(await examine(folder(place), true, place)).toEqual(empty);
    expect(await readdir(place)).toEqual(['gangway-doctor.txt']);
    expect(await examine(folder(place), true, place)).toEqual(empty);
    await writeFile(join(place, 'check.pdf'), '');
    expect(await examine(folder(place), true, place)).toEqual([{ state: 'ok', detail: place }]);
  });

  it('a folder that does not exist, which it does not make', async () => {
    const above = await newFolder();
    const place = join(above, 'docments');
    const detail = `${place}: the folder does not exist yet; the first file creates it`;
    const fix = 'correct DOCUMENT_DIR, or create the folder';
    expect(await examine(folder(place), true, place)).toEqual([{ state: 'warn', detail, fix }]);
    expect(await examine(folder(place), false, place)).toEqual([{ state: 'ok', detail }]);
    expect(await readdir(above)).toEqual([]);
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
