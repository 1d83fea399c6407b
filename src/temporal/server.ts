import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';

/** How long Temporal may take to say that it is there, in milliseconds. */
const DEADLINE_MS = 2_000;

/** How long an answer holds, in milliseconds: however many ask, Temporal is asked once. */
const HOLDS_MS = 1_000;

/** @returns asks whether Temporal answers for our namespace, and answers in bounded time */
export function temporalCheck(client: Client): () => Promise<boolean> {
  const { namespace } = client.options;
  const describe = () => client.workflowService.describeNamespace({ namespace });
  let answer: Promise<boolean> | undefined;
  return () => {
    answer ??= client.connection
      .withDeadline(Date.now() + DEADLINE_MS, describe)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        setTimeout(() => {
          answer = undefined;
        }, HOLDS_MS).unref();
      });
    return answer;
  };
}

const { TASK_QUEUE_TYPE_WORKFLOW } = proto.temporal.api.enums.v1.TaskQueueType;

/** How long the server has to list a poller, in milliseconds. */
const PATIENCE_MS = 5_000;
const GLANCE_MS = 50;

/**
 * How far Temporal's clock is ahead of ours, in milliseconds. No call says what time it is, but the server lists when each poller
 * of a task queue was heard of: so we poll one that never has a task, for a moment.
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
    for (; performance.now() < until; await sleep(GLANCE_MS)) {
      const { pollers } = await client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: queue,
        taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
      });
      const heardOf = pollers?.find((poller) => poller.identity === identity)?.lastAccessTime;
      if (heardOf)
        return Number(heardOf.seconds) * 1_000 + (heardOf.nanos ?? 0) / 1e6 - (sentAt + Date.now()) / 2;
    }
    return undefined;
  } finally {
    found.abort();
    await polling;
  }
}
