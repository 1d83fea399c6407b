import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { sandboxAccount } from '../../src/apps/sandbox/systems.js';
import { countingProxy } from '../../test/rigs/counting-proxy.js';
import { customer } from '../../test/rigs/inputs.js';
import { Onboarding } from '../../test/rigs/onboarding.js';
import { eventually } from '../../test/rigs/waiting.js';
import type { Bench } from '../bench.js';
import { partners, runningWorker } from '../gangway.js';
import { attemptsOf, countsOf, difference, type History, moreEvents } from '../histories.js';
import { type Line, line } from '../line.js';
import { skippingTime } from '../time-skipping.js';

const TASK_QUEUE = 'outage';

/** What a partner with a rate limit asks of its callers. */
const RETRY_AFTER_MS = 300_000;

/**
 * A customer whose boarding partner is unavailable for a day, compared with one whose partner is not, on a server that skips
 * time. The create of the merchant waits meanwhile, with the retries of production.
 */
export async function* outage(bench: Bench): AsyncGenerator<Line> {
  const hours = bench.size(24, 2);
  const environment = await skippingTime(bench);
  const sandbox = await partners(bench);
  const boardingPartner = await countingProxy(sandbox.url, (close) => bench.atEnd(async () => close()));
  await runningWorker(bench, {
    TEMPORAL_ADDRESS: environment.address,
    GANGWAY_TASK_QUEUE: TASK_QUEUE,
    GANGWAY_HEALTH_ADDRESS: '127.0.0.1:0',
    ...sandboxAccount(sandbox.url),
    BOARDING_URL: boardingPartner.url,
    // By default a person is asked after a day, which costs events that are not measured here.
    GANGWAY_STALLED_AFTER: '48h',
  });

  const without = await onboarded(environment);
  const outages: Readonly<Record<string, readonly [() => Promise<unknown>, () => Promise<unknown>]>> = {
    'refused connections': [() => boardingPartner.shut(), () => boardingPartner.open()],
    '429 with Retry-After': [
      () => sandbox.plan('429', 'create-merchant', { times: 10_000, milliseconds: RETRY_AFTER_MS }),
      () => sandbox.clearFaults(),
    ],
  };
  for (const [kind, [begin, end]] of Object.entries(outages)) {
    await begin();
    const during = await onboarded(environment, async (boarding) => {
      await boarding.retrying('createMerchant');
      await environment.sleep(`${hours} hours`);
      await end();
    });
    const what = `an outage of ${hours} hours with a create pending, ${kind}`;
    yield line({ what, figure: during.attempts - without.attempts, unit: 'tries' });
    yield moreEvents(`${what}: in the boarding`, during.boarding, without.boarding, { atMost: 12 });
    yield moreEvents(`${what}: in its customer`, during.customer, without.customer, { atMost: 0 });
  }
}

/** @param meanwhile what happens after the start */
async function onboarded(
  { client }: TestWorkflowEnvironment,
  meanwhile: (boarding: Onboarding) => Promise<void> = async () => undefined,
) {
  const input = customer();
  const workflowId = `customer-onboarding-${input.externalId}`;
  await client.workflow.start('customerOnboarding', { workflowId, taskQueue: TASK_QUEUE, args: [input] });
  const whole = new Onboarding(client, workflowId);
  const boarding = new Onboarding(client, `merchant-boarding-${input.externalId}`);
  const started = () => boarding.handle.describe().catch(() => undefined);
  await eventually(started, (execution) => execution !== undefined, 'the boarding');
  await meanwhile(boarding);
  await whole.outcome();
  const history = await boarding.handle.fetchHistory();
  return {
    boarding: asWritten(history),
    customer: asWritten(await whole.handle.fetchHistory()),
    attempts: attemptsOf(history),
  };
}

/** The events that other servers write as well: only this one adds a workflow task after a signal, in which nothing happens. */
function asWritten(history: History) {
  const events = history.events ?? [];
  const added = events.filter(
    (event, index) =>
      event.workflowTaskScheduledEventAttributes && events[index - 1]?.workflowTaskCompletedEventAttributes,
  ).length;
  const of = ['workflowTaskScheduled', 'workflowTaskStarted', 'workflowTaskCompleted'];
  return difference(countsOf(history), Object.fromEntries(of.map((kind) => [kind, added])));
}
