import { activityInfo, cancellationSignal, getClient, metricMeter } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type Destination, type EventSender, ForbiddenAddress } from '../events/sender.js';
import type { OutboundEvent, OutboundEventActivities } from '../messages/outbound-events.js';
import { startDelivery } from '../temporal/deliveries.js';

/** The receiver wants nothing of the kind any more (Standard Webhooks). */
const GONE = 410;

/** However long a receiver wants to be left alone, in milliseconds. */
const MAX_RETRY_AFTER_MS = 2 * 3_600_000;

/** Starts deliveries; part of the workflows' own worker, which does it inside of a workflow task. */
export function announcing(destinations: readonly Destination[]): Pick<OutboundEventActivities, 'announce'> {
  return {
    async announce(news) {
      const { taskQueue } = activityInfo();
      const client = getClient();
      const deliveries = news.flatMap((each) =>
        destinations.map(({ id }) => ({ news: each, destination: id })),
      );
      await Promise.all(deliveries.map((delivery) => startDelivery(client, taskQueue, delivery)));
    },
  };
}

/** Sends events; on a task queue of its own, for a receiver may be slow. */
export function delivering(
  destinations: readonly Destination[],
  sender: EventSender,
): Pick<OutboundEventActivities, 'deliverEvent'> {
  return {
    async deliverEvent({ news, destination }) {
      const to = destinations.find(({ id }) => id === destination);
      if (!to) throw undeliverable(`${destination} is not in EVENTS_URLS`);
      try {
        const delivered = await deliver(sender, news, to.url);
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

async function deliver(sender: EventSender, news: OutboundEvent, url: string): Promise<{ status: number }> {
  const { status, retryAfterMs } = await sender
    .send(news, url, cancellationSignal())
    .catch((error: unknown) => {
      if (rootOf(error) instanceof ForbiddenAddress) throw undeliverable('its address may not be called');
      throw notDelivered(codeOf(error));
    });
  if (status >= 200 && status < 300) return { status };
  if (status === GONE) throw undeliverable('HTTP 410');
  throw notDelivered(`HTTP ${status}`, retryAfterMs);
}

/** A destination is one of the settings: its host and a hash, never its URL. */
function countDelivery(destination: string, result: 'delivered' | 'failed' | 'refused'): void {
  const help = 'Attempts to deliver news, by what came of them';
  metricMeter.createCounter('gangway_news_deliveries_total', undefined, help).add(1, { destination, result });
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

/** `ECONNREFUSED`; never the message, which may name the URL. */
function codeOf(error: unknown): string {
  const root = rootOf(error);
  if (root instanceof Error && 'code' in root && typeof root.code === 'string') return root.code;
  return root instanceof Error ? root.name : 'no answer';
}
