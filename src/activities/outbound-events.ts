import { setTimeout as sleep } from 'node:timers/promises';
import { cancellationSignal, metricMeter } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { InjectedSinks } from '@temporalio/worker';
import type {
  Delivery,
  OutboundEvent,
  OutboundEventActivities,
  OutboundEventSinks,
} from '../messages/outbound-events.js';
import { type Destination, type EventSender, ForbiddenAddress } from '../platform/events/sender.js';
import { startDelivery } from '../temporal/deliveries.js';
import { isInvalidRequest } from '../temporal/unavailable.js';

/** HTTP 410: the receiver wants no further events (Standard Webhooks). */
const GONE = 410;

/** The longest pause that a receiver may ask for, in milliseconds. */
const MAX_RETRY_AFTER_MS = 2 * 3_600_000;

const START_PAUSE_MS = 100;

/**
 * Starts deliveries. The worker awaits this before it completes the workflow task, and a replay skips it. While Temporal is
 * unreachable, it retries for as long as a workflow task may take. Temporal then dispatches the task again, with its events.
 */
export function publishSinks(
  destinations: readonly Destination[],
  client: Client,
): InjectedSinks<OutboundEventSinks> {
  // An adjusted clock must not end this early, because Temporal would not dispatch the task again.
  const start = async (taskQueue: string, delivery: Delivery, untilMs: number) => {
    for (;;) {
      const deadline = Date.now() + untilMs - performance.now();
      try {
        return await client.withDeadline(deadline, () => startDelivery(client, taskQueue, delivery));
      } catch (error) {
        if (isInvalidRequest(error) || performance.now() >= untilMs)
          throw new Error('outbound events are lost: their delivery cannot begin', { cause: error });
        await sleep(START_PAUSE_MS);
      }
    }
  };
  // Publish events in order. If a worker dies, another one publishes the rest, and no event overtakes an earlier one.
  const queues = new Map<string, Promise<void>>();
  return {
    outbound: {
      publish: {
        async fn({ runId, taskQueue, taskTimeoutMs }, events) {
          const untilMs = performance.now() + taskTimeoutMs;
          const before = queues.get(runId);
          const all = async () => {
            await before;
            for (const event of events)
              await Promise.all(
                destinations.map(({ id }) => start(taskQueue, { event, destination: id }, untilMs)),
              );
          };
          const line = all().finally(() => queues.get(runId) === line && queues.delete(runId));
          queues.set(runId, line);
          await line;
        },
      },
    },
  };
}

/** Activities that send events. They have their own task queue, because a receiver may be slow. */
export function deliveryActivities(
  destinations: readonly Destination[],
  sender: EventSender,
): OutboundEventActivities {
  return {
    async deliverEvent({ event, destination }) {
      const to = destinations.find(({ id }) => id === destination);
      if (!to) throw undeliverable(`${destination} is not in EVENTS_URLS`);
      try {
        const delivered = await deliver(sender, event, to.url);
        countDelivery(destination, 'delivered');
        return delivered;
      } catch (error) {
        const isFinal = error instanceof ApplicationFailure && error.nonRetryable;
        countDelivery(destination, isFinal ? 'refused' : 'failed');
        throw error;
      }
    },
  };
}

async function deliver(sender: EventSender, event: OutboundEvent, url: string): Promise<{ status: number }> {
  const { status, retryAfterMs } = await sender
    .send(event, url, cancellationSignal())
    .catch((error: unknown) => {
      if (rootOf(error) instanceof ForbiddenAddress) throw undeliverable('its address is forbidden');
      throw notDelivered(codeOf(error));
    });
  if (status >= 200 && status < 300) return { status };
  if (status === GONE) throw undeliverable('HTTP 410');
  throw notDelivered(`HTTP ${status}`, retryAfterMs);
}

/** A destination is the host and a hash of the configured URL, never the URL itself. */
function countDelivery(destination: string, result: 'delivered' | 'failed' | 'refused'): void {
  const help = 'Attempts to deliver an outbound event, by result';
  const deliveries = metricMeter.createCounter('gangway_event_deliveries_total', undefined, help);
  deliveries.add(1, { destination, result });
}

function undeliverable(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, 'Undeliverable');
}

function notDelivered(message: string, retryAfterMs?: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'NotDelivered',
    message,
    ...(retryAfterMs !== undefined && { nextRetryDelay: Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) }),
  });
}

function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error;
}

/** `ECONNREFUSED`; never the message, which may contain the URL. */
function codeOf(error: unknown): string {
  const root = rootOf(error);
  if (root instanceof Error && 'code' in root && typeof root.code === 'string') return root.code;
  return root instanceof Error ? root.name : 'no response';
}
