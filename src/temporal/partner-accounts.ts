import { ApplicationFailure, type Client } from '@temporalio/client';
import type { SignalDefinition } from '@temporalio/common';
import proto from '@temporalio/proto';
import { PARTNER_ERROR, SOFTWARE_ERROR } from '../messages/activities.js';
import { partnerAccountId, partnerRecordId, partnerTaskQueue, partsOfId, typesAt } from '../messages/ids.js';
import {
  type PartnerAccountActivities,
  type PartnerAccountInput,
  type PartnerRecord,
  type ProcessActivities,
  RECORD_MEMO,
  statusSeen,
  ticketsSeen,
  type UnreadableRead,
} from '../messages/partner-account.js';
import type { FourEyes, RequirementKind } from '../messages/requirements.js';
import { initialVisibility } from '../messages/search-attributes.js';
import type { SystemName } from '../partners/descriptors.js';
import {
  failsForAccount,
  isUnauthenticated,
  type PartnerErrorDetails,
  type PartnerErrorKind,
} from '../partners/partner-error.js';
import { ofAccount } from './find-onboarding.js';
import { isStepAt, nudge, type Pending, pendingActivities, retryNow } from './nudge.js';
import { decodeFailure, decodePayloads } from './payload-codec.js';
import { all, IS_RUNNING, isIn } from './query.js';
import { count, describeWithMemo, listOnboardings } from './search.js';
import { resolved } from './start.js';
import { undefinedIfMissing } from './unavailable.js';

/** An account at one partner, and the task queue of its workflows. */
export interface AccountAt {
  readonly system: SystemName;
  readonly account: string | undefined;
  readonly taskQueue: string;
}

/** An account whose workflows a report may start. */
export interface ReportingAccount extends AccountAt {
  readonly fourEyes: FourEyes;
}

/** Sends a report to an account's workflow, and starts it if it is not running. */
export async function reportTo<Args extends unknown[]>(
  client: Client,
  { system, account, taskQueue, fourEyes }: ReportingAccount,
  signal: SignalDefinition<Args>,
  ...signalArgs: Args
): Promise<string> {
  const input: PartnerAccountInput = resolved({ system }, { fourEyes });
  const workflowId = partnerAccountId(system, account);
  const visibility = initialVisibility('partnerAccount', { summary: `account at ${system}`, account });
  const start = { workflowId, taskQueue, args: [input], ...visibility };
  const report: { signal: SignalDefinition<unknown[]>; signalArgs: unknown[] } = { signal, signalArgs };
  await client.workflow.signalWithStart('partnerAccount', { ...start, ...report });
  return workflowId;
}

/** Makes an account's workflow look for tickets that no onboarding shows. */
export async function reportTickets(client: Client, place: ReportingAccount): Promise<void> {
  await nudge(client, await reportTo(client, place, ticketsSeen));
}

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

const WITHOUT_RESPONSE: readonly PartnerErrorKind[] = ['NotSent', 'RateLimited', 'Uncertain'];

/**
 * Reports whether one of these workflows waits because an operation fails for the account. A later call without a response does not
 * prove that the operation works again.
 */
export async function waitsForReadable(client: Client, { operation, workflowIds }: UnreadableRead) {
  for (const workflowId of workflowIds)
    for (const pending of await pendingActivities(client, workflowId)) {
      // An attempt reports its failure before it ends.
      if (pending.state === PENDING_ACTIVITY_STATE_STARTED && !pending.lastFailure) return true;
      const failed = await partnerErrorOf(client, workflowId, pending);
      if (failed && failsForAccount(failed) === operation) return true;
      if (failed?.operation === operation && WITHOUT_RESPONSE.includes(failed.kind)) return true;
    }
  return false;
}

/** Retries the activities that wait because an operation fails for the account. Adds nothing to histories. */
export async function retryReads(client: Client, { operation, workflowIds }: UnreadableRead): Promise<void> {
  const isMeant = async (pending: Pending, workflowId: string) => {
    const failed = await partnerErrorOf(client, workflowId, pending);
    return failed !== undefined && failsForAccount(failed) === operation;
  };
  for (const workflowId of workflowIds) await retryNow(client, workflowId, isMeant);
}

/** Reports whether an account's workflow is handling rejected credentials. It may run for other reasons. */
export async function isHandlingRefusal(client: Client, { system, account }: AccountAt): Promise<boolean> {
  const types: readonly (keyof (PartnerAccountActivities & ProcessActivities))[] = [
    'checkCredentials',
    'wakeRefused',
  ];
  const pending = await pendingActivities(client, partnerAccountId(system, account));
  return pending.some(({ activityType }) => types.some((type) => type === activityType?.name));
}

/** Makes an account's workflow, if it runs, check at once whether the process whose credentials were refused still runs. */
export async function checkNow(client: Client, { system, account }: AccountAt): Promise<void> {
  const check: keyof ProcessActivities = 'checkCredentials';
  const workflowId = partnerAccountId(system, account);
  await retryNow(client, workflowId, ({ activityType }) => activityType?.name === check);
}

/** Options of a search for pending activities, which makes a request for each running workflow. */
export interface Watched {
  /** Ends the search early. */
  readonly signal?: AbortSignal;
  /** Called after each workflow, with the number of examined and of running workflows. */
  readonly onExamined?: (examined: number, running: number) => void;
}

export interface Woken {
  readonly steps: number;
  readonly workflows: number;
}

