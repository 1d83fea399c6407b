import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testEnds } from './shared.js';

/** A new folder. Until the running test ends. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
  testEnds(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A new file with this text. Until the running test ends. */
export async function fileWith(text: string): Promise<string> {
  const file = join(await newFolder(), 'file');
  await writeFile(file, text);
  return file;
}
