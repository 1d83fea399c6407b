import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { FastifyRequest } from 'fastify';
import { partsOfId } from '../messages/ids.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { describe } from '../temporal/onboardings.js';
import { isInAccounts } from '../temporal/search.js';
import { NotShown, type Visit } from './route.js';
import { maySee } from './visitor.js';

/**
 * Reports whether this person may see the workflow of an id, whether or not it exists. The id of each workflow names its account.
 */
export function mayOpen({ visitor }: Pick<Visit, 'visitor'>, workflowId: string): boolean {
  const parts = partsOfId(workflowId);
  return parts !== undefined && maySee(visitor, parts.account);
}

/** The workflow id in the path of a request. */
export function idIn({ params }: Pick<FastifyRequest, 'params'>): string {
  return (params as { readonly id: string }).id;
}

/**
 * The onboarding, single operation or partner account of a request. Every page that gets a workflow id opens it here.
 *
 * @throws {NotShown} with 404 when there is none, and in the same words and without a look at Temporal when its account is not
 * one that the person may see
 */
export async function openOnboarding(
  visit: Pick<Visit, 'client' | 'visitor' | 'request'>,
  id = idIn(visit.request),
): Promise<WorkflowExecutionDescription> {
  const description = mayOpen(visit, id) ? await describe(visit.client, id) : undefined;
  const partnerAccount = description?.typedSearchAttributes.get(SEARCH_ATTRIBUTES.partnerAccount);
  if (!description || !isInAccounts({ workflowId: id, partnerAccount }, visit.visitor.accounts))
    throw new NotShown(404, 'There is no onboarding with this ID, or you may not see it.');
  return description;
}
