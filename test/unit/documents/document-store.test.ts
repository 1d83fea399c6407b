import { createHash } from 'node:crypto';
import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { documentStore } from '../../../src/documents/document-store.js';
import { folder as inFolder } from '../../../src/documents/file-store.js';

const MIB = 1024 * 1024;

const folder = join(await mkdtemp(join(tmpdir(), 'gangway-documents-')), 'documents');
const store = documentStore(inFolder(folder));

describe('the document store', () => {
  it('returns what was saved, under a new key', async () => {
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
  ])('saves %s without leaving the folder', async (given, fileName, key) => {
    const ref = await store.put(given, Buffer.from('x'));
    expect(ref).toMatchObject({ fileName, key: expect.stringMatching(key) });
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
    const { key } = await store.put('a.bin', bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(await store.hash({ key })).toEqual({ sha256, bytes: bytes.length });
    const lacking = store.hash({ key: '../secret' });
    await expect(lacking).rejects.toMatchObject({ name: 'StoreFailure', kind: 'missing' });
  });

  it('reads only one byte too many of a document that is too large', async () => {
    const ref = await store.put('a.bin', Readable.from(Array.from({ length: 40 }, () => Buffer.alloc(MIB))));
    expect((await stat(join(folder, ref.key))).size).toBe(40 * MIB);
    expect((await store.get(ref)).length).toBe(25 * MIB + 1);
  });
});
