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

/** One account at one partner, and the workflows that work with it. */
export interface AccountAt {
  readonly system: SystemName;
  readonly account: string | undefined;
  readonly taskQueue: string;
}

/** An account whose workflows a report may start. */
export interface ReportingAccount extends AccountAt {
  readonly fourEyes: FourEyes;
}

/** Reports to the workflow of an account. Starts it if it does not run. */
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

/** Makes the workflow of an account search for tickets that no onboarding shows. */
export async function reportTickets(client: Client, place: ReportingAccount): Promise<void> {
  await nudge(client, await reportTo(client, place, ticketsSeen));
}

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

const WITHOUT_RESPONSE: readonly PartnerErrorKind[] = ['NotSent', 'RateLimited', 'Uncertain'];

/**
 * Reports whether one of these workflows waits because the operation fails for the account. A later call without a
 * response does not show that it works again.
 */
export async function waitsForReadable(client: Client, { operation, workflowIds }: UnreadableRead) {
  for (const workflowId of workflowIds)
    for (const pending of await pendingActivities(client, workflowId)) {
      // The first attempt reports its failure before it ends.
      if (pending.state === PENDING_ACTIVITY_STATE_STARTED && !pending.lastFailure) return true;
      const failed = await partnerErrorOf(client, workflowId, pending);
      if (failed && failsForAccount(failed) === operation) return true;
      if (failed?.operation === operation && WITHOUT_RESPONSE.includes(failed.kind)) return true;
    }
  return false;
}

/** Retries at once the activities that wait because the operation fails for the account. Writes no history. */
export async function retryReads(client: Client, { operation, workflowIds }: UnreadableRead): Promise<void> {
  const isMeant = async (pending: Pending, workflowId: string) => {
    const failed = await partnerErrorOf(client, workflowId, pending);
    return failed !== undefined && failsForAccount(failed) === operation;
  };
  for (const workflowId of workflowIds) await retryNow(client, workflowId, isMeant);
}

/** Reports whether the workflow of an account handles rejected credentials now. It may run for other reasons. */
export async function isHandlingRefusal(client: Client, { system, account }: AccountAt): Promise<boolean> {
  const types: readonly (keyof (PartnerAccountActivities & ProcessActivities))[] = [
    'checkCredentials',
    'wakeRefused',
  ];
  const pending = await pendingActivities(client, partnerAccountId(system, account));
  return pending.some(({ activityType }) => types.some((type) => type === activityType?.name));
}

/** Makes the workflow of an account, if it runs, find out at once whether the process whose credentials were refused still runs. */
export async function checkNow(client: Client, { system, account }: AccountAt): Promise<void> {
  const check: keyof ProcessActivities = 'checkCredentials';
  const workflowId = partnerAccountId(system, account);
  await retryNow(client, workflowId, ({ activityType }) => activityType?.name === check);
}

/** The progress callback and the end of a search for pending activities. Each running workflow takes a request. */
export interface Watched {
  /** Ends the search, which then has examined only some workflows. */
  readonly signal?: AbortSignal;
  /** Called after each workflow, with how many were examined and how many run. */
  readonly onExamined?: (examined: number, running: number) => void;
}

export interface Woken {
  readonly steps: number;
  readonly workflows: number;
}

/** Retries at once every activity of an account that waits because the partner rejected its credentials. Writes no history. */
export function wakeRefused(client: Client, place: AccountAt): Promise<Woken> {
  const isRefused = async (pending: Pending, workflowId: string) => {
    const details = await partnerErrorOf(client, workflowId, pending);
    return details !== undefined && details.system === place.system && isUnauthenticated(details);
  };
  return wakeAll(client, place, async (id) => (await retryNow(client, id, isRefused)).length);
}

/** Retries at once every poll and step that waits for a partner in an account, as after an outage. Writes no history. */
export function wakeWaiting(client: Client, place: AccountAt, watched: Watched = {}): Promise<Woken> {
  const { system, account, taskQueue } = place;
  const isStep = isStepAt(partnerTaskQueue(taskQueue, system, account));
  return wakeAll(client, place, async (id) => (await retryNow(client, id, isStep)).length, watched);
}

/** Makes every status poll of an account read at once, also those that are reading now. Writes no history. */
export function wakePollsOf(client: Client, place: AccountAt): Promise<Woken> {
  return wakeAll(client, place, async (id) => ((await undefinedIfMissing(nudge(client, id))) ? 1 : 0));
}

/** @param wake wakes activities of a running workflow of the account that may call the partner, and returns how many */
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

/** A partner account that may ask a person about a failure that blocks an onboarding or operation. */
export interface BlockingAccount {
  readonly workflowId: string;
  /** The kinds of its requirements that are about the failure. */
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

/** The failed call of a partner, or the error of our own code, that ended the last attempt of an activity. */
async function partnerErrorOf(client: Client, workflowId: string, { lastFailure }: Pending) {
  const { type } = lastFailure?.applicationFailureInfo ?? {};
  if (!lastFailure || (type !== PARTNER_ERROR && type !== SOFTWARE_ERROR)) return undefined;
  const failure = await decodeFailure(client, lastFailure, workflowId);
  return failure instanceof ApplicationFailure ? (failure.details?.[0] as PartnerErrorDetails) : undefined;
}

const { WORKFLOW_EXECUTION_STATUS_RUNNING } = proto.temporal.api.enums.v1.WorkflowExecutionStatus;

/** Reports a status name that no document has. Starts the record if it does not run. */
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
 * Returns the record of an account; undefined if none runs. Needs no worker.
 *
 * @throws when this process does not have the key of the record
 */
export async function queryPartnerRecord(client: Client, { system, account, taskQueue }: AccountAt) {
  const workflowId = partnerRecordId(system, taskQueue, account);
  const { status, memo } = (await undefinedIfMissing(describeWithMemo(client, workflowId))) ?? {};
  const payload = memo?.fields?.[RECORD_MEMO];
  if (status !== WORKFLOW_EXECUTION_STATUS_RUNNING || !payload) return undefined;
  const [record] = await decodePayloads(client, [payload], workflowId);
  return record as PartnerRecord;
}
