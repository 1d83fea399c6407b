import { type Client, WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure, TerminatedFailure } from '@temporalio/common';
import { outcomeOf } from '../temporal/onboardings.js';
import { CommandFailed } from './errors.js';

/** A workflow ended without an outcome: it was stopped, or failed. */
export class EndedWithoutOutcome extends CommandFailed {
  constructor(
    workflowId: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${workflowId}: ${reason}`, options);
  }
}

/**
 * Waits until a workflow has ended, and answers its outcome.
 *
 * @param anew how to start it anew, for people: `--again starts it anew`
 * @throws {EndedWithoutOutcome}
 */
export async function endOf<Outcome>(client: Client, workflowId: string, anew: string): Promise<Outcome> {
  try {
    return await outcomeOf<Outcome>(client, workflowId);
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    throw new EndedWithoutOutcome(workflowId, reasonOf(error, anew), { cause: error });
  }
}

function reasonOf({ cause }: WorkflowFailedError, anew: string): string {
  if (cause instanceof CancelledFailure) return `it was cancelled; ${anew}`;
  if (cause instanceof TerminatedFailure) return `it was terminated; ${anew}`;
  return `it failed: ${cause?.message}`;
}

/** Whether it has ended, in whichever way. */
export async function hasEnded(client: Client, workflowId: string): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId).describe();
  return status.name !== 'RUNNING';
}
