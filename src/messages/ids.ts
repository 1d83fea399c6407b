/** Task queue of workers and starters unless `GANGWAY_TASK_QUEUE` says otherwise. */
export const DEFAULT_TASK_QUEUE = 'gangway';

/** Workflow types, and the prefix of their ids. An id is `<prefix>-<externalId>`. */
export const WORKFLOW_ID_PREFIXES = {
  merchantBoarding: 'merchant-boarding',
} as const;

export type WorkflowType = keyof typeof WORKFLOW_ID_PREFIXES;

export function workflowId(type: WorkflowType, externalId: string): string {
  return `${WORKFLOW_ID_PREFIXES[type]}-${externalId}`;
}

/** Every id that `given` may mean: itself when it is a whole workflow id, else one per workflow type. */
export function possibleWorkflowIds(given: string): string[] {
  const prefixes = Object.values(WORKFLOW_ID_PREFIXES);
  if (prefixes.some((prefix) => given.startsWith(`${prefix}-`))) return [given];
  return prefixes.map((prefix) => `${prefix}-${given}`);
}

/** The fixed `activityId` of the status poll, which a nudge resets. */
export const AWAIT_STATUS_ACTIVITY_ID = 'await-status';
