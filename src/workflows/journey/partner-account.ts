import { workflowInfo } from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';

/**
 * The account at the partners that this workflow works with; undefined for the one without a name.
 *
 * It is a search attribute: known wherever an activity is scheduled without being handed through every function, kept when the
 * workflow continues in a new run, visible in the Web UI and good to filter by. What was started before there were accounts
 * has none, and goes on as it was.
 */
export function partnerAccount(): string | undefined {
  return workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.partnerAccount);
}
