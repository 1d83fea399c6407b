import type { SystemName } from '../partners/descriptors.js';
import {
  ACCOUNTS,
  EACH_ONBOARDING,
  EACH_WORKFLOW,
  ONBOARDINGS,
  type WorkflowType,
} from './workflow-types.js';

/** Default of `GANGWAY_TASK_QUEUE`: the task queue of workers and starters. */
export const DEFAULT_TASK_QUEUE = 'gangway';

/** The prefix of the IDs of each workflow type. */
export const WORKFLOW_ID_PREFIXES = Object.fromEntries(
  EACH_WORKFLOW.map(([type, { idPrefix }]) => [type, idPrefix]),
) as Readonly<Record<WorkflowType, string>>;

/** Separates a key from its account. Neither contains it, and it needs no quotes in a shell, a URL or a file name. */
const AT = '@';

/** A key in an account at the partners: `m-1001@acme`; in the account without a name, the key alone. */
export function atAccount(key: string, account: string | undefined): string {
  return account === undefined ? key : key + AT + account;
}

/** The opposite of {@link atAccount}. */
export function splitAccount(text: string): { readonly key: string; readonly account: string | undefined } {
  const at = text.indexOf(AT);
  if (at < 0) return { key: text, account: undefined };
  return { key: text.slice(0, at), account: text.slice(at + AT.length) };
}

// Keeps M2.
/** `<prefix>-<key>`, and in a named account `<prefix>-<key>@<account>`. The key of an onboarding is its `externalId`. */
export function workflowId(type: WorkflowType, key: string, account?: string): string {
  return `${WORKFLOW_ID_PREFIXES[type]}-${atAccount(key, account)}`;
}

/** `partner-account-<system>`, and of a named account `partner-account-<system>@<account>`. At most one of each runs. */
export function partnerAccountId(system: string, account?: string): string {
  return workflowId('partnerAccount', system, account);
}

/** Separates the partner from the task queue in the id of a record. No partner's name has it. */
const OF = '.';

/**
 * `partner-record-<system>.<task queue>`, and of a named account `partner-record-<system>.<task queue>@<account>`. Another task
 * queue has workers of its own, which may have other keys.
 */
export function partnerRecordId(system: string, taskQueue: string, account?: string): string {
  return workflowId('partnerRecord', system + OF + taskQueue, account);
}

/**
 * `reservation-<system>.<task queue>.<record>`, and in a named account `...@<account>`: the workflow that reserves a record at a
 * partner for one onboarding, or a mid, as `mid-<mid>`, for one merchant. It never runs, and nothing lists it.
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

/** Reports whether a workflow id belongs to a customer's onboarding, which has parts. */
export function isCustomer(id: string): boolean {
  return partsOfId(id)?.type === 'customerOnboarding';
}

/**
 * Every workflow id that `id` may mean: itself if it is a whole workflow id, else one for each type of onboarding, in the account
 * that it names (`m-1001@acme`) or in each account.
 */
export function possibleWorkflowIds(id: string, accounts: readonly string[]): string[] {
  if (partsOfId(id)) return [id];
  const { key, account } = splitAccount(id);
  return (account === undefined ? [undefined, ...accounts] : [account]).flatMap((each) =>
    EACH_ONBOARDING.map(([, { idPrefix }]) => `${idPrefix}-${atAccount(key, each)}`),
  );
}

/**
 * The partner that a workflow works with, by its id.
 *
 * @returns '' for a customer or a batch, which have several, and for any other text
 */
export function systemOf(id: string): SystemName | '' {
  const { type, key } = partsOfId(id) ?? {};
  if (type === undefined || key === undefined) return '';
  if (type in ACCOUNTS) return key.split(OF, 1)[0] as SystemName;
  return EACH_WORKFLOW.find(([each]) => each === type)?.[1].system ?? '';
}

/** The activities that poll the status of onboardings, and the types of these. */
export const POLLS = EACH_ONBOARDING.flatMap(([type, { poll }]) => (poll ? [{ type, activity: poll }] : []));

/** The labels of a workflow in metrics. `account` is '' for the unnamed account. */
export function metricLabels(id: string) {
  const { type = '', account = '' } = partsOfId(id) ?? {};
  return { workflowType: type, system: systemOf(id), account };
}

/** The workflow types that may call a partner. A customer calls none itself. */
export function typesAt(system: SystemName): WorkflowType[] {
  return EACH_WORKFLOW.flatMap(([type, its]) => (its.system === system || type in ACCOUNTS ? [type] : []));
}

/** The fixed `activityId` of the status poll, which a nudge resets. */
export const AWAIT_STATUS_ACTIVITY_ID = 'await-status';

/** Activities with a task queue of their own: those of each partner, and the delivery of outbound events. */
export type PartnerTaskQueue = SystemName | 'events';

/**
 * The task queue of a partner's activities: `gangway-boarding`, or of a named account `gangway-boarding-acme`. The server limits
 * its rate over all workers, and a backlog of one does not delay another.
 *
 * @param partner default: none, for what runs on the task queue of the workflows
 */
export function partnerTaskQueue(taskQueue: string, partner?: PartnerTaskQueue, account?: string): string {
  if (partner === undefined) return taskQueue;
  return account === undefined ? `${taskQueue}-${partner}` : `${taskQueue}-${partner}-${account}`;
}

/** The task queue of the workflows, from a partner task queue: the opposite of {@link partnerTaskQueue}. */
export function workflowTaskQueue(ofPartner: string, partner: PartnerTaskQueue, account?: string): string {
  return ofPartner.slice(0, -partnerTaskQueue('', partner, account).length);
}
