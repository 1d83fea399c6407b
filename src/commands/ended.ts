import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { CancelledFailure, TerminatedFailure } from '@temporalio/common';
import { partsOfId, type WorkflowType } from '../messages/ids.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { outcomeOf, partIds } from '../temporal/onboardings.js';
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
    const first = await beforeAnew(client, workflowId);
    const next = first === undefined ? anew : `${first}; then ${anew}`;
    throw new EndedWithoutOutcome(workflowId, `${reasonOf(error)}; ${next}`, { cause: error });
  }
}

function reasonOf({ cause }: WorkflowFailedError): string {
  if (cause instanceof CancelledFailure) return 'it was cancelled';
  if (cause instanceof TerminatedFailure) return 'it was terminated';
  return `it failed: ${cause?.message}`;
}

/**
 * What to do before an onboarding is started anew, which would create a second merchant or profile at the partner; undefined
 * for other workflows. The ids are read from search attributes, for which no worker is needed.
 */
async function beforeAnew(client: Client, workflowId: string): Promise<string | undefined> {
  const { type } = await client.workflow.getHandle(workflowId).describe();
  const { key = '' } = partsOfId(workflowId) ?? {};
  const idOf = (name: 'merchantProfileId' | 'bankingProfileId') => knownId(client, type, workflowId, name);
  switch (type) {
    case 'merchantBoarding' satisfies WorkflowType:
      return toAdopt(await idOf('merchantProfileId'), key, 'in FILE');
    case 'customerOnboarding' satisfies WorkflowType:
      return toAdopt(await idOf('merchantProfileId'), key, 'in "boarding" of FILE');
    case 'businessOnboarding' satisfies WorkflowType: {
      const profile = await idOf('bankingProfileId');
      const where =
        profile === null
          ? 'look for the business at the bank'
          : `banking profile ${profile} exists at the bank`;
      return `${where}: adopt it by its merchant, "merchantProfileId" in FILE`;
    }
    default:
      return undefined;
  }
}

function toAdopt(merchant: string | null, guid: string, where: string): string {
  return merchant === null
    ? `look for a merchant with guid ${guid} in the partner’s portal: if it is there, adopt it by "merchantProfileId" ${where}`
    : `merchant ${merchant} exists at the partner: adopt it by "merchantProfileId": ${merchant} ${where}`;
}

async function knownId(
  client: Client,
  type: string,
  workflowId: string,
  name: 'merchantProfileId' | 'bankingProfileId',
): Promise<string | null> {
  const isCustomer = type === ('customerOnboarding' satisfies WorkflowType);
  const ids = [workflowId, ...(isCustomer ? Object.values(partIds(workflowId)) : [])];
  for (const id of ids) {
    const known = await client.workflow
      .getHandle(id)
      .describe()
      .then(({ typedSearchAttributes }) => typedSearchAttributes.get(SEARCH_ATTRIBUTES[name]))
      .catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      });
    if (known !== undefined) return known;
  }
  return null;
}

/** Whether it has ended, in whichever way. */
export async function hasEnded(client: Client, workflowId: string): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId).describe();
  return status.name !== 'RUNNING';
}
