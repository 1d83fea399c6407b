/** Task queue of workers and starters unless `GANGWAY_TASK_QUEUE` says otherwise. */
export const DEFAULT_TASK_QUEUE = 'gangway';

/** Onboardings by workflow type, and the prefix of their ids. An id is `<prefix>-<externalId>`. */
export const ONBOARDINGS = {
  merchantBoarding: 'merchant-boarding',
  businessOnboarding: 'business-onboarding',
  customerOnboarding: 'customer-onboarding',
  terminalProvisioning: 'terminal-provisioning',
} as const;

export type OnboardingType = keyof typeof ONBOARDINGS;

/** Single operations at the banking partner by workflow type, and the prefix of their ids. */
export const OPERATIONS = {
  closeCard: 'close-card',
  changeAddress: 'change-address',
  setCardNickname: 'card-nickname',
  restoreSubUser: 'restore-sub-user',
  ensureWebhooks: 'ensure-webhooks',
  generateStatement: 'statement',
} as const;

export const WORKFLOW_ID_PREFIXES = { ...ONBOARDINGS, ...OPERATIONS } as const;

export type WorkflowType = keyof typeof WORKFLOW_ID_PREFIXES;

export function workflowId(type: WorkflowType, externalId: string): string {
  return `${WORKFLOW_ID_PREFIXES[type]}-${externalId}`;
}

/** The `externalId` that an id of this type was made of. */
export function externalIdOf(type: WorkflowType, id: string): string {
  return id.slice(workflowId(type, '').length);
}

/** Every id that `given` may mean: itself when it is a whole workflow id, else one per type of onboarding. */
export function possibleWorkflowIds(given: string): string[] {
  if (Object.values(WORKFLOW_ID_PREFIXES).some((prefix) => given.startsWith(`${prefix}-`))) return [given];
  return Object.values(ONBOARDINGS).map((prefix) => `${prefix}-${given}`);
}

/** The fixed `activityId` of the status poll, which a nudge resets. */
export const AWAIT_STATUS_ACTIVITY_ID = 'await-status';
