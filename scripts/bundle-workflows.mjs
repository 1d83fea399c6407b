// Bundles the workflows at build time, so that a worker starts without a compiler. The second bundle encodes failures, for workers
// that encrypt.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

const BUNDLES = {
  'workflow-bundle.js': {},
  'workflow-bundle-encoding.js': { failureConverterPath: path('../dist/temporal/failure-converter.js') },
};

const workflows = path('../dist/workflows/index.js');
const interceptors = ['tracing', 'account-of-input', 'named-logs'].map((name) =>
  path(`../dist/workflows/${name}.js`),
);

for (const [name, options] of Object.entries(BUNDLES)) {
  const { code } = await bundleWorkflowCode({
    workflowsPath: workflows,
    workflowInterceptorModules: interceptors,
    // Loaded once, and shared by all workflows of a worker: no module holds state.
    preloadModules: [workflows, ...interceptors],
    logger: new DefaultLogger('WARN'),
    ...options,
  });
  await writeFile(path(`../dist/${name}`), code);
}
