import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import { isUnimplemented } from './unavailable.js';

/** How long a result is cached, in milliseconds, so any number of callers cause one request. */
const CACHE_MS = 1_000;

/** Returns a check of whether Temporal responds for the client's namespace. The check takes bounded time. */
export function temporalCheck(client: Client): () => Promise<boolean> {
  const { namespace } = client.options;
  const describe = () => client.workflowService.describeNamespace({ namespace });
  let result: Promise<boolean> | undefined;
  return () => {
    result ??= client
      .withDeadline(Date.now() + 2_000, describe)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        setTimeout(() => {
          result = undefined;
        }, CACHE_MS).unref();
      });
    return result;
  };
}

const { TASK_QUEUE_TYPE_WORKFLOW } = proto.temporal.api.enums.v1.TaskQueueType;

/** The time limit for the server to list a poller, and the interval between checks, in milliseconds. */
const TIMEOUT_MS = 5_000;
const INTERVAL_MS = 50;

type ServerClock = () => number;

/** How long a measured clock counts as exact, in milliseconds, because clocks drift apart. */
const CLOCK_MS = 3_600_000;

const CLOCKS = new WeakMap<Client, { readonly clock: Promise<ServerClock>; readonly until: number }>();

/** Returns the server's time, for comparison with the server's own times, because this machine's clock may be wrong. */
export async function serverNow(client: Client, taskQueue: string): Promise<number> {
  const cached = CLOCKS.get(client);
  if (cached && performance.now() < cached.until) return (await cached.clock)();
  const clock = serverClock(client, taskQueue)
    .catch(() => undefined)
    .then((measured) => {
      // Without a result, the next caller tries again.
      if (!measured) CLOCKS.delete(client);
      return measured ?? Date.now;
    });
  CLOCKS.set(client, { clock, until: performance.now() + CLOCK_MS });
  return (await clock)();
}

/**
 * Returns how far Temporal's clock is ahead of this machine's, in milliseconds.
 *
 * @returns undefined if the server does not list the poller
 */
export async function serverClockOffset(client: Client, taskQueue: string): Promise<number | undefined> {
  const clock = await serverClock(client, taskQueue);
  return clock && clock() - Date.now();
}

/**
 * Measures the server's clock. No operation returns it, but the server lists when it last saw each poller, so this briefly polls an
 * empty task queue.
 */
async function serverClock(client: Client, taskQueue: string): Promise<ServerClock | undefined> {
  const { namespace } = client.options;
  const queue = { name: `${taskQueue}-clock` };
  const identity = `clock-${randomUUID()}`;
  const controller = new AbortController();
  const sentAt = performance.now();
  const until = sentAt + TIMEOUT_MS;
  const poll = () => client.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: queue, identity });
  // Not awaited, because a worker's connection ends no poll before its deadline.
  client
    .withDeadline(Date.now() + TIMEOUT_MS, () => client.connection.withAbortSignal(controller.signal, poll))
    .catch(() => controller.abort());
  try {
    for (; performance.now() < until && !controller.signal.aborted; await sleep(INTERVAL_MS)) {
      const { pollers } = await client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: queue,
        taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
      });
      const seen = pollers?.find((poller) => poller.identity === identity)?.lastAccessTime;
      if (!seen) continue;
      const ahead = Number(seen.seconds) * 1_000 + (seen.nanos ?? 0) / 1e6 - (sentAt + performance.now()) / 2;
      return () => performance.now() + ahead;
    }
    return undefined;
  } finally {
    controller.abort();
  }
}

/** The oldest server version that Gangway supports, and why. */
const OLDEST = '1.31.0';
const SINCE_OLDEST = 'standalone activities for calls and outbound events';

/**
 * Finds the features that the server lacks, from its version and its responses. Changes nothing, because the activity in the
 * request does not exist.
 *
 * @returns each gap with its remedy, and the requirements of Gangway, for people
 */
export async function serverGaps(
  client: Client,
  { namespaceInfo }: temporal.api.workflowservice.v1.IDescribeNamespaceResponse,
) {
  const { serverVersion } = await client.workflowService.getSystemInfo({});
  const gaps = [
    {
      isThere: !serverVersion || serverVersion.localeCompare(OLDEST, undefined, { numeric: true }) >= 0,
      gap: `server ${serverVersion} is too old: Gangway needs ${OLDEST} or later, which has ${SINCE_OLDEST}`,
      fix: `update the Temporal server to ${OLDEST} or later`,
    },
    {
      isThere: await runsStandaloneActivities(client),
      gap: 'standalone activities are off, so no worker can make a call or deliver an outbound event',
      fix: 'set activity.enableStandalone to true in the dynamic configuration of the server',
    },
    {
      isThere: namespaceInfo?.capabilities?.syncUpdate,
      gap: 'updates are off, so nobody can answer a requirement',
      fix: 'set frontend.enableUpdateWorkflowExecution to true in the dynamic configuration of the server',
    },
  ].flatMap(({ isThere, ...missing }) => (isThere ? [] : [missing]));
  return {
    gaps,
    needs: `it has what Gangway needs: version ${OLDEST} or later, standalone activities, updates`,
  };
}

async function runsStandaloneActivities({ activity }: Client): Promise<boolean> {
  const handle = activity.getHandle(`gangway-doctor-${randomUUID()}`);
  return handle.describe().then(
    () => true,
    (error: unknown) => !isUnimplemented(error),
  );
}