/** Retries all activities of an account that wait because the partner rejected its credentials. Adds nothing to histories. */
export function wakeRefused(client: Client, place: AccountAt): Promise<Woken> {
  const isRefused = async (pending: Pending, workflowId: string) => {
    const details = await partnerErrorOf(client, workflowId, pending);
    return details !== undefined && details.system === place.system && isUnauthenticated(details);
  };
  return wakeAll(client, place, async (id) => (await retryNow(client, id, isRefused)).length);
}

/** Retries all polls and steps of an account that wait for a partner, for example after an outage. Adds nothing to histories. */
export function wakeWaiting(client: Client, place: AccountAt, watched: Watched = {}): Promise<Woken> {
  const { system, account, taskQueue } = place;
  const isStep = isStepAt(partnerTaskQueue(taskQueue, system, account));
  return wakeAll(client, place, async (id) => (await retryNow(client, id, isStep)).length, watched);
}

/** Makes every status poll of an account read at once, even those that are reading now. Adds nothing to histories. */
export function wakePollsOf(client: Client, place: AccountAt): Promise<Woken> {
  return wakeAll(client, place, async (id) => ((await undefinedIfMissing(nudge(client, id))) ? 1 : 0));
}

/** @param wake retries activities of a running workflow that may call the partner, and returns their number */
async function wakeAll(
  client: Client,
  { system, account, taskQueue }: AccountAt,
  wake: (workflowId: string) => Promise<number>,
  { signal, onExamined }: Watched = {},
): Promise<Woken> {
  const query = all(ofAccount(taskQueue, account), IS_RUNNING, isIn('WorkflowType', typesAt(system)));
  const total = onExamined ? await count(client, query) : 0;
  const running = listOnboardings(client, query);
  let examined = 0;
  let steps = 0;
  let workflows = 0;
  async function wakeNext(): Promise<void> {
    for (let next = await running.next(); !next.done && !signal?.aborted; next = await running.next()) {
      const woken = await wake(next.value.workflowId);
      examined += 1;
      onExamined?.(examined, Math.max(total, examined));
      steps += woken;
      if (woken > 0) workflows += 1;
    }
  }
  await Promise.all(Array.from({ length: 16 }, wakeNext));
  return { steps, workflows };
}

/** A partner account that blocks an onboarding or operation, and may ask a person about the failure. */
export interface BlockingAccount {
  readonly workflowId: string;
  /** The kinds of its requirements about the failure. */
  readonly kinds: readonly RequirementKind[];
}

/** Finds the accounts that block a workflow: by rejected credentials, a missing permission, unreadable responses or our own code. */
export async function blockingAccounts(client: Client, workflowId: string): Promise<BlockingAccount[]> {
  const account = partsOfId(workflowId)?.account;
  const accounts = new Map<string, BlockingAccount>();
  for (const pending of await pendingActivities(client, workflowId)) {
    const details = await partnerErrorOf(client, workflowId, pending);
    if (details === undefined) continue;
    const isReadable = details.unreadable === undefined && details.build === undefined;
    if (isReadable && !isUnauthenticated(details) && failsForAccount(details) === undefined) continue;
    const id = partnerAccountId(details.system, account);
    const unread: RequirementKind = details.build === undefined ? 'unreadable' : 'software-error';
    const kinds: readonly RequirementKind[] = isReadable ? ['credentials', 'one-time-code'] : [unread];
    accounts.set(`${id} ${kinds}`, { workflowId: id, kinds });
  }
  return [...accounts.values()];
}

/** Returns the failed partner call or our own error that ended an activity's last attempt. */
async function partnerErrorOf(client: Client, workflowId: string, { lastFailure }: Pending) {
  const { type } = lastFailure?.applicationFailureInfo ?? {};
  if (!lastFailure || (type !== PARTNER_ERROR && type !== SOFTWARE_ERROR)) return undefined;
  const failure = await decodeFailure(client, lastFailure, workflowId);
  return failure instanceof ApplicationFailure ? (failure.details?.[0] as PartnerErrorDetails) : undefined;
}

const { WORKFLOW_EXECUTION_STATUS_RUNNING } = proto.temporal.api.enums.v1.WorkflowExecutionStatus;

/** Reports an undocumented status name to the account's record, and starts the record if it is not running. */
export async function reportStatus(
  client: Client,
  { system, account, taskQueue, fourEyes }: ReportingAccount,
  status: string,
): Promise<void> {
  const input: PartnerAccountInput = resolved({ system }, { fourEyes });
  await client.workflow.signalWithStart('partnerRecord', {
    ...initialVisibility('partnerRecord', { summary: `record of ${system}`, account }),
    workflowId: partnerRecordId(system, taskQueue, account),
    taskQueue,
    args: [input],
    signal: statusSeen,
    signalArgs: [{ status }],
  });
}

/**
 * Returns an account's record; undefined if none is running. Needs no worker.
 *
 * @throws if this process lacks the record's key
 */
export async function queryPartnerRecord(client: Client, { system, account, taskQueue }: AccountAt) {
  const workflowId = partnerRecordId(system, taskQueue, account);
  const { status, memo } = (await undefinedIfMissing(describeWithMemo(client, workflowId))) ?? {};
  const payload = memo?.fields?.[RECORD_MEMO];
  if (status !== WORKFLOW_EXECUTION_STATUS_RUNNING || !payload) return undefined;
  const [record] = await decodePayloads(client, [payload], workflowId);
  return record as PartnerRecord;
}
