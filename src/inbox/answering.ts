import {
  type Client,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import {
  addRemark,
  type ClaimReceipt,
  type ClaimRequest,
  type Confirmation,
  type ConfirmationReceipt,
  claimRequirement,
  confirmAnswer,
  type ProposalReceipt,
  proposeAnswer,
  type Remark,
  type RemarkReceipt,
  type Withdrawal,
  type WithdrawalReceipt,
  withdrawProposal,
} from '../messages/claims.js';
import {
  type AnswerKind,
  type Resolution,
  type ResolutionReceipt,
  resolveRequirement,
} from '../messages/requirements.js';
import { stateOf } from '../temporal/onboardings.js';
import { PassingProblem, TemporalProblem } from '../temporal/unavailable.js';
import { UnreadableOnboarding } from '../temporal/unreadable.js';
import { InvalidInput } from '../texts/invalid-input.js';

/** The decisions that a person must give a reason for. */
export const NEED_REASON: readonly AnswerKind[] = ['adopt', 'retry', 'choice', 'take-back', 'abandon'];

/** The time limit for a worker to apply an answer, in milliseconds. */
const APPLY_TIMEOUT_MS = 10_000;

/** Temporal has an answer, and no worker has applied it yet. */
export class NotYetApplied extends PassingProblem {
  override readonly name = 'NotYetApplied';
}

/** An onboarding or operation has ended, so it takes no answer. */
export class EndedOnboarding extends TemporalProblem {
  override readonly name = 'EndedOnboarding';
  constructor(workflowId: string) {
    super(`${workflowId} has ended`);
  }
}

/** Answers a requirement of a workflow. Throws as {@link applied}. */
export function sendResolution(
  client: Client,
  workflowId: string,
  resolution: Resolution,
): Promise<ResolutionReceipt> {
  const next = 'answer again if the requirement is still open then';
  return applied(client, workflowId, resolveRequirement, resolution, next);
}

/**
 * Claims a requirement, extends the claim, or releases it. Throws as {@link applied}.
 *
 * @param workflowId of the workflow that asks. A customer has no claims: see `askingWorkflow`. The same holds for proposals
 */
export function sendClaim(client: Client, workflowId: string, claim: ClaimRequest): Promise<ClaimReceipt> {
  return applied(client, workflowId, claimRequirement, claim, 'repeat it if it had no effect');
}

/** Proposes an answer for a second person to confirm. Throws as {@link applied}. */
export function sendProposal(
  client: Client,
  workflowId: string,
  resolution: Resolution,
): Promise<ProposalReceipt> {
  return applied(client, workflowId, proposeAnswer, resolution, 'propose it again if it is not shown then');
}

/** Confirms a proposed answer. Throws as {@link applied}. */
export function sendConfirmation(
  client: Client,
  workflowId: string,
  confirmation: Confirmation,
): Promise<ConfirmationReceipt> {
  const next = 'confirm again if the requirement is still open then';
  return applied(client, workflowId, confirmAnswer, confirmation, next);
}

/** Removes a proposed answer. Throws as {@link applied}. */
export function sendWithdrawal(
  client: Client,
  workflowId: string,
  withdrawal: Withdrawal,
): Promise<WithdrawalReceipt> {
  return applied(
    client,
    workflowId,
    withdrawProposal,
    withdrawal,
    'repeat it if the answer is still proposed',
  );
}

/** Adds a remark for colleagues. Throws as {@link applied}. */
export function sendRemark(client: Client, workflowId: string, remark: Remark): Promise<RemarkReceipt> {
  return applied(client, workflowId, addRemark, remark, 'write it again if it is not shown then');
}

/**
 * Sends an update about a requirement, and waits until a worker has applied it.
 *
 * @param next what to do later, if no worker applies it in time
 * @throws {InvalidInput} when the workflow rejects it
 * @throws {NotYetApplied} when no worker applies it in time
 * @throws {EndedOnboarding} when the workflow has ended
 */
async function applied<Receipt, Request extends { readonly requirementId: string }>(
  client: Client,
  workflowId: string,
  update: UpdateDefinition<Receipt, [Request]>,
  request: Request,
  next: string,
): Promise<Receipt> {
  const handle = client.workflow.getHandle(workflowId);
  const send = () => handle.executeUpdate(update, { args: [request] });
  try {
    return await client.connection.withDeadline(Date.now() + APPLY_TIMEOUT_MS, send);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw new EndedOnboarding(workflowId);
    // The message of the workflow's validator, without the layers around it.
    if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure)
      throw new InvalidInput(error.cause.message);
    if (!(error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)) throw error;
    const obstacle = (await obstacleOf(client, workflowId))?.detail ?? 'its worker is busy';
    throw new NotYetApplied(
      `${request.requirementId} accepted, not yet applied (${obstacle}). A worker applies it later: check with ` +
        `"gangway status ${workflowId}", and ${next}.`,
    );
  }
}

/** Returns the reason why the state of a workflow cannot be read; undefined if it can be. */
export async function obstacleOf(
  client: Client,
  workflowId: string,
): Promise<UnreadableOnboarding | undefined> {
  return stateOf(client, workflowId).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof UnreadableOnboarding) return error;
      throw error;
    },
  );
}
