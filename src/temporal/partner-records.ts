import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { partnerRecordId } from '../messages/ids.js';
import type { PartnerAccountInput } from '../messages/partner-account.js';
import { type PartnerRecord, RECORD_MEMO, statusSeen } from '../messages/partner-record.js';
import { initialVisibility } from '../messages/search-attributes.js';
import type { AccountAt } from './partner-accounts.js';
import { decodedPayloads } from './payload-codec.js';
import { isNotFound } from './unavailable.js';

const { WORKFLOW_EXECUTION_STATUS_RUNNING } = proto.temporal.api.enums.v1.WorkflowExecutionStatus;

/** Reports a status name that no document has. Starts the record if it does not run. */
export async function reportStatus(client: Client, place: AccountAt, status: string): Promise<void> {
  const { system, account, taskQueue } = place;
  const input: PartnerAccountInput = { system };
  await client.workflow.signalWithStart('partnerRecord', {
    ...initialVisibility('partnerRecord', { summary: `record of ${system}`, account }),
    ...{ workflowId: idOf(place), taskQueue, args: [input] },
    ...{ signal: statusSeen, signalArgs: [{ status }] },
  });
}

/**
 * Returns the record of an account; undefined if none runs. Needs no worker.
 *
 * @throws when this process has not the key of the record
 */
export async function recordOf(client: Client, place: AccountAt): Promise<PartnerRecord | undefined> {
  const request = { namespace: client.options.namespace, execution: { workflowId: idOf(place) } };
  try {
    // The descriptions of the client have no memo.
    const { workflowExecutionInfo } = await client.workflowService.describeWorkflowExecution(request);
    const isRunning = workflowExecutionInfo?.status === WORKFLOW_EXECUTION_STATUS_RUNNING;
    const payload = workflowExecutionInfo?.memo?.fields?.[RECORD_MEMO];
    if (!isRunning || !payload) return undefined;
    const [record] = await decodedPayloads(client, [payload], idOf(place));
    return record as PartnerRecord;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function idOf({ system, account, taskQueue }: AccountAt): string {
  return partnerRecordId(system, taskQueue, account);
}
