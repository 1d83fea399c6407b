import type { Client } from '@temporalio/client';
import type { Onboarding } from '../onboarding.js';

/** As `temporal workflow reset --type LastWorkflowTask` does it. Returns the id of the new run. */
export async function resetToLastWorkflowTask(
  { workflowService, options }: Client,
  { handle, workflowId }: Onboarding<unknown>,
): Promise<string> {
  const { events } = await handle.fetchHistory();
  const last = events?.findLast((event) => event.workflowTaskCompletedEventAttributes);
  const { runId } = await workflowService.resetWorkflowExecution({
    namespace: options.namespace,
    workflowExecution: { workflowId },
    workflowTaskFinishEventId: last?.eventId ?? null,
    reason: 'stuck',
    requestId: crypto.randomUUID(),
  });
  return runId;
}
