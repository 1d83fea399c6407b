import type { ActivityExecutionInfo, Client } from '@temporalio/client';
import type { SingleActivity } from '../messages/activities.js';
import type { Delivery, OutboundEvent } from '../messages/outbound-events.js';
import { startSingle } from './single-activities.js';

/** The activity that sends one event to one destination. */
const DELIVER = 'deliverEvent';

/** How long a receiver may be away, and how often it is tried: at once, then at growing intervals. */
const PATIENCE = {
  scheduleToCloseTimeout: '3 days',
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 3, maximumInterval: '2h' },
} as const;

/** `event-<workflow id>-<event id>-<destination>`. */
function deliveryId({ news: { subject, id }, destination }: Delivery): string {
  return `${idPrefix(subject)}${id}-${destination}`;
}

function idPrefix(workflowId: string): string {
  return `event-${workflowId}-`;
}

/**
 * Starts a delivery, as an activity without a workflow: it outlives the onboarding. One that was started is left alone. On a
 * server without standalone activities it is a workflow that does nothing else, which {@link listDeliveries} does not know.
 */
export async function startDelivery(client: Client, taskQueue: string, delivery: Delivery): Promise<void> {
  await startSingle(client, taskQueue, deliveryId(delivery), singleOf(delivery), { once: true });
}

function singleOf(delivery: Delivery): SingleActivity {
  return {
    activity: DELIVER,
    lane: 'events',
    args: [delivery],
    summary: delivery.news.type,
    options: PATIENCE,
  };
}

/** Which deliveries are meant. */
export interface DeliveryFilter {
  /** Those of one workflow. */
  readonly workflowId?: string;
  /** Those in one of these states. */
  readonly statuses?: readonly DeliveryStatus[] | undefined;
}

export type DeliveryStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'TIMED_OUT' | 'TERMINATED' | 'CANCELED';

/** Given up: refused for good, or not taken in three days. */
export const GIVEN_UP: readonly DeliveryStatus[] = ['FAILED', 'TIMED_OUT', 'TERMINATED', 'CANCELED'];

const STATUS_NAMES: Readonly<Record<DeliveryStatus, string>> = {
  RUNNING: 'Running',
  COMPLETED: 'Completed',
  FAILED: 'Failed',
  TIMED_OUT: 'TimedOut',
  TERMINATED: 'Terminated',
  CANCELED: 'Canceled',
};

export interface KnownDelivery {
  readonly activityId: string;
  readonly status: ActivityExecutionInfo['status'];
  readonly attempts: number;
  /** Of the last attempt that failed. */
  readonly problem: string | undefined;
  readonly destination: string;
  readonly news: OutboundEvent;
}

/** Deliveries that Temporal remembers, the newest first. Of one that was sent again, it is the last time that counts. */
export async function* listDeliveries(client: Client, filter: DeliveryFilter): AsyncGenerator<KnownDelivery> {
  const { statuses } = filter;
  const seen = new Set<string>();
  for await (const { activityId } of client.activity.list(queryOf(filter))) {
    if (seen.has(activityId)) continue;
    seen.add(activityId);
    const latest = client.activity.getHandle(activityId);
    const described = await latest.describe({ includeInput: true, includeLastFailure: true });
    const [delivery] = (await described.getInput<[Delivery]>()) ?? [];
    const { status, attempt: attempts } = described;
    const isMeant = statuses === undefined || statuses.some((wanted) => wanted === status);
    // The id of another workflow may begin with that of this one, for example in another account.
    const isOfAnother = filter.workflowId !== undefined && delivery?.news.subject !== filter.workflowId;
    if (!delivery || !isMeant || isOfAnother) continue;
    const problem = (await described.getLastFailure())?.message;
    yield { activityId, status, attempts, problem, ...delivery };
  }
}

function queryOf({ workflowId, statuses }: DeliveryFilter): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
  return [
    `ActivityType = ${quoted(DELIVER)}`,
    workflowId !== undefined && `ActivityId STARTS_WITH ${quoted(idPrefix(workflowId))}`,
    statuses !== undefined &&
      `ExecutionStatus IN (${statuses.map((status) => quoted(STATUS_NAMES[status])).join(', ')})`,
  ]
    .filter(Boolean)
    .join(' AND ');
}

/** Sends an event again, as the same event. One that still waits for its next attempt is tried at once. */
export async function redeliver(client: Client, taskQueue: string, known: KnownDelivery): Promise<void> {
  const { news, destination, status, activityId } = known;
  if (status === 'RUNNING') await client.activity.getHandle(activityId).terminate('sent again');
  await startSingle(client, taskQueue, activityId, singleOf({ news, destination }));
}
