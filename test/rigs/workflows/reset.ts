import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Onboarding } from '../onboarding.js';

/**
 * Resets an onboarding as `temporal workflow reset` does it.
 *
 * @param to its last workflow task, or the one that took the last result of an activity
 */
export async function reset(
  { workflowService, options }: Client,
  { handle, workflowId }: Onboarding,
  to: 'last-task' | 'last-result' = 'last-task',
): Promise<void> {
  const events = (await handle.fetchHistory()).events ?? [];
  const result = events.findLastIndex((event) => event.activityTaskCompletedEventAttributes);
  const tasks = events
    .slice(to === 'last-result' ? result : 0)
    .filter((event) => event.workflowTaskCompletedEventAttributes);
  const task = tasks.at(to === 'last-result' ? 0 : -1);
  await workflowService.resetWorkflowExecution({
    namespace: options.namespace,
    workflowExecution: { workflowId },
    workflowTaskFinishEventId: task?.eventId ?? null,
    reason: 'stuck',
    requestId: randomUUID(),
  });
}
