import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, it, vi } from 'vitest';
import { deliveryActivities, publishActivities } from '../../../src/activities/outbound-events.js';
import { ForbiddenAddress } from '../../../src/events/sender.js';
import type { OutboundEvent } from '../../../src/messages/outbound-events.js';
import { counter } from '../../rigs/activities/counter.js';

const ADDRESS = 'https://crm.example.com/events?token=secret';
const HOUR = 3_600_000;

/** One attempt to deliver an event, to a receiver that responds like this or to one that the settings do not have. */
async function deliver(
  responds: () => Promise<{ status: number; retryAfterMs?: number }>,
  destination = 'crm',
) {
  const { counts, metricMeter } = counter();
  const sent: string[] = [];
  const send = (_: unknown, url: string) => {
    sent.push(url);
    return responds();
  };
  const { deliverEvent } = deliveryActivities(
    [
      { id: 'erp', url: 'https://erp.example.com' },
      { id: 'crm', url: ADDRESS },
    ],
    { send } as never,
  );
  const outcome = await new MockActivityEnvironment({}, { metricMeter, logger: new DefaultLogger('ERROR') })
    .run(deliverEvent, { event: {} as OutboundEvent, destination })
    .catch((error: unknown) => error);
  return { outcome, sent, counts };
}

const later = (message: string, nextRetryDelay?: number) => ({
  type: 'NotDelivered',
  message,
  nonRetryable: false,
  nextRetryDelay,
});
const never = (message: string) => ({ type: 'Undeliverable', message, nonRetryable: true });
const broken = (code: string) =>
  new Error(`connect to ${ADDRESS}`, { cause: Object.assign(new Error(ADDRESS), { code }) });

it.each<[string, () => Promise<{ status: number; retryAfterMs?: number }>, object, string]>([
  ['200', async () => ({ status: 200 }), { status: 200 }, 'delivered'],
  ['299', async () => ({ status: 299 }), { status: 299 }, 'delivered'],
  ['300', async () => ({ status: 300 }), later('HTTP 300'), 'failed'],
  ['404', async () => ({ status: 404 }), later('HTTP 404'), 'failed'],
  ['410', async () => ({ status: 410 }), never('HTTP 410'), 'refused'],
  ['503 and a pause', async () => ({ status: 503, retryAfterMs: 5_000 }), later('HTTP 503', 5_000), 'failed'],
  [
    '503 and a pause of a day',
    async () => ({ status: 503, retryAfterMs: 24 * HOUR }),
    later('HTTP 503', 2 * HOUR),
    'failed',
  ],
  ['no connection', () => Promise.reject(broken('ECONNREFUSED')), later('ECONNREFUSED'), 'failed'],
  ['a bug', () => Promise.reject(new TypeError(ADDRESS)), later('TypeError'), 'failed'],
  ['no error at all', () => Promise.reject(ADDRESS), later('no response'), 'failed'],
  [
    'a forbidden address',
    () => Promise.reject(new Error(ADDRESS, { cause: new ForbiddenAddress() })),
    never('its address is forbidden'),
    'refused',
  ],
])('an event whose receiver responds with %s', async (_, responds, expected, result) => {
  const { outcome, sent, counts } = await deliver(responds);
  expect(outcome).toMatchObject(expected);
  expect(counts).toEqual([`gangway_event_deliveries_total ${result} 1`]);
  expect(sent).toEqual([ADDRESS]);
});

it('an event for a destination that is no longer in the settings is not sent', async () => {
  const { outcome, sent } = await deliver(async () => ({ status: 200 }), 'gone');
  expect([outcome, sent]).toEqual([expect.objectContaining(never('gone is not in EVENTS_URLS')), []]);
});

it('events are published in their order, so that a worker that dies leaves no gap before an event', async () => {
  const started: string[] = [];
  let respond = () => {};
  const activity = {
    start: async (_: string, { id }: { id: string }) => {
      started.push(id);
      await new Promise<void>((resolve) => {
        respond = resolve;
      });
      return {};
    },
  };
  const { publishEvents } = publishActivities([{ id: 'crm', url: ADDRESS }]);
  const events = ['1', '2'].map((id) => ({ id, subject: 'm-1', type: 'requirement.raised.v1' }));
  const client = { activity, withAbortSignal: (_: unknown, run: () => unknown) => run() } as never;
  const published = new MockActivityEnvironment({}, { client }).run(publishEvents, events as never);
  await vi.waitUntil(() => started.length > 0);
  expect(started).toEqual(['event-m-1-1-crm']);
  respond();
  await vi.waitUntil(() => started.length > 1);
  expect(started).toEqual(['event-m-1-1-crm', 'event-m-1-2-crm']);
  respond();
  await published;
});
