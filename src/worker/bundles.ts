import { inPackage } from '../platform/process/package.js';
import { FAILURE_CONVERTER, type PayloadKeys } from '../temporal/payload-codec.js';

/** Built files: the bundler and the worker load them by path, even in tests of the sources. */
const built = (name: string) => inPackage(`dist/${name}`);

/**
 * The workflows as `npm run build` bundled them. Failures are converted inside the bundle, so workers with keys need a bundle of
 * their own, which encodes them.
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
  // Loaded once, and shared by all workflows of a worker: no module holds state.
  preloadModules: [WORKFLOWS, ...INTERCEPTORS],
};

/** The same for workers that encrypt. */
export const BUNDLING_ENCODING = { ...BUNDLING, failureConverterPath: FAILURE_CONVERTER };

/** The workflows together with those of another program, which the bundler finds under the second name. */
export const BESIDE_THEIRS = built('workflows/with-theirs.cjs');
export const THEIR_WORKFLOWS = 'gangway-their-workflows';
