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

// Every type that something starts is exported here, or this does not compile.
({}) satisfies Record<Exclude<WorkflowType, keyof typeof import('./index.js')>, never>;

// The SDK takes a stack trace for each promise of a workflow, for the call stack in the Web UI. Deep traces cost a fifth of the
// processor time of a workflow.
Error.stackTraceLimit = 4;

// An operation takes seconds, so it ends on the build that it began with. All other types follow the current build
// (worker/create-worker.ts): an onboarding waits for weeks, so pinning it would keep the workers of its first build running for
// as long, and fixes would not reach it. Its code changes behind `patched()` (docs/changing-workflows.md).
setWorkflowOptions(pinned, partnerOperation);

/** The server accepts this only from versioned workers. From others, it rejects the whole workflow task. */
function pinned(): { versioningBehavior?: 'PINNED' } {
  return workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {};
}
