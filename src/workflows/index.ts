/** The workflows that the worker bundles: one export for each workflow type. */

import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';
import type { WorkflowType } from '../messages/workflow-types.js';
import { partnerOperation } from './partner-operation.js';

export { businessOnboarding } from './business-onboarding.js';
export { customerOnboarding } from './customer-onboarding.js';
export { merchantBoarding } from './merchant-boarding.js';
export { onboardingBatch } from './onboarding-batch.js';
export { partnerAccount } from './partner-account.js';
export { partnerRecord } from './partner-record.js';
export { partnerOperation };

// Does not compile unless every workflow type is exported here.
({}) satisfies Record<Exclude<WorkflowType, keyof typeof import('./index.js')>, never>;

// The SDK takes a stack trace for each promise, for the call stack in the Web UI. Deep traces cost a fifth of a workflow's CPU
// time.
Error.stackTraceLimit = 4;

// An operation takes seconds, so it finishes on the build that it started with. All other types follow the current build
// (worker/create-worker.ts). An onboarding waits for weeks: if it were pinned, old workers would have to run that long, and fixes
// would not reach it. Its code changes behind `patched()` (docs/changing-workflows.md).
setWorkflowOptions(pinned, partnerOperation);

/** The server accepts this only from versioned workers. It would reject an unversioned worker's workflow task. */
function pinned(): { versioningBehavior?: 'PINNED' } {
  return workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {};
}
