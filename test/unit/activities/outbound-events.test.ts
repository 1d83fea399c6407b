import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { WorkflowInfo } from '@temporalio/workflow';
import { expect, it, onTestFinished, vi } from 'vitest';
import { deliveryActivities, publishSinks } from '../../../src/activities/outbound-events.js';
import type { OutboundEvent } from '../../../src/messages/outbound-events.js';
import { ForbiddenAddress } from '../../../src/platform/events/sender.js';
import { counter } from '../../rigs/activities/counter.js';
import { answering, grpcError } from '../../rigs/temporal/answering-service.js';

const ADDRESS = 'https://crm.example.com/events?token=secret';
const HOUR = 3_600_000;

/** One attempt to deliver an event, to a receiver that responds like this or to one that the settings do not have. */
async function deliver(
  responds: () => Promise<{ status: number; retryAfterMs?: number }>,
  destination = 'crm',
) {
  const { counts, labels, metricMeter } = counter();
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
  return { outcome, sent, counts, labels };
}

const later = (message: string, nextRetryDelay?: number) => ({
  type: 'NotDelivered',
  message,
  nonRetryable: false,
  nextRetryDelay,
});
const never = (message: string) => ({ type: 'Undeliverable', message, nonRetryable: true });
const forbidden = new Error(ADDRESS, { cause: new ForbiddenAddress() });
const broken = (code: string) =>
  new Error(`connect to ${ADDRESS}`, { cause: Object.assign(new Error(ADDRESS), { code }) });

const says = (status: number, more = {}) =>
  (async () => ({ status, ...more })) as Parameters<typeof deliver>[0];

it.each<[string, Parameters<typeof deliver>[0], object, string]>([
  ['200', says(200), { status: 200 }, 'delivered'],
  ['299', says(299), { status: 299 }, 'delivered'],
  ['300', says(300), later('HTTP 300'), 'failed'],
  ['404', says(404), later('HTTP 404'), 'failed'],
  ['410', says(410), never('HTTP 410'), 'refused'],
  ['503 and a pause', says(503, { retryAfterMs: 5_000 }), later('HTTP 503', 5_000), 'failed'],
  ['503 and a day', says(503, { retryAfterMs: 24 * HOUR }), later('HTTP 503', 2 * HOUR), 'failed'],
  ['no connection', () => Promise.reject(broken('ECONNREFUSED')), later('ECONNREFUSED'), 'failed'],
  ['a bug', () => Promise.reject(new TypeError(ADDRESS)), later('TypeError'), 'failed'],
  ['no error at all', () => Promise.reject(ADDRESS), later('no response'), 'failed'],
  ['a forbidden address', () => Promise.reject(forbidden), never('its address is forbidden'), 'refused'],
])('an event whose receiver responds with %s', async (_, responds, expected, result) => {
  const { outcome, sent, counts } = await deliver(responds);
  expect(outcome).toMatchObject(expected);
  expect(counts).toEqual([`gangway_event_deliveries_total ${result} 1`]);
  expect(sent).toEqual([ADDRESS]);
});

it.each([
  ['crm', 200, 'delivered'],
  ['erp', 200, 'delivered'],
  ['erp', 503, 'failed'],
  ['crm', 410, 'refused'],
])('an attempt counts for its destination: %s responds with %i', async (destination, status, result) => {
  const { counts, labels } = await deliver(says(status), destination);
  expect(counts).toEqual([`gangway_event_deliveries_total ${result} 1`]);
  expect(labels).toEqual([expect.objectContaining({ destination })]);
});

it('an event for a destination that is no longer in the settings is not sent', async () => {
  const { outcome, sent } = await deliver(says(200), 'gone');
  expect([outcome, sent]).toEqual([expect.objectContaining(never('gone is not in EVENTS_URLS')), []]);
});

/** Publishes the events of one workflow task, group by group. `questions` has the IDs of the deliveries that it asked for. */
function publishing(startActivityExecution: () => object, groups: string[][], taskTimeoutMs = 10_000) {
  const { client, sent } = answering({ startActivityExecution });
  const destinations = ['erp', 'crm'].map((id) => ({ id, url: ADDRESS }));
  const { fn } = publishSinks(destinations, client).outbound.publish;
  const event = (id: string) => ({ id, subject: 'm-1', type: 'requirement.raised.v1' }) as OutboundEvent;
  const info = { runId: 'run', taskQueue: 'gangway', taskTimeoutMs } as WorkflowInfo;
  const published = Promise.all(groups.map((ids) => fn(info, ids.map(event))));
  return { published, questions: () => sent.map(([, { activityId }]) => activityId) };
}

/** The events 1 and 2, published one by one. */
async function publish(startActivityExecution: () => object, taskTimeoutMs?: number) {
  const { published, questions } = publishing(startActivityExecution, [['1'], ['2']], taskTimeoutMs);
  const failure = await published.catch((error: unknown) => error);
  return { failure: failure instanceof Error ? failure.message : undefined, questions };
}

const FIRST = ['event-m-1-1-erp', 'event-m-1-1-crm'];
const LOST = 'outbound events are lost: their delivery cannot begin';

it('events are published in their order, so that a worker that dies leaves no gap before an event', async () => {
  const responses: (() => void)[] = [];
  const respond = () => new Promise<object>((resolve) => responses.push(() => resolve({})));
  const { published, questions } = publishing(respond, [['1', '2'], ['3']]);
  for (const ids of [['1'], ['1', '2'], ['1', '2', '3']]) {
    await vi.waitUntil(() => responses.length === 2 * ids.length);
    expect(questions()).toEqual(ids.flatMap((id) => [`event-m-1-${id}-erp`, `event-m-1-${id}-crm`]));
    for (const answer of responses) answer();
  }
  await published;
});

it('each event gets a delivery to each receiver', async () => {
  const { failure, questions } = await publish(() => ({}));
  expect([failure, questions()]).toEqual([undefined, [...FIRST, 'event-m-1-2-erp', 'event-m-1-2-crm']]);
});

it('the start of a delivery is repeated while Temporal does not respond', async () => {
  let requests = 0;
  const { failure, questions } = await publish(() => {
    requests += 1;
    if (requests <= 4) throw grpcError('UNAVAILABLE');
    return {};
  });
  expect([failure, questions().length, questions().slice(0, 4)]).toEqual([
    undefined,
    8,
    [...FIRST, ...FIRST],
  ]);
});

it('the start of a delivery is repeated even when the clock is set ahead meanwhile', async () => {
  const [now, clock] = [Date.now(), vi.spyOn(Date, 'now')];
  onTestFinished(() => clock.mockRestore());
  let requests = 0;
  const { failure, questions } = await publish(() => {
    requests += 1;
    clock.mockReturnValue(now + HOUR);
    if (requests === 1) throw grpcError('DEADLINE_EXCEEDED');
    return {};
  });
  expect([failure, questions().length]).toEqual([undefined, 5]);
});

it.each([
  ['after the time of the workflow task', 'UNAVAILABLE', 0],
  ['when Temporal rejects it', 'INVALID_ARGUMENT', 10_000],
] as const)('the start of a delivery is not repeated %s', async (_, code, taskTimeoutMs) => {
  const failing = () => Promise.reject(grpcError(code));
  const { failure, questions } = await publish(failing, taskTimeoutMs);
  expect([failure, questions()]).toEqual([LOST, FIRST]);
});
