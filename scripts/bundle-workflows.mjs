// Bundles the workflows at build time, so that a worker starts without a compiler. The second bundle encodes failures, for workers
// that encrypt. Bundling takes seconds, so it is left out while the workflows and what they import stay the same.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { build } from 'esbuild';
import { BUNDLING, BUNDLING_ENCODING, WORKFLOW_BUNDLES } from '../dist/worker/bundles.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const HASH = 'dist/.bundled-from';

/** A hash of all our modules in the bundles, and of the versions of packages. */
async function modulesHash() {
  const { preloadModules, failureConverterPath } = BUNDLING_ENCODING;
  const { metafile } = await build({
    entryPoints: [...preloadModules, failureConverterPath],
    ...{ bundle: true, packages: 'external', platform: 'node', outdir: 'never-written' },
    ...{ write: false, metafile: true },
  });
  const hash = createHash('sha256');
  for (const file of ['package-lock.json', ...Object.keys(metafile.inputs)]) hash.update(readFileSync(file));
  return hash.digest('hex');
}

const hash = await modulesHash();
if (!existsSync(HASH) || readFileSync(HASH, 'utf8') !== hash) {
  await rm(HASH, { force: true });
  for (const [path, options] of [
    [WORKFLOW_BUNDLES.plain, BUNDLING],
    [WORKFLOW_BUNDLES.encoding, BUNDLING_ENCODING],
  ]) {
    const { code } = await bundleWorkflowCode({ ...options, logger: new DefaultLogger('WARN') });
    await writeFile(path, code);
  }
  await writeFile(HASH, hash);
}
