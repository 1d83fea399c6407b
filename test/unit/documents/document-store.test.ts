import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { documentStore, type StatementName, saveStatement } from '../../../src/documents/document-store.js';
import { folder as inFolder } from '../../../src/documents/file-store.js';
import { PartnerError } from '../../../src/partners/partner-error.js';
import { newFolder as newParent } from '../../rigs/folders.js';

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
      ...{ fileName: 'Voided Check.PDF', contentType: 'application/pdf' },
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

const january = { period: '2026-01', accounts: ['fa-501-1'], format: 'PDF' } as const;

const newFolder = async () => join(await newParent(), 'below', 'statements');

const save = (folder: string, body: Readable, name: StatementName = january) =>
  saveStatement(inFolder(folder), name, { contentType: 'application/pdf', body });

const saved = async (accounts: readonly string[], period = '2026-01') => {
  const folder = await newFolder();
  const { fileName } = await save(folder, Readable.from(['x']), { ...january, period, accounts });
  expect(await readdir(folder)).toEqual([fileName]);
  return fileName;
};

it('a statement is saved chunk by chunk, readable only by its owner', async () => {
  const folder = await newFolder();
  const chunks = [Buffer.from('%PDF'), Buffer.alloc(100_000, 7), Buffer.from('%%EOF')];
  const statement = await save(folder, Readable.from(chunks));
  expect(statement).toEqual({ fileName: '2026-01-fa-501-1.pdf', bytes: 100_009, format: 'PDF' });
  expect((await readFile(join(folder, statement.fileName))).equals(Buffer.concat(chunks))).toBe(true);
  expect(await modes(folder, statement.fileName)).toEqual([0o700, 0o600]);
});

describe('the name of a statement', () => {
  it.each<[readonly string[], RegExp]>([
    [['fa-501-1'], /^2026-01-fa-501-1\.pdf$/],
    [['fa-501-1', 'fa-501-1'], /^2026-01-fa-501-1\.pdf$/],
    ...['../../etc/passwd', 'a b', '.', 'é', 'a\0b\n', 'a'.repeat(300)].map((account): [string[], RegExp] => [
      [account],
      /^2026-01-[0-9a-f]{8}\.pdf$/,
    ]),
    [['fa-1', 'fa-2', '/'], /^2026-01-3-accounts-[0-9a-f]{8}\.pdf$/],
  ])('over %j is safe', async (accounts, expected) => {
    expect(await saved(accounts)).toMatch(expected);
  });

  it('cannot lead out of the folder by its month', async () => {
    expect(await saved(['fa-1'], '../../2026')).toMatch(/^[0-9a-f]{8}-fa-1\.pdf$/);
  });

  it('does not depend on the order of the accounts, and differs between accounts', async () => {
    const name = await saved(['fa-1', 'fa-2']);
    expect(await saved(['fa-2', 'fa-1'])).toBe(name);
    expect(await saved(['fa-1', 'fa-3'])).not.toBe(name);
    expect(await saved(['fa-1', 'fa-2'], '2026-02')).not.toBe(name);
  });
});

describe('a statement that cannot be saved', () => {
  const of = { system: 'banking', operation: 'generate-full-statement', kind: 'Uncertain' } as const;
  const broken = new PartnerError({ ...of, fields: [], reason: 'UND_ERR_SOCKET' });

  it('because it breaks off before it is read leaves the one before', async () => {
    const folder = await newFolder();
    await save(folder, Readable.from(['whole']));
    const body = new Readable({ read: () => undefined });
    const kept = save(folder, body);
    body.push('half');
    body.destroy(broken);
    await expect(kept).rejects.toBe(broken);
    expect(await readFile(join(folder, '2026-01-fa-501-1.pdf'), 'utf8')).toBe('whole');
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('because of the folder ends the partner’s response', async () => {
    const folder = await newFolder();
    await save(folder, Readable.from(['x']));
    const inTheWay = join(folder, 'file');
    await writeFile(inTheWay, '');
    const body = Readable.from(['x']);
    await expect(save(join(inTheWay, 'sub'), body)).rejects.toMatchObject({
      kind: 'unavailable',
      reason: 'a part of the path is no folder (ENOTDIR)',
    });
    expect(body.destroyed).toBe(true);
  });
});
