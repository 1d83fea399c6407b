import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';

/** A poller that was heard of in the last minute counts as a worker that runs. */
const RECENT_MS = 60_000;

const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = proto.temporal.api.enums.v1.TaskQueueType;
const TYPES = { workflow: TASK_QUEUE_TYPE_WORKFLOW, activity: TASK_QUEUE_TYPE_ACTIVITY };

/** How many workers take tasks of a kind from a task queue. */
export async function pollersOf(
  client: Client,
  taskQueue: string,
  tasks: 'workflow' | 'activity',
): Promise<number> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TYPES[tasks],
  });
  const recent = (pollers ?? []).filter(
    ({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 > Date.now() - RECENT_MS,
  );
  return new Set(recent.map(({ identity }) => identity)).size;
}
