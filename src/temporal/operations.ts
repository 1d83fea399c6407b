import type { Client } from '@temporalio/client';
import type { OperationOutcome } from '../messages/banking-operations.js';
import { outcomeOf, type Start, type Started, type StartOptions, startOnce } from './onboardings.js';

/**
 * Starts a single operation, or attaches to the one of the same key that runs or was done. One that was
 * rejected did nothing, so the same key tries anew. One that an operator gave up, or stopped, may have done
 * something, so that needs `again`.
 */
export async function startOperation(client: Client, start: Start, options: StartOptions): Promise<Started> {
  const first = await startOnce(client, start, options);
  if (first.started || !(await wasRejected(client, first.workflowId))) return first;
  return startOnce(client, start, { ...options, again: true });
}

async function wasRejected(client: Client, workflowId: string): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId).describe();
  if (status.name !== 'COMPLETED') return false;
  const { outcome } = await outcomeOf<OperationOutcome>(client, workflowId);
  return outcome === 'rejected';
}
