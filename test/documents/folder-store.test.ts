import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderStore } from '../../src/documents/folder-store.js';

const folder = join(await mkdtemp(join(tmpdir(), 'gangway-documents-')), 'documents');
const store = folderStore(folder);

describe('the document folder', () => {
  it('gives back what was put in, under a key of its own', async () => {
    const ref = await store.put('Voided Check.PDF', Buffer.from('%PDF'));
    expect(ref).toEqual({
      key: expect.stringMatching(/^[0-9a-f-]{36}\.pdf$/),
      fileName: 'Voided Check.PDF',
      contentType: 'application/pdf',
    });
    expect(Buffer.from(await store.get(ref)).toString()).toBe('%PDF');
    expect(await readdir(folder)).toContain(ref.key);
  });

  it('lets nobody else read it', async () => {
    const { key } = await store.put('a.txt', Buffer.from('a'));
    expect((await stat(join(folder, key))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['../../etc/passwd', 'passwd', /^[0-9a-f-]{36}$/],
    ['scan.p/df', 'df', /^[0-9a-f-]{36}$/],
    ['no-extension', 'no-extension', /^[0-9a-f-]{36}$/],
    ['archive.tar.gz', 'archive.tar.gz', /^[0-9a-f-]{36}\.gz$/],
  ])('takes %s without leaving the folder', async (given, fileName, key) => {
    const ref = await store.put(given, Buffer.from('x'));
    expect(ref).toMatchObject({ fileName, key: expect.stringMatching(key) });
  });

  it.each(['../secret', '/etc/passwd', '', 'a', '00000000-0000-4000-8000-000000000000'])(
    'knows no document %j',
    async (key) => {
      const ref = { key, fileName: 'x', contentType: 'text/plain' };
      await expect(store.get(ref)).rejects.toThrow(`no document ${JSON.stringify(key)} in the store`);
    },
  );
});
