import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testEnds, type Until } from './shared.js';

/** A new folder. Default: until the running test ends. */
export async function newFolder(until: Until = testEnds): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
  until(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A new file with this content. Until the running test ends. */
export async function fileWith(content: string | Uint8Array): Promise<string> {
  const file = join(await newFolder(), 'file');
  await writeFile(file, content);
  return file;
}
