import { chmod, readdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackPackages } from '../debian-packages.js';
import { firstIn } from '../executables.js';
import { run } from '../processes.js';

const CACHE = fileURLToPath(new URL('../../../.cache/shells', import.meta.url));

const STARTER = fileURLToPath(new URL('../../../dist/starter.js', import.meta.url));

/** A shell that may have to be fetched: its path, and the environment that it needs. */
export interface Shell {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/** zsh or fish: that of the PATH, or of Debian's packages, which are unpacked and not installed. */
export async function shell(name: 'zsh' | 'fish', path = process.env['PATH'] ?? ''): Promise<Shell> {
  const installed = await firstIn(path.split(delimiter), name);
  if (installed !== undefined) return { path: installed, env: {} };
  // Where the packages have it differs from release to release.
  const folders = [join(CACHE, 'usr', 'bin'), join(CACHE, 'bin')];
  if ((await firstIn(folders, name)) === undefined)
    await unpackPackages(['zsh', 'fish', 'fish-common', 'libpcre2-32-0'], CACHE);
  const unpacked = await firstIn(folders, name);
  if (unpacked === undefined) throw new Error(`${CACHE} lacks ${name}: remove it`);
  // fish finds its own functions where `share` and `etc` are next to its `bin`. Another test may have been faster.
  await symlink(join('..', 'etc'), join(CACHE, 'usr', 'etc')).catch(() => undefined);
  const libraries = join(CACHE, 'usr', 'lib');
  const [machine = ''] = await readdir(libraries);
  return { path: unpacked, env: { LD_LIBRARY_PATH: join(libraries, machine) } };
}

/** A folder for the PATH whose `gangway` completes as the built one does, and otherwise prints its arguments: `<list><--json>`. */
export async function gangwayThatPrints(folder: string): Promise<string> {
  const file = join(folder, 'gangway');
  const lines = [
    '#!/bin/sh',
    `case $1 in complete|completion) exec '${process.execPath}' '${STARTER}' "$@";; esac`,
    `printf '<%s>' "$@"; echo`,
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  await chmod(file, 0o755);
  return folder;
}

/** Types lines into bash at a terminal, and returns everything that the terminal shows. */
export async function typeInBash(
  lines: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const typed = ['eval "$(gangway completion bash)"', ...lines, 'exit'].map((line) => `${line}\n`).join('');
  const bash = 'bash --norc --noprofile -i';
  const args =
    process.platform === 'darwin' ? ['-q', '/dev/null', ...bash.split(' ')] : ['-qec', bash, '/dev/null'];
  const { stdout } = await run('script', args, env, typed);
  return stdout;
}
