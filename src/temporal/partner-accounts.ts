import { type Client, defaultPayloadConverter, WorkflowNotFoundError } from '@temporalio/client';
import { PARTNER_ERROR } from '../messages/activities.js';
import { partnerAccountId, partnerTaskQueue } from '../messages/ids.js';
import {
  credentialsRefused,
  type PartnerAccountActivities,
  type PartnerAccountInput,
  type RefusalReport,
  readsUnreadable,
  ticketsSeen,
  type UnreadableRead,
  type UnreadableReport,
} from '../messages/partner-account.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { isRefusedAtTheDoor, type PartnerErrorDetails } from '../partners/partner-error.js';
import type { SystemName } from '../partners/systems.js';
import { isNotFound, isStepAt, nudge, type Pending, retryNow } from './nudge.js';
import { newcomer } from './onboardings.js';

/** One of our accounts at one partner, and the workflows that work with it. */
export interface AccountAt {
  readonly system: SystemName;
  /** undefined for the account without a name. */
  readonly account: string | undefined;
  /** Of the workflows. */
  readonly taskQueue: string;
}

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

/** Reports to the workflow of an account that responses cannot be read, and starts it when it does not run. */
export async function reportUnreadable(
  client: Client,
  place: AccountAt,
  report: UnreadableReport,
): Promise<void> {
  await client.workflow.signalWithStart('partnerAccount', {
    ...startOf(place),
    signal: readsUnreadable,
    signalArgs: [report],
  });
}

/** Whether one of these workflows waits because the last response of the operation could not be read. */
export async function isUnreadable(
  client: Client,
  { operation, workflowIds }: UnreadableRead,
): Promise<boolean> {
  for (const workflowId of workflowIds) {
    for (const pending of await pendingOf(client, workflowId)) {
      const details = await partnerErrorOf(client, pending);
      if (details?.unreadable === operation) return true;
    }
  }
  return false;
}

/** Retries at once what waits because a response of the operation could not be read. Writes no history. */
export async function retryReads(client: Client, { operation, workflowIds }: UnreadableRead): Promise<void> {
  const isMeant = async (pending: Pending) =>
    (await partnerErrorOf(client, pending))?.unreadable === operation;
  for (const workflowId of workflowIds) await retryNow(client, workflowId, isMeant);
}

async function pendingOf(client: Client, workflowId: string): Promise<readonly Pending[]> {
  try {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    return raw.pendingActivities ?? [];
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
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
    ({ activityType }) => activityType?.name === probe,
  );
}

/** What was woken. */
export interface Woken {
  readonly steps: number;
  readonly workflows: number;
}

/** Retries at once every activity of an account that waits because its credentials were refused. Writes no history. */
export function wakeRefused(client: Client, place: AccountAt): Promise<Woken> {
  return wakeAll(client, place, async (pending) => {
    const details = await partnerErrorOf(client, pending);
    return details !== undefined && details.system === place.system && isRefusedAtTheDoor(details);
  });
}

/** Retries at once every poll and step that waits for a partner in an account, as after an outage. Writes no history. */
export function wakeWaiting(client: Client, place: AccountAt): Promise<Woken> {
  const { system, account, taskQueue } = place;
  return wakeAll(client, place, isStepAt(partnerTaskQueue(taskQueue, system, account)));
}

/** Over all running workflows of an account. */
async function wakeAll(
  client: Client,
  { account, taskQueue }: AccountAt,
  isMeant: (pending: Pending) => boolean | Promise<boolean>,
): Promise<Woken> {
  const { name } = SEARCH_ATTRIBUTES.partnerAccount;
  const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;
  const query = [
    `TaskQueue = ${quoted(taskQueue)}`,
    "ExecutionStatus = 'Running'",
    account === undefined ? `${name} IS NULL` : `${name} = ${quoted(account)}`,
  ].join(' AND ');
  const running = client.workflow.list({ query })[Symbol.asyncIterator]();
  let steps = 0;
  let workflows = 0;
  async function wakeNext(): Promise<void> {
    for (let next = await running.next(); !next.done; next = await running.next()) {
      const { length } = await retryNow(client, next.value.workflowId, isMeant);
      steps += length;
      if (length > 0) workflows += 1;
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, wakeNext));
  return { steps, workflows };
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
