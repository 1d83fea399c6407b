// Bundles the workflows at build time, so that a worker starts without a compiler. The second bundle encodes failures, for workers
// that encrypt.
import { writeFile } from 'node:fs/promises';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { BUNDLING, BUNDLING_ENCODING, WORKFLOW_BUNDLES } from '../dist/worker/bundles.js';

for (const [path, options] of [
  [WORKFLOW_BUNDLES.plain, BUNDLING],
  [WORKFLOW_BUNDLES.encoding, BUNDLING_ENCODING],
]) {
  const { code } = await bundleWorkflowCode({ ...options, logger: new DefaultLogger('WARN') });
  await writeFile(path, code);
}
