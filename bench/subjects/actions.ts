import { randomUUID } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { sandboxAccount } from '../../src/apps/sandbox/systems.js';
import { merchant } from '../../test/rigs/inputs.js';
import { Onboarding } from '../../test/rigs/onboarding.js';
import { scrape } from '../../test/rigs/scrape.js';
import type { Bench } from '../bench.js';
import { metricsAt, partners, runningWorker, stopped } from '../gangway.js';
import { billed, sum } from '../histories.js';
import { type Line, line } from '../line.js';
import { skippingTime } from '../time-skipping.js';

/** Bounds where partners send webhooks, so that reads are a safety net (docs/events.md). */
const SAFETY_NET = { GANGWAY_POLL_MIN: '3h', GANGWAY_POLL_MAX: '4h' };

/**
 * The billed actions of a boarding that stays Pending for two weeks, with the poll interval of production and a server that skips
 * time.
 */
export async function* actions(bench: Bench): AsyncGenerator<Line> {
  const environment = await skippingTime(bench);
  const days = bench.size(14, 1);
  const { polls, parts } = await waitingFor(days, environment, bench);
  const figure = sum(Object.values(parts));
  const what = `actions of a boarding that waits ${days} days`;
  // There, each read is an activity and a timer.
  const loop = { what: 'as many reads and sleeps', figure: figure - (parts['heartbeats'] ?? 0) + polls };
  yield line({ what: `${what}, ${polls} reads`, figure, unit: 'actions', parts, baseline: loop });
  yield line({
    what: `${what}, not counting its reads`,
    figure: figure - polls,
    unit: 'actions',
    goal: { atMost: 20 },
  });
  const net = await waitingFor(days, environment, bench, SAFETY_NET);
  yield line({
    what: `${what} for a webhook, with ${net.polls} reads as a safety net`,
    figure: sum(Object.values(net.parts)),
    unit: 'actions',
    parts: net.parts,
    goal: { atMost: 120 },
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
  const metrics = await metricsAt();
  const taskQueue = `waiting-${randomUUID()}`;
  const worker = await runningWorker(bench, {
    ...bounds,
    ...metrics.setting,
    ...sandboxAccount(sandbox.url),
    TEMPORAL_ADDRESS: environment.address,
    GANGWAY_TASK_QUEUE: taskQueue,
    GANGWAY_HEALTH_ADDRESS: '127.0.0.1:0',
  });

  const input = merchant('waiting');
  const workflowId = `merchant-boarding-${input.externalId}`;
  await client.workflow.start('merchantBoarding', { workflowId, taskQueue, args: [input] });
  const boarding = new Onboarding(client, workflowId);
  const { merchantProfileId = 0 } = await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
  await environment.sleep(`${days} days`);
  await sandbox.transition(merchantProfileId, { status: 'Approved', mid: '4711' });
  await boarding.outcome();

  const total = await scrape(metrics.url);
  // Histories do not contain heartbeats, which are billed, too.
  const heartbeats = total('temporal_request', { operation: 'RecordActivityTaskHeartbeat' });
  const polls = total('gangway_polls_total');
  await stopped(worker);
  return { polls, parts: { ...(await billed(boarding)), heartbeats } as Readonly<Record<string, number>> };
}
