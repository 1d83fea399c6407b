import { workflowInfo } from '@temporalio/workflow';
import { partsOfId } from '../../messages/ids.js';

/**
 * The account at the partners that this workflow works with; undefined for the one without a name.
 *
 * Its id has it, so that the same key in two accounts is two workflows. The search attribute is only to filter by.
 */
export function partnerAccount(): string | undefined {
  return partsOfId(workflowInfo().workflowId)?.account;
}
