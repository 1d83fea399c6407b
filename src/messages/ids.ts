import type { SystemName } from '../partners/systems.js';

/** Task queue of workers and starters unless `GANGWAY_TASK_QUEUE` says otherwise. */
export const DEFAULT_TASK_QUEUE = 'gangway';

/** Onboardings by workflow type, and the prefix of their ids. See {@link workflowId}. */
export const ONBOARDINGS = {
  merchantBoarding: 'merchant-boarding',
  businessOnboarding: 'business-onboarding',
  customerOnboarding: 'customer-onboarding',
  terminalProvisioning: 'terminal-provisioning',
} as const;

export type OnboardingType = keyof typeof ONBOARDINGS;

/** Single operations at a partner by workflow type, and the prefix of their ids. */
export const OPERATIONS = {
  closeCard: 'close-card',
  changeAddress: 'change-address',
  setCardNickname: 'card-nickname',
  restoreSubUser: 'restore-sub-user',
  ensureWebhooks: 'ensure-webhooks',
  generateStatement: 'statement',
} as const;

/** What acts for one of our accounts at a partner as a whole, by workflow type, and the prefix of its ids. */
export const ACCOUNTS = { partnerAccount: 'partner-account' } as const;

/** What the id of each workflow type begins with. */
export const WORKFLOW_ID_PREFIXES = { ...ONBOARDINGS, ...OPERATIONS, ...ACCOUNTS } as const;

/** The workflow types that clients start, and `partnerAccount`, which starts by itself. */
export type WorkflowType = keyof typeof WORKFLOW_ID_PREFIXES;

/** The partner that each workflow works with; '' for several partners, undefined where the key of the id names it. */
const SYSTEMS: Readonly<Record<WorkflowType, SystemName | '' | undefined>> = {
  merchantBoarding: 'boarding',
  businessOnboarding: 'banking',
  customerOnboarding: '',
  terminalProvisioning: 'payments',
  closeCard: 'banking',
  changeAddress: 'banking',
  setCardNickname: 'banking',
  restoreSubUser: 'banking',
  ensureWebhooks: 'banking',
  generateStatement: 'banking',
  partnerAccount: undefined,
};

/** Between a key and its account. Neither has it, it needs no quotes in a shell, and it may stand in a URL and a file name. */
const AT = '@';

/** What the server appends to the workflow id of a schedule's run. */
const SCHEDULED_AT = /-\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** A key in an account at the partners: `m-1001@acme`; in the account without a name, the key alone. */
export function atAccount(key: string, account: string | undefined): string {
  return account === undefined ? key : key + AT + account;
}

/** The opposite of {@link atAccount}. */
export function splitAccount(given: string): { readonly key: string; readonly account: string | undefined } {
  const at = given.indexOf(AT);
  if (at < 0) return { key: given, account: undefined };
  return { key: given.slice(0, at), account: given.slice(at + AT.length).replace(SCHEDULED_AT, '') };
}

/** `<prefix>-<key>`, and in a named account `<prefix>-<key>@<account>`. The key of an onboarding is its `externalId`. */
export function workflowId(type: WorkflowType, key: string, account?: string): string {
  return `${WORKFLOW_ID_PREFIXES[type]}-${atAccount(key, account)}`;
}

/** `partner-account-<system>`, and of a named account `partner-account-<system>@<account>`. One of each runs at most. */
export function partnerAccountId(system: string, account?: string): string {
  return workflowId('partnerAccount', system, account);
}

/** What an id was made of; undefined for any other id. */
export function partsOfId(
  id: string,
): (ReturnType<typeof splitAccount> & { type: WorkflowType }) | undefined {
  const types = Object.entries(WORKFLOW_ID_PREFIXES) as [WorkflowType, string][];
  const found = types.find(([, prefix]) => id.startsWith(`${prefix}-`));
  if (!found) return undefined;
  const [type, prefix] = found;
  return { type, ...splitAccount(id.slice(prefix.length + 1)) };
}

/**
 * Every id that `given` may mean: itself when it is a whole workflow id, else one per type of onboarding, in the account that
 * it names (`m-1001@acme`) or in each.
 *
 * @param accounts the named ones
 */
export function possibleWorkflowIds(given: string, accounts: readonly string[]): string[] {
  if (partsOfId(given)) return [given];
  const { key, account } = splitAccount(given);
  return (account === undefined ? [undefined, ...accounts] : [account]).flatMap((each) =>
    Object.values(ONBOARDINGS).map((prefix) => `${prefix}-${atAccount(key, each)}`),
  );
}

/**
 * The partner that a workflow works with, by its id.
 *
 * @returns '' for a customer, which works with several, and for any other id
 */
export function systemOf(id: string): SystemName | '' {
  const parts = partsOfId(id);
  return parts ? (SYSTEMS[parts.type] ?? (parts.key as SystemName)) : '';
}

/** The fixed `activityId` of the status poll, which a nudge resets. */
export const AWAIT_STATUS_ACTIVITY_ID = 'await-status';

/** What has a task queue of its own, beside that of the workflows: each partner, and news on its way to others. */
export type PartnerTaskQueue = SystemName | 'events';

/**
 * The task queue of a lane's activities: `gangway-boarding`, or of a named account `gangway-boarding-acme`. Its rate is
 * limited over all workers together, and what waits in one lane stands in no other's way.
 *
 * @param taskQueue that of the workflows, `GANGWAY_TASK_QUEUE`
 */
export function partnerTaskQueue(taskQueue: string, lane: PartnerTaskQueue, account?: string): string {
  return account === undefined ? `${taskQueue}-${lane}` : `${taskQueue}-${lane}-${account}`;
}

/** The task queue of the workflows, from that of a lane: the opposite of {@link partnerTaskQueue}. */
export function workflowTaskQueue(ofLane: string, lane: PartnerTaskQueue, account?: string): string {
  return ofLane.slice(0, -partnerTaskQueue('', lane, account).length);
}
