import { type Client, defaultPayloadConverter, WorkflowNotFoundError } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import { partnerAccountId } from '../messages/ids.js';
import {
  credentialsRefused,
  type PartnerAccountActivities,
  type PartnerAccountInput,
  type RefusalReport,
  ticketsSeen,
} from '../messages/partner-account.js';
import { PARTNER_ERROR } from '../messages/partner-failure.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { isRefusedAtTheDoor, type PartnerErrorDetails } from '../partners/partner-error.js';
import type { SystemName } from '../partners/systems.js';
import { nudge } from './nudge.js';
import { newcomer } from './onboardings.js';

/** One of our accounts at one partner, and the workflows that work with it. */
export interface AccountAt {
  readonly system: SystemName;
  /** undefined for the account without a name. */
  readonly account: string | undefined;
  /** Of the workflows. */
  readonly taskQueue: string;
}

type Pending = temporal.api.workflow.v1.IPendingActivityInfo;

const { PENDING_ACTIVITY_STATE_SCHEDULED } = proto.temporal.api.enums.v1.PendingActivityState;

/** An attempt that is due this soon, in milliseconds, comes by itself; a reset could meet it when it runs. */
const SOON_MS = 2_000;

/** How many workflows are looked at at once. */
const CONCURRENCY = 16;

/** Reports to the workflow of an account that its credentials were refused, and starts it when it does not run. */
export async function reportRefusal(client: Client, place: AccountAt, report: RefusalReport): Promise<void> {
  await client.workflow.signalWithStart('partnerAccount', {
    ...startOf(place),
    signal: credentialsRefused,
    signalArgs: [report],
  });
}

/** Has the workflow of an account look for tickets that no onboarding shows, and starts it when it does not run. */
export async function reportTickets(client: Client, place: AccountAt): Promise<void> {
  const { workflowId } = await client.workflow.signalWithStart('partnerAccount', {
    ...startOf(place),
    signal: ticketsSeen,
  });
  await nudge(client, workflowId);
}

function startOf({ system, account, taskQueue }: AccountAt) {
  const input: PartnerAccountInput = { system };
  const workflowId = partnerAccountId(system, account);
  return { workflowId, taskQueue, args: [input], ...newcomer(`our account at ${system}`, account) };
}

/** Whether the workflow of an account tries the credentials, or wakes what they held up. It may run for other reasons. */
export async function isAccountAsking(
  client: Client,
  { system, account }: Pick<AccountAt, 'system' | 'account'>,
): Promise<boolean> {
  try {
    const { raw } = await client.workflow.getHandle(partnerAccountId(system, account)).describe();
    const ofCredentials: readonly (keyof PartnerAccountActivities)[] = ['probeAccount', 'wakeRefused'];
    const types = raw.pendingActivities?.map(({ activityType }) => activityType?.name) ?? [];
    return ofCredentials.some((type) => types.includes(type));
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Lets the workflow of an account, where it runs, try the credentials at once: they may be others by now. */
export async function probeNow(
  client: Client,
  { system, account }: Pick<AccountAt, 'system' | 'account'>,
): Promise<void> {
  const probe: keyof PartnerAccountActivities = 'probeAccount';
  await retryNow(
    client,
    partnerAccountId(system, account),
    async ({ activityType }) => activityType?.name === probe,
  );
}

/**
 * Retries at once every activity, over all running workflows of an account, that waits because its credentials were refused.
 * Writes no history.
 *
 * @returns how many there were
 */
export async function wakeRefused(
  client: Client,
  { system, account, taskQueue }: AccountAt,
): Promise<number> {
  const { name } = SEARCH_ATTRIBUTES.partnerAccount;
  const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;
  const query = [
    `TaskQueue = ${quoted(taskQueue)}`,
    "ExecutionStatus = 'Running'",
    account === undefined ? `${name} IS NULL` : `${name} = ${quoted(account)}`,
  ].join(' AND ');
  const running = client.workflow.list({ query })[Symbol.asyncIterator]();
  const isRefused = async (pending: Pending) => {
    const details = await partnerErrorOf(client, pending);
    return details !== undefined && details.system === system && isRefusedAtTheDoor(details);
  };
  let woken = 0;
  async function wakeNext(): Promise<void> {
    for (let next = await running.next(); !next.done; next = await running.next()) {
      const retried = await retryNow(client, next.value.workflowId, isRefused);
      woken += retried;
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, wakeNext));
  return woken;
}

/**
 * Retries those activities of a workflow at once that wait for their next attempt. A running attempt is left alone, because
 * the server would refuse its result; so is one that begins in a moment.
 *
 * @returns how many there were
 */
async function retryNow(
  client: Client,
  workflowId: string,
  isMeant: (pending: Pending) => Promise<boolean>,
): Promise<number> {
  const { namespace } = client.options;
  let retried = 0;
  try {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    const execution = { workflowId, runId: raw.workflowExecutionInfo?.execution?.runId ?? null };
    for (const pending of raw.pendingActivities ?? []) {
      const { activityId, state, nextAttemptScheduleTime } = pending;
      const dueAtMs = Number(nextAttemptScheduleTime?.seconds ?? 0) * 1_000;
      if (state !== PENDING_ACTIVITY_STATE_SCHEDULED || dueAtMs - Date.now() < SOON_MS) continue;
      if (!(await isMeant(pending))) continue;
      await client.workflowService.resetActivity({ namespace, execution, id: activityId ?? '' });
      retried += 1;
    }
  } catch (error) {
    // It does not run, or has ended since it was listed.
    if (!isNotFound(error)) throw error;
  }
  return retried;
}

/** gRPC's NOT_FOUND. */
const NOT_FOUND = 5;

function isNotFound(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || (error as { code?: unknown }).code === NOT_FOUND;
}

/** What the last attempt of an activity failed with, when that was a call of a partner. */
async function partnerErrorOf(
  client: Client,
  { lastFailure }: Pending,
): Promise<PartnerErrorDetails | undefined> {
  const failure = lastFailure?.applicationFailureInfo;
  if (failure?.type !== PARTNER_ERROR) return undefined;
  let payloads = failure.details?.payloads ?? [];
  for (const codec of client.options.loadedDataConverter.payloadCodecs)
    payloads = await codec.decode(payloads);
  const [payload] = payloads;
  return payload && defaultPayloadConverter.fromPayload<PartnerErrorDetails>(payload);
}
