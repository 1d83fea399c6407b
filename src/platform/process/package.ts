import { findPackageJSON } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PACKAGE = pathToFileURL(findPackageJSON(import.meta.url) as string);

/** Returns the path of a file in the package, such as `dist/worker.js`, wherever this module was built to. */
export function inPackage(path: string): string {
  return fileURLToPath(new URL(path, PACKAGE));
}
