import type { ActivityExecutionInfo, Client } from '@temporalio/client';
import type { SingleActivity } from '../messages/activities.js';
import type { Delivery, OutboundEventActivities } from '../messages/outbound-events.js';
import { all, type Condition, inQueries, is, isIn, startsWith } from './query.js';
import { startSingle } from './single-activities.js';

const DELIVER: keyof OutboundEventActivities = 'deliverEvent';

const DELIVERY_OPTIONS = {
  scheduleToCloseTimeout: '3 days',
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 3, maximumInterval: '2h' },
} as const;

/** Returns the beginning of a delivery's ID, which is `event-<workflow id>-<event id>-<destination>`. */
function idPrefix(workflowId: string): string {
  return `event-${workflowId}-`;
}

/** Delivers an event to a destination, at most one delivery each. It is a standalone activity, so it outlives the onboarding. */
export async function startDelivery(client: Client, taskQueue: string, delivery: Delivery): Promise<void> {
  const { event, destination } = delivery;
  const id = `${idPrefix(event.subject)}${event.id}-${destination}`;
  await startSingle(client, taskQueue, id, singleOf(delivery), { once: true });
}

function singleOf(delivery: Delivery): SingleActivity {
  return {
    activity: DELIVER,
    queue: 'events',
    args: [delivery],
    summary: delivery.event.type,
    options: DELIVERY_OPTIONS,
  };
}

export interface DeliveryFilter {
  readonly workflowId?: string;
  readonly statuses?: readonly DeliveryStatus[] | undefined;
}

export type DeliveryStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'TIMED_OUT' | 'TERMINATED' | 'CANCELED';

/** The statuses of a delivery that has ended without success: rejected for good, not accepted in three days, or ended by a person. */
export const GIVEN_UP: readonly DeliveryStatus[] = ['FAILED', 'TIMED_OUT', 'TERMINATED', 'CANCELED'];

export interface KnownDelivery extends Delivery {
  readonly activityId: string;
  readonly status: ActivityExecutionInfo['status'];
  readonly attempts: number;
  readonly problem: string | undefined;
}

/** Lists deliveries within Temporal's retention, newest first. If an event was resent, lists only its last delivery. */
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
    const hasStatus = statuses === undefined || statuses.some((wanted) => wanted === status);
    // The ID of another workflow may begin with this ID, for example in another account.
    const isOfAnother = filter.workflowId !== undefined && delivery?.event.subject !== filter.workflowId;
    if (!delivery || !hasStatus || isOfAnother) continue;
    const problem = (await described.getLastFailure())?.message;
    yield { activityId, status, attempts, problem, ...delivery };
  }
}

function queryOf({ workflowId, statuses }: DeliveryFilter): Condition {
  return all(
    is('ActivityType', DELIVER),
    workflowId !== undefined && startsWith('ActivityId', idPrefix(workflowId)),
    statuses && isIn('ExecutionStatus', statuses.map(inQueries)),
  );
}

/** Resends an event, with the same ID. Ends a running delivery first, so the event does not wait for its next attempt. */
export async function redeliver(client: Client, taskQueue: string, delivery: KnownDelivery): Promise<void> {
  const { event, destination, status, activityId } = delivery;
  if (status === 'RUNNING') await client.activity.getHandle(activityId).terminate('sent again');
  await startSingle(client, taskQueue, activityId, singleOf({ event, destination }));
}
