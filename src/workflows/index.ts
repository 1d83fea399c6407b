/** What the worker bundles: one export a workflow type. */

export { businessOnboarding } from './business-onboarding.js';
export { changeAddress } from './change-address.js';
export { closeCard } from './close-card.js';
export { customerOnboarding } from './customer-onboarding.js';
export { ensureWebhooks } from './ensure-webhooks.js';
export { generateStatement } from './generate-statement.js';
export { merchantBoarding } from './merchant-boarding.js';
export { restoreSubUser } from './restore-sub-user.js';
export { setCardNickname } from './set-card-nickname.js';
export { singleActivity } from './single-activity.js';
export { terminalProvisioning } from './terminal-provisioning.js';
