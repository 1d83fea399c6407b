import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';

/** How long Temporal may take to respond, in milliseconds. */
const DEADLINE_MS = 2_000;

/** How long a result is kept, in milliseconds, so that any number of callers cause one request. */
const KEPT_MS = 1_000;

/** @returns a check whether Temporal responds for the client's namespace; it takes bounded time */
export function temporalCheck(client: Client): () => Promise<boolean> {
  const { namespace } = client.options;
  const describe = () => client.workflowService.describeNamespace({ namespace });
  let result: Promise<boolean> | undefined;
  return () => {
    result ??= client
      .withDeadline(Date.now() + DEADLINE_MS, describe)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        setTimeout(() => {
          result = undefined;
        }, KEPT_MS).unref();
      });
    return result;
  };
}

const { TASK_QUEUE_TYPE_WORKFLOW } = proto.temporal.api.enums.v1.TaskQueueType;

/** How long the server may take to list a poller, in milliseconds, and how often to look. */
const PATIENCE_MS = 5_000;
const INTERVAL_MS = 50;

/**
 * How far Temporal's clock is ahead of this machine's, in milliseconds. No operation returns the time, but the server lists when
 * it last saw each poller of a task queue, so this polls a task queue without tasks for a moment.
 *
 * @returns undefined when the server does not list the poller
 */
export async function serverClockOffset(client: Client, taskQueue: string): Promise<number | undefined> {
  const { namespace } = client.options;
  const queue = { name: `${taskQueue}-clock` };
  const identity = `clock-${randomUUID()}`;
  const found = new AbortController();
  const sentAt = Date.now();
  const until = performance.now() + PATIENCE_MS;
  const polling = client.connection
    .withAbortSignal(found.signal, () =>
      client.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: queue, identity }),
    )
    .catch(() => undefined);
  try {
    for (; performance.now() < until; await sleep(INTERVAL_MS)) {
      const { pollers } = await client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: queue,
        taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
      });
      const seen = pollers?.find((poller) => poller.identity === identity)?.lastAccessTime;
      if (seen) return Number(seen.seconds) * 1_000 + (seen.nanos ?? 0) / 1e6 - (sentAt + Date.now()) / 2;
    }
    return undefined;
  } finally {
    found.abort();
    await polling;
  }
}
