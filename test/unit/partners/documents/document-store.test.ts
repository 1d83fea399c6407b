import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentStore } from '../../../../src/partners/documents/document-store.js';
import { folder as inFolder } from '../../../../src/platform/documents/file-store.js';

const MIB = 1024 * 1024;

/** Who may read a folder and a file in it. */
const modes = async (folder: string, file: string) =>
  (await Promise.all([stat(folder), stat(join(folder, file))])).map(({ mode }) => mode & 0o777);

const folder = join(await mkdtemp(join(tmpdir(), 'gangway-documents-')), 'documents');
const store = documentStore(inFolder(folder));

/** A document that is larger than the store takes. */
async function placed(content: Buffer) {
  const key = randomUUID();
  await writeFile(join(folder, key), content);
  return { key };
}

describe('the document store', () => {
  it('returns what was saved, under a new key, and lets nobody else read it', async () => {
    const ref = await store.put('Voided Check.PDF', Buffer.from('%PDF- %%EOF'));
    expect(ref).toEqual({
      key: expect.stringMatching(/^[0-9a-f-]{36}\.pdf$/),
      fileName: 'Voided Check.PDF',
      contentType: 'application/pdf',
    });
    expect(Buffer.from(await store.get(ref)).toString()).toBe('%PDF- %%EOF');
    expect(await readdir(folder)).toContain(ref.key);
    expect(await modes(folder, ref.key)).toEqual([0o700, 0o600]);
  });

  it('saves without leaving the folder, and only what the console takes', async () => {
    const ref = await store.put('../../etc/note.txt', Buffer.from('x'));
    expect(ref).toMatchObject({ fileName: 'note.txt', key: expect.stringMatching(/^[0-9a-f-]{36}\.txt$/) });
    const before = await readdir(folder);
    for (const name of ['../../etc/passwd', 'scan.p/df', 'archive.tar.gz', 'photo.heic'])
      await expect(store.put(name, Buffer.from('x'))).rejects.toThrow('only files of these types');
    const page = store.put('check.pdf', Buffer.from('<!doctype html>'));
    await expect(page).rejects.toMatchObject({
      name: 'RefusedDocument',
      message: 'does not match its name.',
    });
    expect(await readdir(folder)).toEqual(before);
  });

  it.each(['../secret', '/etc/passwd', '', 'a', '00000000-0000-4000-8000-000000000000'])(
    'has no document %j',
    async (key) => {
      const ref = { key, fileName: 'x', contentType: 'text/plain' };
      await expect(store.get(ref)).rejects.toMatchObject({ name: 'StoreFailure', kind: 'missing' });
    },
  );

  it('has the SHA-256 of a whole document, however large, and none of a document that it lacks', async () => {
    const bytes = Buffer.alloc(26 * MIB, 'check');
    const { key } = await placed(bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(await store.hash({ key })).toEqual({ sha256, bytes: bytes.length });
    const lacking = store.hash({ key: '../secret' });
    await expect(lacking).rejects.toMatchObject({ name: 'StoreFailure', kind: 'missing' });
  });

  it('reads only one byte too many of a document that is too large', async () => {
    const ref = await placed(Buffer.alloc(40 * MIB));
    expect((await store.get(ref)).length).toBe(25 * MIB + 1);
  });
});
