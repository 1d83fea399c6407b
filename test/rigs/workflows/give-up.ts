import { msToTs, optionalTsToMs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import type { Rig } from '../rig.js';
import { eventually } from '../waiting.js';

const { PENDING_ACTIVITY_STATE_STARTED: STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

const SOON = msToTs('1 second');

/** An attempt that waits for this long has no open poll that would take it. */
const LEFT_MS = 1_000;

/**
 * Makes the server give up on all attempts that run, as it does by itself when their timeouts are over, which takes two minutes
 * for a write. Their workers must be dead or stopped. The open polls of a stopped worker may swallow the next attempts: those are
 * given up on as well. Later attempts have the timeouts of the product again.
 */
export async function giveUp({ client, taskQueue }: Rig): Promise<void> {
  const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    const pending = async () => {
      const { raw } = await client.workflow.getHandle(workflowId).describe();
      return raw.pendingActivities ?? [];
    };
    if (!(await pending()).some(({ state }) => state === STARTED)) continue;
    const { namespace } = client.options;
    const all = { namespace, execution: { workflowId }, matchAll: true };
    await client.workflowService.updateActivityOptions({
      ...all,
      activityOptions: { startToCloseTimeout: SOON, retryPolicy: { maximumInterval: SOON } },
      updateMask: { paths: ['start_to_close_timeout', 'retry_policy.maximum_interval'] },
    });
    const isLeft = ({ state, scheduledTime }: Awaited<ReturnType<typeof pending>>[number]) =>
      state !== STARTED && Date.now() > (optionalTsToMs(scheduledTime) ?? 0) + LEFT_MS;
    await eventually(
      pending,
      (activities) => activities.every(isLeft),
      `attempts of ${workflowId} that nobody takes`,
    );
    await client.workflowService.updateActivityOptions({ ...all, restoreOriginal: true });
  }
}
