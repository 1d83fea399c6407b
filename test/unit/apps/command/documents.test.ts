import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readAnswerArguments } from '../../../../src/apps/command/onboarding/resolve.js';
import { newFolder } from '../../../rigs/folders.js';

const MOST = 25 * 1024 * 1024;

/** A document that a person gives to the command. */
async function given(name: string, content: string | Buffer): Promise<string> {
  const file = join(await newFolder(), name);
  await writeFile(file, content);
  return file;
}

const read = (file: string) => readAnswerArguments({} as never, 'documents', { document: [file] });

it.each<[what: string, name: string, content: string | Buffer, problem: string | undefined]>([
  ['one byte', 'note.txt', '1', undefined],
  ['25 MiB', 'note.txt', Buffer.alloc(MOST, ' '), undefined],
  ['nothing', 'note.txt', '', 'is empty'],
  ['a byte more', 'note.txt', Buffer.alloc(MOST + 1, ' '), 'is larger than 25 MiB'],
  ['a web page', 'check.pdf', '<!doctype html><title>Sign in</title>', 'does not match its name.'],
  ['half a PDF', 'check.pdf', '%PDF-1.7\n1 0 obj', 'is not a complete PDF file, or has data after its end'],
  [
    'a photo of a telephone',
    'check.heic',
    Buffer.from('\0\0\0\x18ftypheic'),
    'only files of these types are accepted: .pdf, .png, .jpg, .jpeg, .tif, .tiff, .txt, .csv',
  ],
])(
  'a document of %s is checked before any is stored, as in the console',
  async (_, name, content, problem) => {
    const file = await given(name, content);
    if (problem === undefined) await expect(read(file)).resolves.toBeTypeOf('function');
    else await expect(read(file)).rejects.toThrow(`${file}: ${problem}`);
  },
);

it('a folder is no document', async () => {
  const folder = dirname(await given('note.txt', ''));
  await expect(read(folder)).rejects.toThrow(`${folder}: is not a file`);
});
