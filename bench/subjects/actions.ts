import { randomUUID } from 'node:crypto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
import { freePort } from '../../src/temporal/dev-server.js';
import { addSearchAttributes } from '../../src/temporal/search-attributes.js';
import { merchant } from '../../test/rigs/inputs.js';
import { Onboarding } from '../../test/rigs/onboarding.js';
import { timeSkippingServer } from '../../test/rigs/time-skipping-server.js';
import type { Bench } from '../bench.js';
import { partners, runningWorker, stopped } from '../gangway.js';
import { eventsOf } from '../histories.js';
import { type Line, line } from '../line.js';

/** Events that Temporal Cloud bills as one action each: https://docs.temporal.io/cloud/actions. */
const BILLED: Readonly<Record<string, string>> = {
  workflowExecutionStarted: 'starts',
  timerStarted: 'timers',
  workflowExecutionSignaled: 'signals',
  workflowExecutionUpdateAccepted: 'updates',
  upsertWorkflowSearchAttributes: 'search attribute upserts',
};

/** Bounds where partners send webhooks, so that reads are a safety net (docs/events.md). */
const SAFETY_NET = { GANGWAY_POLL_MIN: '3h', GANGWAY_POLL_MAX: '4h' };

/**
 * The billed actions of a boarding that stays Pending for two weeks, with the poll interval of production and a server that skips
 * time. Attempts of activities and heartbeats are billed, too; histories do not contain those.
 */
export async function* actions(bench: Bench): AsyncGenerator<Line> {
  const executable = { type: 'existing-path', path: await timeSkippingServer() } as const;
  const environment = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
  bench.atEnd(() => environment.teardown());
  const { client } = environment;
  // This server cannot list its search attributes.
  await addSearchAttributes(
    client,
    Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name),
  );
  const days = bench.size(14, 1);
  const { actions, polls, parts } = await waitingFor(days, environment, bench);
  const what = `actions of a boarding that waits ${days} days`;
  // There, each read is an activity and a timer.
  const loop = { what: 'as many reads and sleeps', figure: actions - (parts['heartbeats'] ?? 0) + polls };
  yield line({ what: `${what}, ${polls} reads`, figure: actions, unit: 'actions', parts, beside: loop });
  yield line({
    what: `${what}, beside its reads`,
    figure: actions - polls,
    unit: 'actions',
    goal: { atMost: 20 },
  });
  const net = await waitingFor(days, environment, bench, SAFETY_NET);
  yield line({
    what: `${what} for a webhook, with ${net.polls} reads as a safety net`,
    ...{ figure: net.actions, unit: 'actions', parts: net.parts, goal: { atMost: 120 } },
  });
}

/** @param bounds of the worker */
async function waitingFor(
  days: number,
  environment: TestWorkflowEnvironment,
  bench: Bench,
  bounds: Readonly<Record<string, string>> = {},
) {
  const { client } = environment;
  const sandbox = await partners(bench);
  const metrics = `127.0.0.1:${await freePort()}`;
  const taskQueue = `waiting-${randomUUID()}`;
  const worker = await runningWorker(bench, {
    ...bounds,
    ...{ TEMPORAL_ADDRESS: environment.address, GANGWAY_TASK_QUEUE: taskQueue },
    ...{ GANGWAY_HEALTH_ADDRESS: '127.0.0.1:0', GANGWAY_METRICS_ADDRESS: metrics },
    ...{ BOARDING_URL: sandbox.url, BOARDING_USERNAME: 'sandbox', BOARDING_PASSWORD: 'sandbox' },
  });

  const input = merchant('waiting');
  const workflowId = `merchant-boarding-${input.externalId}`;
  await client.workflow.start('merchantBoarding', { workflowId, taskQueue, args: [input] });
  const boarding = new Onboarding(client, workflowId);
  const { merchantProfileId = 0 } = await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
  await environment.sleep(`${days} days`);
  await sandbox.transition(merchantProfileId, { status: 'Approved', mid: '4711' });
  await boarding.outcome();

  const { polls } = await boarding.state();
  const { attempts, markers } = await withinHistory(boarding);
  const events = await eventsOf(boarding);
  const billed = Object.entries(BILLED).map(([kind, name]) => [name, events[kind] ?? 0] as const);
  const heartbeats = await requestsOf(metrics, 'RecordActivityTaskHeartbeat');
  const parts: Record<string, number> = {
    ...Object.fromEntries(billed),
    markers,
    'activity attempts': attempts,
    heartbeats,
  };
  await stopped(worker);
  return { actions: Object.values(parts).reduce((sum, count) => sum + count, 0), polls, parts };
}

/** Attempts of activities, and workflow tasks with markers of local activities, which are billed once per task. */
async function withinHistory({ handle }: Onboarding): Promise<{ attempts: number; markers: number }> {
  const { events } = await handle.fetchHistory();
  let attempts = 0;
  const tasks = new Set<string>();
  for (const {
    activityTaskStartedEventAttributes: started,
    markerRecordedEventAttributes: marker,
  } of events ?? []) {
    attempts += started?.attempt ?? 0;
    if (marker) tasks.add(String(marker.workflowTaskCompletedEventId));
  }
  return { attempts, markers: tasks.size };
}

/** How many requests of an operation the worker has sent, by its metrics. */
async function requestsOf(metrics: string, operation: string): Promise<number> {
  const text = await (await fetch(`http://${metrics}/metrics`)).text();
  const counts = [...text.matchAll(/^temporal_request\{([^}]*)\} (\d+)$/gm)];
  const wanted = counts.filter(([, labels]) => labels?.includes(`operation="${operation}"`));
  return wanted.reduce((sum, [, , count]) => sum + Number(count), 0);
}
