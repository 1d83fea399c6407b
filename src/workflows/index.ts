/** What the worker bundles: one export a workflow type. */

import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';
import { changeAddress } from './change-address.js';
import { closeCard } from './close-card.js';
import { ensureWebhooks } from './ensure-webhooks.js';
import { generateStatement } from './generate-statement.js';
import { restoreSubUser } from './restore-sub-user.js';
import { setCardNickname } from './set-card-nickname.js';
import { singleActivity } from './single-activity.js';

export { businessOnboarding } from './business-onboarding.js';
export { changeAddress } from './change-address.js';
export { closeCard } from './close-card.js';
export { customerOnboarding } from './customer-onboarding.js';
export { ensureWebhooks } from './ensure-webhooks.js';
export { generateStatement } from './generate-statement.js';
export { merchantBoarding } from './merchant-boarding.js';
export { partnerAccount } from './partner-account.js';
export { restoreSubUser } from './restore-sub-user.js';
export { setCardNickname } from './set-card-nickname.js';
export { singleActivity } from './single-activity.js';
export { terminalProvisioning } from './terminal-provisioning.js';

// What is short ends on the build that it began with. All other types go on with the current build (create-worker.ts): an
// onboarding waits for weeks, and pinned it would keep the workers of its first build up for as long, and what is mended
// would not reach it. Its code changes behind `patched()` (docs/changing-workflows.md).
setWorkflowOptions(pinned, changeAddress);
setWorkflowOptions(pinned, closeCard);
setWorkflowOptions(pinned, ensureWebhooks);
setWorkflowOptions(pinned, generateStatement);
setWorkflowOptions(pinned, restoreSubUser);
setWorkflowOptions(pinned, setCardNickname);
setWorkflowOptions(pinned, singleActivity);

/** The server takes this of versioned workers only: from others it refuses the whole workflow task. */
function pinned(): { versioningBehavior?: 'PINNED' } {
  return workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {};
}
