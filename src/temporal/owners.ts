import type { Client } from '@temporalio/client';
import type { WorkflowType } from '../messages/ids.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';

/** What onboardings are looked for: those of one account that have one of these things at a partner. */
export interface Owned {
  readonly workflowType: WorkflowType;
  /** Holds the id of the thing. */
  readonly attribute: 'merchantProfileId' | 'bankingProfileId';
  readonly ids: readonly number[];
  /** Of the workflows. Another task queue has other accounts, even where their names are the same. */
  readonly taskQueue: string;
  readonly partnerAccount: string | undefined;
  /** A workflow id that is left out. */
  readonly except?: string | undefined;
}

export interface Owner {
  readonly workflowId: string;
  /** The thing that it has. */
  readonly id: number;
  readonly isRunning: boolean;
}

/** The onboardings that have something at a partner, running or not, as far as Temporal's visibility store knows by now. */
export async function ownersOf(client: Client, owned: Owned): Promise<Owner[]> {
  const { workflowType, attribute, ids, taskQueue, partnerAccount, except } = owned;
  if (ids.length === 0) return [];
  const { [attribute]: key, partnerAccount: account } = SEARCH_ATTRIBUTES;
  const query = [
    `WorkflowType = '${workflowType}'`,
    `${key.name} IN (${ids.map((id) => `'${id}'`).join(', ')})`,
    `TaskQueue = '${taskQueue.replaceAll("'", "''")}'`,
    partnerAccount === undefined ? `${account.name} IS NULL` : `${account.name} = '${partnerAccount}'`,
  ].join(' AND ');
  // A workflow may have run several times.
  const owners = new Map<string, Owner>();
  for await (const { workflowId, status, typedSearchAttributes } of client.workflow.list({ query })) {
    if (workflowId === except) continue;
    const isRunning = status.name === 'RUNNING' || owners.get(workflowId)?.isRunning === true;
    owners.set(workflowId, { workflowId, id: Number(typedSearchAttributes.get(key)), isRunning });
  }
  return [...owners.values()];
}
