import { hash } from 'node:crypto';
import {
  type Client,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  addRemark,
  assignRequirement,
  confirmAnswer,
  proposeAnswer,
  withdrawProposal,
} from '../../messages/claims.js';
import type { RejectionType } from '../../messages/rejections.js';
import {
  type AnswerKind,
  type IdempotencyKey,
  type RequirementKind,
  receiptQuery,
  resolveRequirement,
} from '../../messages/requirements.js';
import { queryState } from '../../temporal/find-onboarding.js';
import { TemporalProblem, TransientError, undefinedIfMissing } from '../../temporal/unavailable.js';
import type { UnreadableOnboarding } from '../../temporal/unreadable.js';
import { OUTCOME_UNKNOWN_MESSAGE, type RequirementUpdate, sendUpdate } from '../../temporal/updates.js';
import { InvalidInput } from '../texts/invalid-input.js';
import { asUnreadable } from './waiting-state.js';

/** The decisions that a person must give a reason for. */
export const REASON_REQUIRED: readonly AnswerKind[] = ['confirm', 'retry', 'choice', 'take-back', 'abandon'];

/**
 * Reports whether an answer can't be undone, and so needs an approver: any answer about an uncertain write, the meaning of a status,
 * and abandoning.
 *
 * @param requirement undefined if it is not open
 */
export function needsApproval(
  requirement: { readonly kind: RequirementKind } | undefined,
  answer: AnswerKind,
): boolean {
  return answer === 'abandon' || answer === 'choice' || requirement?.kind === 'uncertain-write';
}

/** The time limit for a worker to apply an answer, in milliseconds. */
const APPLY_TIMEOUT_MS = 10_000;

/** How long to wait for the query that finds out why an update timed out, in milliseconds. */
const REASON_TIMEOUT_MS = 2_000;

/** Thrown if no worker responds in time, so it is unknown whether the answer was applied: {@link OUTCOME_UNKNOWN_MESSAGE}. */
export class UpdateTimedOut extends TransientError {
  override readonly name = 'UpdateTimedOut';
}

/** Thrown if an onboarding or operation has ended, so it takes no answer. */
export class EndedOnboarding extends TemporalProblem {
  override readonly name = 'EndedOnboarding';
  constructor(workflowId: string) {
    super(`${workflowId} has ended`);
  }
}

/** Thrown if an idempotency key was used for another request. */
export class KeyReused extends InvalidInput {}

/** A request that may be sent again. */
export interface IdempotentRequest {
  /** Unique for each request. It begins with the name of the program, so that two programs never share one. */
  readonly key: string;
  /** The request's body. Reusing the key with a different body is rejected. */
  readonly body: unknown;
}

/** Hashes the key, because everybody who can read the namespace sees update IDs. */
function idempotencyKey(
  update: string,
  requirementId: string,
  { key, body }: IdempotentRequest,
): IdempotencyKey {
  const hashed = (...parts: unknown[]) => hash('sha256', JSON.stringify(parts)).slice(0, 32);
  return { id: `key-${hashed(key)}`, body: hashed(key, update, requirementId, body) };
}

// Keeps S2.
/**
 * Returns a function that sends an update about a requirement and waits until a worker applies it. The function throws:
 * - {@link InvalidInput} when the workflow rejects it, and {@link KeyReused} when it was sent with the key of another request
 * - {@link UpdateTimedOut} when no worker applies it in time
 * - {@link EndedOnboarding} when the workflow has ended
 *
 * @param followUp the advice for a timeout, which ends the error message
 */
export function createSender<Receipt, Request extends { readonly requirementId: string }>(
  update: RequirementUpdate<Receipt, Request>,
  followUp: string,
) {
  return async (
    client: Client,
    workflowId: string,
    request: Request,
    once?: IdempotentRequest,
  ): Promise<Receipt> => {
    const key = once && idempotencyKey(update.name, request.requirementId, once);
    const send = () => sendUpdate(client, workflowId, update, request, key);
    try {
      return await client.connection.withDeadline(Date.now() + APPLY_TIMEOUT_MS, send);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw new EndedOnboarding(workflowId);
      // The message of the workflow's validator, without the layers around it.
      if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
        const reused: RejectionType = 'KeyReused';
        throw new (error.cause.type === reused ? KeyReused : InvalidInput)(error.cause.message);
      }
      if (!(error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)) throw error;
      const reason =
        (await unreadableReason(client, workflowId, REASON_TIMEOUT_MS))?.detail ?? 'its worker is busy';
      throw new UpdateTimedOut(
        `${request.requirementId}: ${OUTCOME_UNKNOWN_MESSAGE} (${reason}). Check with "gangway status ${workflowId}", and ${followUp}.`,
      );
    }
  };
}

export const sendResolution = createSender(
  resolveRequirement,
  'answer again if the requirement is still open then',
);

/** Assigns a requirement, to oneself or a colleague, or releases it. A customer has no claims and proposals: see waiting-state.ts. */
export const sendAssignment = createSender(assignRequirement, 'repeat it if it had no effect');
export const sendProposal = createSender(proposeAnswer, 'propose it again if it is not shown then');
export const sendConfirmation = createSender(
  confirmAnswer,
  'confirm again if the requirement is still open then',
);
export const sendWithdrawal = createSender(withdrawProposal, 'repeat it if the answer is still proposed');
export const sendRemark = createSender(addRemark, 'write it again if it is not shown then');

/**
 * Finds the receipt of an earlier request without sending anything. Returns null if it was never accepted, undefined if the workflow
 * doesn't exist.
 */
export function findReceipt(
  client: Client,
  workflowId: string,
  { name }: { readonly name: string },
  requirementId: string,
  once: IdempotentRequest,
): Promise<object | null | undefined> {
  return undefinedIfMissing(
    client.workflow.getHandle(workflowId).query(receiptQuery, idempotencyKey(name, requirementId, once)),
  );
}

/** Returns the reason why the state of a workflow cannot be read; undefined if it can be. */
export function unreadableReason(
  client: Client,
  workflowId: string,
  timeoutMs?: number,
): Promise<UnreadableOnboarding | undefined> {
  return queryState(client, workflowId, timeoutMs).then(() => undefined, asUnreadable);
}
