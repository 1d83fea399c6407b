import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { AWAIT_STATUS_ACTIVITY_ID } from '../messages/ids.js';

/** How long a nudge keeps trying, in milliseconds, while an attempt is running. */
const PATIENCE_MS = 30_000;
const GLANCE_MS = 50;

const { PENDING_ACTIVITY_STATE_SCHEDULED } = proto.temporal.api.enums.v1.PendingActivityState;

/**
 * Makes a workflow's status poll read now instead of after its delay. Writes no history.
 *
 * A reset that meets a running attempt is lost: that attempt may have read the old state, and sleeps its whole delay
 * afterwards. So a running attempt is waited out and the poll reset after it.
 *
 * @returns false when the workflow has no poll waiting: it has ended, or does something else
 * @throws {ServiceError} when the server cannot be reached or does not know the workflow
 */
export async function nudge(client: Client, workflowId: string): Promise<boolean> {
  const handle = client.workflow.getHandle(workflowId);
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(GLANCE_MS)) {
    const { raw } = await handle.describe();
    const poll = raw.pendingActivities?.find(({ activityId }) => activityId === AWAIT_STATUS_ACTIVITY_ID);
    if (!poll) return false;
    if (poll.state !== PENDING_ACTIVITY_STATE_SCHEDULED) continue;
    const { namespace } = client.options;
    const execution = { workflowId, runId: raw.workflowExecutionInfo?.execution?.runId ?? null };
    await client.workflowService.resetActivity({ namespace, execution, id: AWAIT_STATUS_ACTIVITY_ID });
    return true;
  }
  return true;
}
