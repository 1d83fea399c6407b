import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CACHE = fileURLToPath(new URL('../../.cache', import.meta.url));

/** How long fetching and unpacking may take. */
export const PYTHON_PACKAGES_TIMEOUT_MS = 300_000;

/**
 * Installs Python packages into a folder of the project's cache, if they are not there.
 *
 *
 * @param requirements file that pins each package by version and SHA-256
 * @returns the folder, for `PYTHONPATH`
 */
export async function pythonPackages(name: string, requirements: string): Promise<string> {
  const pins = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex');
  const { stdout } = await run('python3', ['-c', 'import sys; print(sys.implementation.cache_tag)']);
  const folder = join(CACHE, name, `${pins.slice(0, 12)}-${stdout.trim()}`);
  if (await isThere(folder)) return folder;
  await mkdir(join(CACHE, name), { recursive: true });
  const unfinished = await mkdtemp(join(CACHE, name, 'getting-'));
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--no-compile'];
  const pinned = ['--only-binary', ':all:', '--require-hashes', '-r', requirements];
  await run('python3', [...pip, ...pinned, '-t', unfinished]);
  try {
    await rename(unfinished, folder);
  } catch (error) {
    // Another test file was faster.
    if (!(await isThere(folder))) throw error;
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
