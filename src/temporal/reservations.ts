import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import { describeWithMemo } from './search.js';
import { ifFound, isAlreadyStarted } from './unavailable.js';

/**
 * Who may write to a record at a partner: a merchant, a banking profile. An onboarding reserves a record before it writes to it.
 * A reservation is a workflow that never runs, because its start delay exceeds its timeout. Its id is that of the record, so
 * Temporal accepts one of many at most, at once and without a list that lags. Its memo names the onboarding, unencrypted, so that a
 * worker can read it after the keys have changed.
 *
 * It outlives its onboarding: the record stays at the partner, whose next create may return it. It ends after {@link RESERVED_FOR},
 * and the namespace's retention period then counts as well.
 */
export interface Reservation {
  /** Workflow id of the onboarding. */
  readonly owner: string;
  readonly runId: string;
}

const RESERVED_FOR = '3650 days';
const NEVER = '7300 days';

const {
  WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE: REJECT_DUPLICATE,
  WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE: ALLOW_DUPLICATE,
} = proto.temporal.api.enums.v1.WorkflowIdReusePolicy;

/** The latest reservation of a record, even one that has ended; undefined if there is none. */
export async function reservationOf(client: Client, id: string): Promise<Reservation | undefined> {
  const execution = await ifFound(describeWithMemo(client, id));
  if (!execution) return undefined;
  const { owner } = execution.memo?.fields ?? {};
  return {
    owner: owner ? String(defaultPayloadConverter.fromPayload(owner)) : 'another onboarding',
    runId: execution.execution?.runId ?? '',
  };
}

/**
 * Reserves a record for an onboarding.
 *
 * @param replaced the reservation that it takes over
 * @returns false if somebody else was faster, or has reserved it before
 */
export async function reserve(
  client: Client,
  { id, owner, taskQueue }: { readonly id: string; readonly owner: string; readonly taskQueue: string },
  replaced?: Reservation,
): Promise<boolean> {
  const { namespace, identity } = client.options;
  if (replaced) {
    // Of several that take it over, one ends this run.
    const workflowExecution = { workflowId: id, runId: replaced.runId };
    const reason = `taken over by ${owner}`;
    await ifFound(
      client.workflowService.terminateWorkflowExecution({ namespace, identity, workflowExecution, reason }),
    );
  }
  try {
    await client.workflowService.startWorkflowExecution({
      ...{ namespace, identity, requestId: randomUUID(), workflowId: id },
      workflowType: { name: 'reservation' },
      taskQueue: { name: `${taskQueue}-reservations` },
      memo: { fields: { owner: defaultPayloadConverter.toPayload(owner) as Payload } },
      workflowExecutionTimeout: msToTs(RESERVED_FOR),
      workflowStartDelay: msToTs(NEVER),
      workflowIdReusePolicy: replaced ? ALLOW_DUPLICATE : REJECT_DUPLICATE,
    });
    return true;
  } catch (error) {
    if (isAlreadyStarted(error)) return false;
    throw error;
  }
}
