import { truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { readAnswer } from '../../../src/commands/onboarding/resolve.js';
import { fileWith } from '../../rigs/folders.js';

const MOST = 25 * 1024 * 1024;

it.each<[what: string, bytes: number, problem: string | undefined]>([
  ['one byte', 1, undefined],
  ['25 MiB', MOST, undefined],
  ['nothing', 0, 'is empty'],
  ['a byte more', MOST + 1, 'is larger than 25 MiB'],
])('a document of %s is checked before any is stored: %j', async (_, bytes, problem) => {
  const file = await fileWith('');
  await truncate(file, bytes);
  const read = readAnswer({} as never, 'documents', { document: [file] });
  if (problem === undefined) await expect(read).resolves.toBeTypeOf('function');
  else await expect(read).rejects.toThrow(`${file}: ${problem}`);
});

it('a folder is no document', async () => {
  const folder = dirname(await fileWith(''));
  const read = readAnswer({} as never, 'documents', { document: [folder] });
  await expect(read).rejects.toThrow(`${folder}: is not a file`);
});
