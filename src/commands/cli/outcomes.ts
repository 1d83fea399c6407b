import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { CancelledFailure, TerminatedFailure, type TypedSearchAttributes } from '@temporalio/common';
import type { OperationOutcome } from '../../messages/banking-activities.js';
import { partsOfId, type WorkflowType } from '../../messages/ids.js';
import type {
  BusinessOnboardingOutcome,
  CustomerOnboardingOutcome,
  MerchantBoardingOutcome,
  TerminalProvisioningOutcome,
  UnstartedPart,
} from '../../messages/onboardings.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { problemLines } from '../../operators/invalid-input.js';
import { outcomeOf, partIds } from '../../temporal/onboardings.js';
import { CommandFailed } from './errors.js';
import type { Printer } from './output.js';

type PartOutcome =
  | MerchantBoardingOutcome
  | BusinessOnboardingOutcome
  | TerminalProvisioningOutcome
  | UnstartedPart;

/** How an onboarding of any kind ends. */
export type Outcome = MerchantBoardingOutcome | BusinessOnboardingOutcome | CustomerOnboardingOutcome;

/** One line; for a customer, one more for each of its parts. */
export function outcomeLines(outcome: Outcome | OperationOutcome<object>): string[] {
  if (!('boarding' in outcome)) return [lineOf(outcome)];
  const { boarding, business, terminal } = outcome;
  return [
    outcome.outcome,
    `  merchant ${lineOf(boarding)}`,
    `  business ${lineOf(business)}`,
    ...(terminal ? [`  terminal ${lineOf(terminal)}`] : []),
  ];
}

export function printOutcome(
  printer: Printer,
  workflowId: string,
  outcome: Outcome | OperationOutcome<object>,
): void {
  const [first, ...parts] = outcomeLines(outcome);
  for (const line of [`${workflowId} ${first}`, ...parts]) printer.line(line);
}

function lineOf(outcome: PartOutcome | OperationOutcome<object>): string {
  const detail = detailOf(outcome);
  return detail ? `${outcome.outcome}: ${detail}` : outcome.outcome;
}

function detailOf(outcome: PartOutcome | OperationOutcome<object>): string {
  if ('problems' in outcome) return problemLines(outcome.problems).join(';').trim();
  if ('mid' in outcome) return `mid ${outcome.mid}`;
  if ('bankingStatus' in outcome) {
    const { profileId, financialAccountId, bankingStatus } = outcome;
    const account = financialAccountId === null ? 'no financial account' : `account ${financialAccountId}`;
    return `profile ${profileId}, ${account}, ${bankingStatus}`;
  }
  if ('terminalId' in outcome) return `${outcome.terminalId} in account ${outcome.accountId}`;
  return 'comment' in outcome ? (outcome.comment ?? '') : '';
}

/** Whether a workflow has ended, with or without an outcome. */
export async function hasEnded(client: Client, workflowId: string): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId).describe();
  return status.name !== 'RUNNING';
}

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
 * Waits for the outcome of a workflow.
 *
 * @param restart how to start it again, for people: `start it again with --again`
 * @throws {EndedWithoutOutcome}
 */
export async function awaitOutcome<Ending>(
  client: Client,
  workflowId: string,
  restart: string,
): Promise<Ending> {
  try {
    return await outcomeOf<Ending>(client, workflowId);
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const adopt = await howToAdopt(client, workflowId);
    const next = adopt === undefined ? restart : `${adopt}; then ${restart}`;
    throw new EndedWithoutOutcome(workflowId, `${reasonOf(error)}; ${next}`, { cause: error });
  }
}

function reasonOf({ cause }: WorkflowFailedError): string {
  if (cause instanceof CancelledFailure) return 'it was cancelled';
  if (cause instanceof TerminatedFailure) return 'it was terminated';
  return `it failed: ${cause?.message}`;
}

/**
 * What keeps a second start of an onboarding from creating a second merchant or profile; undefined for other workflows. The ids
 * come from search attributes, which need no worker.
 */
async function howToAdopt(client: Client, workflowId: string): Promise<string | undefined> {
  const { type } = await client.workflow.getHandle(workflowId).describe();
  const { key: guid = '' } = partsOfId(workflowId) ?? {};
  switch (type) {
    case 'merchantBoarding' satisfies WorkflowType:
      return toAdopt(await idAtPartner(client, [workflowId], 'merchantProfileId'), guid, 'in FILE');
    case 'customerOnboarding' satisfies WorkflowType: {
      const ids = [workflowId, ...Object.values(partIds(workflowId))];
      return toAdopt(await idAtPartner(client, ids, 'merchantProfileId'), guid, 'in "boarding" of FILE');
    }
    case 'businessOnboarding' satisfies WorkflowType: {
      const profile = await idAtPartner(client, [workflowId], 'bankingProfileId');
      const where =
        profile === undefined
          ? 'look for the business at the bank'
          : `banking profile ${profile} exists at the bank`;
      return `${where}: to adopt it, set the "merchantProfileId" of its merchant in FILE`;
    }
    default:
      return undefined;
  }
}

function toAdopt(merchant: string | undefined, guid: string, where: string): string {
  return merchant === undefined
    ? `look for a merchant with guid ${guid} in the partner’s portal: to adopt it, set its "merchantProfileId" ${where}`
    : `merchant ${merchant} exists at the partner: to adopt it, set "merchantProfileId": ${merchant} ${where}`;
}

/** `merchant 1009 stays at the partner`: what remains of an onboarding that a person ends. */
export function staysAtPartner(attributes: TypedSearchAttributes): string {
  const merchant = attributes.get(SEARCH_ATTRIBUTES.merchantProfileId);
  const profile = attributes.get(SEARCH_ATTRIBUTES.bankingProfileId);
  const left = [
    ...(merchant === undefined ? [] : [`merchant ${merchant}`]),
    ...(profile === undefined ? [] : [`banking profile ${profile}`]),
  ].join(' and ');
  return left === '' ? 'what exists at the partner stays there' : `${left} stays at the partner`;
}

/** The first id that one of these workflows has; undefined when none has one yet. */
async function idAtPartner(
  client: Client,
  workflowIds: readonly string[],
  name: 'merchantProfileId' | 'bankingProfileId',
): Promise<string | undefined> {
  for (const workflowId of workflowIds) {
    const id = await client.workflow
      .getHandle(workflowId)
      .describe()
      .then(({ typedSearchAttributes }) => typedSearchAttributes.get(SEARCH_ATTRIBUTES[name]))
      .catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      });
    if (id !== undefined) return id;
  }
  return undefined;
}
