// Bundles the workflows once, at build time, so that a worker starts without a compiler.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

const { code } = await bundleWorkflowCode({
  workflowsPath: path('../dist/workflows/index.js'),
  logger: new DefaultLogger('WARN'),
});
await writeFile(path('../dist/workflow-bundle.js'), code);
