import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Onboarding } from '../onboarding.js';

/**
 * Resets an onboarding as `temporal workflow reset` does.
 *
 * @param to its last workflow task, or the one that received the last result of an activity
 * @returns the ID of the new run
 */
export async function reset(
  { workflowService, options }: Client,
  { handle, workflowId }: Onboarding<unknown>,
  to: 'last-task' | 'last-result' = 'last-task',
): Promise<string> {
  const events = (await handle.fetchHistory()).events ?? [];
  const result = events.findLastIndex((event) => event.activityTaskCompletedEventAttributes);
  const tasks = events
    .slice(to === 'last-result' ? result : 0)
    .filter((event) => event.workflowTaskCompletedEventAttributes);
  const task = tasks.at(to === 'last-result' ? 0 : -1);
  const { runId } = await workflowService.resetWorkflowExecution({
    namespace: options.namespace,
    workflowExecution: { workflowId },
    workflowTaskFinishEventId: task?.eventId ?? null,
    reason: 'stuck',
    requestId: randomUUID(),
  });
  return runId;
}
