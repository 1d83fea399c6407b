import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { WORKFLOW_BUNDLES } from '../../../src/worker/bundles.js';

const PACKAGES = ['@temporalio/common', '@temporalio/workflow', 'long', 'ms', 'nexus-rpc'];

// Every cached workflow holds its own copy of the modules, so schemas and their library stay out of the bundle.
it.each(Object.entries(WORKFLOW_BUNDLES))('the %s bundle of the workflows has no zod', async (_, path) => {
  const code = await readFile(path, 'utf8');
  const packages = [...code.matchAll(/node_modules\/((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name]) => name);
  expect([...new Set(packages)].sort()).toEqual(PACKAGES);
});
