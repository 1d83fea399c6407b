import {
  type Client,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import type { RejectionType } from '../messages/rejections.js';
import type { RequestKey } from '../messages/requirements.js';
import { startOfRun } from './history.js';
import { ifFound } from './unavailable.js';

/** An update about a requirement. */
export type RequirementUpdate<Receipt, Request> = UpdateDefinition<Receipt, [Request, RequestKey?]>;

/**
 * Sends an update, and waits until a worker has applied it. The same key again is the same update: it changes nothing, and returns
 * the first receipt. Temporal itself knows the updates of a run, the workflow those of its earlier runs.
 */
export async function sendUpdate<Receipt, Request>(
  client: Client,
  workflowId: string,
  update: RequirementUpdate<Receipt, Request>,
  request: Request,
  key?: RequestKey,
): Promise<Receipt> {
  const handle = client.workflow.getHandle(workflowId);
  if (!key) return handle.executeUpdate(update, { args: [request] });
  const updateId = key.body === undefined ? key.id : `${key.id}-${key.body}`;
  try {
    return await handle.executeUpdate(update, { args: [request, key], updateId });
  } catch (error) {
    const { cause } = error as Error;
    const before: RejectionType = 'AcceptedBefore';
    if (cause instanceof ApplicationFailure && cause.type === before) return cause.details?.[0] as Receipt;
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    const ended = await ifFound(handle.describe());
    const receipt = ended && (await receiptOf<Receipt>(client, ended, updateId));
    if (receipt) return receipt;
    throw error;
  }
}

/** The number of runs of an ended workflow that are searched for an update. */
const MAX_RUNS = 20;

/** The receipt of an update that a workflow accepted before it ended. */
async function receiptOf<Receipt>(
  client: Client,
  { workflowId, runId }: WorkflowExecutionDescription,
  updateId: string,
): Promise<Receipt | undefined> {
  let run: string | undefined = runId;
  for (let count = 0; run && count < MAX_RUNS; count++) {
    const update = client.workflow.getHandle(workflowId, run).getUpdateHandle<Receipt>(updateId);
    const receipt = await update.result().catch(ifNotAccepted);
    if (receipt) return receipt;
    // Temporal forgets the runs before the last one.
    run = (await ifFound(startOfRun(client, workflowId, run)))?.continuedExecutionRunId || undefined;
  }
  return undefined;
}

function ifNotAccepted(error: unknown): undefined {
  if (error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError) return undefined;
  throw error;
}
