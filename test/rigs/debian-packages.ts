import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Fetches packages of Debian and unpacks them, without an installation. apt-get checks their signatures.
 *
 * @throws {Error} that names what to install, where Debian's packages are not available
 */
export async function unpackPackages(names: readonly string[], target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const folder = await mkdtemp(`${target}-getting-`);
  try {
    const download = () => run('apt-get', ['download', '--quiet', ...names], { cwd: folder });
    // A new machine has no lists of packages yet.
    await download().catch(() => run('apt-get', ['update', '--quiet']).then(download));
    const packages = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
    for (const name of packages) await run('dpkg-deb', ['--extract', join(folder, name), folder]);
    // Another test may have been faster.
    await rename(folder, target).catch(() => undefined);
  } catch (error) {
    throw new Error(`install Debian’s packages ${names.join(', ')}`, { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
