/**
 * Detects whether dist/ was built from the current sources. "npm run build" ends with this file, which writes the stamp. Whatever
 * runs the built files builds first if the stamp is stale, because a test of an old build would not test the current code.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The inputs of the build. Their content counts, not their times, which a copy or a checkout changes. */
const SOURCES = ['src/**/*.{ts,tsx,cts,css}', 'tsconfig*.json', 'scripts/bundle-*.mjs', 'package-lock.json'];

const STAMP = join('dist', '.built-from');

/** A hash over the names and the contents of all sources. */
function sourceHash(root: string): string {
  const hash = createHash('sha256');
  for (const path of globSync(SOURCES, { cwd: root }).sort()) {
    hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}

/** Records that dist/ was built from the current sources. */
export function stampBuild(root = ROOT): void {
  writeFileSync(join(root, STAMP), sourceHash(root));
}

/** Builds if dist/ is missing or was built from other sources. @throws {Error} with what the build printed, when it fails */
export function ensureFreshBuild(root = ROOT, build = buildIn): void {
  const stamp = join(root, STAMP);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sourceHash(root)) return;
  build(root);
}

function buildIn(root: string): void {
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`"npm run build" failed:\n${stdout}${stderr}`);
}

const [, started = ''] = process.argv;
// A project in a linked folder has two paths.
if (existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url)) stampBuild();
