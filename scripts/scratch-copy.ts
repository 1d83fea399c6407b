import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Too large to copy, and the same in every copy. The folder of the demo is not: a copy runs its own. */
async function shared(): Promise<string[]> {
  const cached = await readdir(join(ROOT, '.cache')).catch(() => []);
  return ['node_modules', ...cached.filter((name) => name !== 'demo').map((name) => join('.cache', name))];
}

export interface ScratchCopy {
  readonly root: string;
  /** Paths of its files, relative to {@link root}. */
  readonly files: readonly string[];
  remove(): Promise<void>;
}

/** Copies the project's files and its build, including uncommitted changes, to a folder where they can be changed and tested. */
export async function scratchCopy(): Promise<ScratchCopy> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'gangway-copy-')));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  }).split('\0');
  const files = listed.filter((file) => file !== '' && existsSync(join(ROOT, file)));
  const built = existsSync(join(ROOT, 'dist')) ? ['dist'] : [];
  await Promise.all([...files, ...built].map((file) => cp(join(ROOT, file), join(root, file), COPYING)));
  await mkdir(join(root, '.cache'));
  await Promise.all((await shared()).map((folder) => symlink(join(ROOT, folder), join(root, folder))));
  // Some tests copy the copy.
  execFileSync('git', ['init', '--quiet'], { cwd: root });
  return { root, files, remove: () => rm(root, { recursive: true, force: true }) };
}

const COPYING = { recursive: true, preserveTimestamps: true };
