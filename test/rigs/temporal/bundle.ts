import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';

const WORKFLOWS = fileURLToPath(new URL('workflows.ts', import.meta.url));

/** The test files of this process share them, by their failure converters. */
const bundles = new Map<string | undefined, Promise<WorkflowBundleWithSourceMap>>();

/** The workflows of tests that are not Gangway's. Default: failures stay in plain text. */
export function workflowsOfTests(failureConverterPath?: string): Promise<WorkflowBundleWithSourceMap> {
  const bundle =
    bundles.get(failureConverterPath) ??
    bundleWorkflowCode({
      workflowsPath: WORKFLOWS,
      logger: new DefaultLogger('ERROR'),
      ...(failureConverterPath !== undefined && { failureConverterPath }),
    });
  bundles.set(failureConverterPath, bundle);
  return bundle;
}
