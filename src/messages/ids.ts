import type { SystemName } from '../partners/descriptors.js';
import {
  ACCOUNTS,
  EACH_ONBOARDING,
  EACH_WORKFLOW,
  ONBOARDINGS,
  type WorkflowType,
} from './workflow-types.js';

/** The default of `GANGWAY_TASK_QUEUE`: the task queue of workers and clients. */
export const DEFAULT_TASK_QUEUE = 'gangway';

/** The prefix of the IDs of each workflow type. */
export const WORKFLOW_ID_PREFIXES = Object.fromEntries(
  EACH_WORKFLOW.map(([type, { idPrefix }]) => [type, idPrefix]),
) as Readonly<Record<WorkflowType, string>>;

/** Separates a key from its account. Neither contains it, and it needs no quotes in a shell, a URL or a file name. */
const AT = '@';

/** Returns a key in a partner account: `m-1001@acme`; in the unnamed account, the key alone. */
export function atAccount(key: string, account: string | undefined): string {
  return account === undefined ? key : key + AT + account;
}

/** The inverse of {@link atAccount}. */
export function splitAccount(text: string): { readonly key: string; readonly account: string | undefined } {
  const at = text.indexOf(AT);
  if (at < 0) return { key: text, account: undefined };
  return { key: text.slice(0, at), account: text.slice(at + AT.length) };
}

// Keeps M2.
/** Returns `<prefix>-<key>`; in a named account, `<prefix>-<key>@<account>`. The key of an onboarding is its `externalId`. */
export function workflowId(type: WorkflowType, key: string, account?: string): string {
  return `${WORKFLOW_ID_PREFIXES[type]}-${atAccount(key, account)}`;
}

/** Returns `partner-account-<system>`; for a named account, `partner-account-<system>@<account>`. At most one of each runs. */
export function partnerAccountId(system: string, account?: string): string {
  return workflowId('partnerAccount', system, account);
}

/** Separates the partner from the task queue in a record's ID. No partner's name contains it. */
const OF = '.';

/**
 * Returns `partner-record-<system>.<task queue>`; for a named account, `partner-record-<system>.<task queue>@<account>`. Another
 * task queue has its own workers, which may have other keys.
 */
export function partnerRecordId(system: string, taskQueue: string, account?: string): string {
  return workflowId('partnerRecord', system + OF + taskQueue, account);
}

/**
 * Returns `reservation-<system>.<task queue>.<record>`; in a named account, with `@<account>` at the end. This workflow reserves a
 * record at a partner for one onboarding, or a mid (`mid-<mid>`) for one merchant. It never runs, and no list shows it.
 */
export function reservationId(
  system: string,
  taskQueue: string,
  record: number | string,
  account?: string,
): string {
  return `reservation-${atAccount([system, taskQueue, record].join(OF), account)}`;
}

/**
 * Splits a workflow ID into its type, key and account. Returns undefined for any other text.
 * @example partsOfId('merchant-boarding-m-1@acme')?.account // 'acme'
 */
export function partsOfId(id: string) {
  const match = EACH_WORKFLOW.find(([, { idPrefix }]) => id.startsWith(`${idPrefix}-`));
  if (!match) return undefined;
  const [type, { idPrefix }] = match;
  return { type, ...splitAccount(id.slice(idPrefix.length + 1)) };
}

export function isOnboarding(id: string): boolean {
  return (partsOfId(id)?.type ?? '') in ONBOARDINGS;
}

/** Reports whether a workflow ID names a customer, which has parts. */
export function isCustomer(id: string): boolean {
  return partsOfId(id)?.type === 'customerOnboarding';
}

/**
 * Returns every workflow ID that `id` may mean: a complete workflow ID itself, otherwise one for each kind of onboarding, in the
 * account that it names (`m-1001@acme`) or in every account.
 */
export function possibleWorkflowIds(id: string, accounts: readonly string[]): string[] {
  if (partsOfId(id)) return [id];
  const { key, account } = splitAccount(id);
  return (account === undefined ? [undefined, ...accounts] : [account]).flatMap((each) =>
    EACH_ONBOARDING.map(([, { idPrefix }]) => `${idPrefix}-${atAccount(key, each)}`),
  );
}

/**
 * Returns the partner that a workflow works with, from its ID.
 *
 * @returns '' for a customer or a batch, which have several, and for any other text
 */
export function systemOf(id: string): SystemName | '' {
  const { type, key } = partsOfId(id) ?? {};
  if (type === undefined || key === undefined) return '';
  if (type in ACCOUNTS) return key.split(OF, 1)[0] as SystemName;
  return EACH_WORKFLOW.find(([each]) => each === type)?.[1].system ?? '';
}

/** The activities that poll the status of onboardings, with the onboarding's type. */
export const POLLS = EACH_ONBOARDING.flatMap(([type, { poll }]) => (poll ? [{ type, activity: poll }] : []));

/** Returns the metric labels of a workflow. `account` is '' for the unnamed account. */
export function metricLabels(id: string) {
  const { type = '', account = '' } = partsOfId(id) ?? {};
  return { workflowType: type, system: systemOf(id), account };
}

/** Returns the workflow types that may call a partner. A customer calls none itself. */
export function typesAt(system: SystemName): WorkflowType[] {
  return EACH_WORKFLOW.flatMap(([type, its]) => (its.system === system || type in ACCOUNTS ? [type] : []));
}

/** The fixed `activityId` of the status poll, which a nudge resets. */
export const AWAIT_STATUS_ACTIVITY_ID = 'await-status';

/** Each partner's activities have their own task queue, and so do deliveries of outbound events. */
export type PartnerTaskQueue = SystemName | 'events';

/**
 * Returns the task queue of a partner's activities: `gangway-boarding`; for a named account, `gangway-boarding-acme`. The server
 * limits its rate across all workers, and a backlog in one queue does not delay another.
 *
 * @param partner default: the task queue of the workflows
 */
export function partnerTaskQueue(taskQueue: string, partner?: PartnerTaskQueue, account?: string): string {
  if (partner === undefined) return taskQueue;
  return account === undefined ? `${taskQueue}-${partner}` : `${taskQueue}-${partner}-${account}`;
}

/** Returns the workflows' task queue of a partner task queue: the inverse of {@link partnerTaskQueue}. */
export function workflowTaskQueue(ofPartner: string, partner: PartnerTaskQueue, account?: string): string {
  return ofPartner.slice(0, -partnerTaskQueue('', partner, account).length);
}
