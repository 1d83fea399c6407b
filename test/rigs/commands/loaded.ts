import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { newFolder } from '../folders.js';
import { spawnGangway } from '../processes.js';

/** The text of all files of `dist/` that a command loads. */
export async function loadedBy(args: readonly string[]): Promise<string> {
  const folder = await newFolder();
  // The coverage of a process names the scripts that it ran.
  expect(await spawnGangway({ NODE_V8_COVERAGE: folder }, args)).toMatchObject({ code: 0 });
  const reports = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  );
  const urls = reports.flatMap((report) =>
    (JSON.parse(report) as { result: { url: string }[] }).result.map(({ url }) => url),
  );
  const files = urls.filter((url) => url.startsWith('file:') && url.includes('/dist/'));
  expect(files.length).toBeGreaterThan(0);
  return (await Promise.all(files.map((url) => readFile(fileURLToPath(url), 'utf8')))).join('\n');
}

/** What the bundle writes before the code of a package of the SDK. */
export const SDK = /^ *\/\/ \S*node_modules\/(@temporalio|@grpc)\//m;
