import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Sources, built files and bundles are at most this many folders below the package. */
const DEEPEST = 5;

function packageAbove(folder: URL, depth = 0): URL {
  if (existsSync(new URL('package.json', folder))) return folder;
  if (depth === DEEPEST) throw new Error(`no package.json above ${import.meta.url}`);
  return packageAbove(new URL('..', folder), depth + 1);
}

const PACKAGE = packageAbove(new URL('.', import.meta.url));

/** The path of a file of the package, such as `dist/worker.js`, wherever this module was built to. */
export function inPackage(path: string): string {
  return fileURLToPath(new URL(path, PACKAGE));
}
