import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import type { RejectionType } from '../messages/rejections.js';
import { type IdempotencyKey, receiptQuery } from '../messages/requirements.js';
import { undefinedIfMissing } from './unavailable.js';

/** The common first sentence at every entry point, which adds what to do next. */
export const OUTCOME_UNKNOWN_MESSAGE =
  'no worker has responded in time, so it is not known whether it took effect, and one may still apply it';

/** An update about a requirement. */
export type RequirementUpdate<Receipt, Request> = UpdateDefinition<Receipt, [Request, IdempotencyKey?]>;

/**
 * Sends an update, and waits until a worker has applied it. A repeated key changes nothing, and returns the first receipt. Temporal
 * deduplicates updates within a run, the workflow across runs.
 */
export async function sendUpdate<Receipt, Request>(
  client: Client,
  workflowId: string,
  update: RequirementUpdate<Receipt, Request>,
  request: Request,
  key?: IdempotencyKey,
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
    // The workflow may have ended with this update, or since.
    const isGone = error instanceof WorkflowNotFoundError;
    const receipt = isGone && (await undefinedIfMissing(handle.query(receiptQuery, key)));
    if (receipt) return receipt as Receipt;
    throw error;
  }
}
