import { inPackage } from '../platform/process/package.js';
import { FAILURE_CONVERTER, type PayloadKeys } from '../temporal/payload-codec.js';

/** Returns the path of a built file, which the bundler and the worker load even in tests of the sources. */
const built = (name: string) => inPackage(`dist/${name}`);

/**
 * The workflow bundles of `npm run build`. Failures are converted inside the bundle, so workers with keys need their own bundle,
 * which encodes failures.
 */
export const WORKFLOW_BUNDLES = {
  plain: built('workflow-bundle.js'),
  encoding: built('workflow-bundle-encoding.js'),
} as const;

export function bundleFor(keys: PayloadKeys | undefined): { readonly codePath: string } {
  return { codePath: keys ? WORKFLOW_BUNDLES.encoding : WORKFLOW_BUNDLES.plain };
}

const WORKFLOWS = built('workflows/index.js');
const INTERCEPTORS = [built('workflows/interceptors.js')];

export const BUNDLING = {
  workflowsPath: WORKFLOWS,
  workflowInterceptorModules: INTERCEPTORS,
  // Loaded once and shared by all workflows of a worker, because no module has state.
  preloadModules: [WORKFLOWS, ...INTERCEPTORS],
};

/** Like {@link BUNDLING}, for workers that encrypt. */
export const BUNDLING_ENCODING = { ...BUNDLING, failureConverterPath: FAILURE_CONVERTER };

/** The workflows combined with another program's. */
export const COMBINED_WORKFLOWS = built('workflows/combined-workflows.cjs');
export const THEIR_WORKFLOWS = 'gangway-their-workflows';
