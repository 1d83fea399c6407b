import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Rig } from '../rig.js';

/** Writes an input file, as a person would, and answers its path. */
export async function inputFile({ documentDir }: Rig, content: unknown): Promise<string> {
  await mkdir(documentDir, { recursive: true });
  const path = join(documentDir, `input-${randomUUID()}.json`);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
