import { activityInfo, cancellationSignal, getClient, metricMeter } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type Destination, type EventSender, ForbiddenAddress } from '../events/sender.js';
import type { OutboundEvent, OutboundEventActivities } from '../messages/outbound-events.js';
import { startDelivery } from '../temporal/deliveries.js';

/** The receiver wants no further events (Standard Webhooks). */
const GONE = 410;

/** A receiver may ask for a pause of at most this long, in milliseconds. */
const MAX_RETRY_AFTER_MS = 2 * 3_600_000;

/** Starts deliveries. Part of the workflows' own worker, which runs it within a workflow task. */
export function publishActivities(
  destinations: readonly Destination[],
): Pick<OutboundEventActivities, 'publishEvents'> {
  return {
    async publishEvents(events) {
      const { taskQueue } = activityInfo();
      const client = getClient();
      // In order: a worker that dies in between has published no event whose predecessor another worker publishes later.
      for (const event of events)
        await Promise.all(
          destinations.map(({ id }) => startDelivery(client, taskQueue, { event, destination: id })),
        );
    },
  };
}

/** Sends events. They have a task queue of their own because a receiver may be slow. */
export function deliveryActivities(
  destinations: readonly Destination[],
  sender: EventSender,
): Pick<OutboundEventActivities, 'deliverEvent'> {
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

/** A destination is the host and a hash of a URL in the settings, never the URL. */
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
