import { msToTs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import type { Rig } from '../rig.js';
import { eventually } from '../waiting.js';

const { PENDING_ACTIVITY_STATE_STARTED: STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

/**
 * Makes the server give up on all attempts that run, as it does by itself when their time-outs are over, which takes two minutes
 * for a write. Their workers must be dead or stopped. Later attempts have the time-outs of the product again.
 */
export async function giveUp({ client, taskQueue }: Rig): Promise<void> {
  const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    const running = async () => {
      const { raw } = await client.workflow.getHandle(workflowId).describe();
      return (raw.pendingActivities ?? []).filter(({ state }) => state === STARTED);
    };
    if ((await running()).length === 0) continue;
    const { namespace } = client.options;
    const all = { namespace, execution: { workflowId }, matchAll: true };
    await client.workflowService.updateActivityOptions({
      ...all,
      activityOptions: { startToCloseTimeout: msToTs('1 second') },
      updateMask: { paths: ['start_to_close_timeout'] },
    });
    await eventually(running, ({ length }) => length === 0, `the end of the attempts of ${workflowId}`);
    await client.workflowService.updateActivityOptions({ ...all, restoreOriginal: true });
  }
}
