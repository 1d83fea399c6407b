import {
  type Client,
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { possibleWorkflowIds, type WorkflowType, workflowId } from '../messages/ids.js';
import type { MerchantBoardingOutcome } from '../messages/merchant-boarding.js';
import type { MerchantBoardingInput } from '../messages/merchant-boarding-input.js';
import { type OnboardingState, stateQuery } from '../messages/onboarding-state.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';

/** Names something that is not there, or that more than one thing is called. The message is for people. */
export class UnknownOnboarding extends Error {
  override readonly name = 'UnknownOnboarding';
}

export interface StartOptions {
  readonly taskQueue: string;
  /** Board again although the first boarding of this `externalId` has ended. */
  readonly again?: boolean;
}

export interface Started {
  readonly workflowId: string;
  readonly runId: string;
  /** False when the same `externalId` was started before: this is the first one. */
  readonly started: boolean;
}

/**
 * Starts a merchant boarding. The same `externalId` attaches to the first one, running or ended, so a caller may
 * retry blindly. (The conflict policy is to fail, and the failure is caught here, only to know which of the two it was.)
 */
export async function startMerchantBoarding(
  client: Client,
  input: MerchantBoardingInput,
  { taskQueue, again = false }: StartOptions,
): Promise<Started> {
  const type: WorkflowType = 'merchantBoarding';
  const id = workflowId(type, input.externalId);
  try {
    const { firstExecutionRunId: runId } = await client.workflow.start(type, {
      workflowId: id,
      taskQueue,
      args: [input],
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
      staticSummary: input.merchant.dba,
      typedSearchAttributes: [
        { key: SEARCH_ATTRIBUTES.stage, value: 'preparing' },
        { key: SEARCH_ATTRIBUTES.actionRequired, value: false },
      ],
    });
    return { workflowId: id, runId, started: true };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const { runId } = await client.workflow.getHandle(id).describe();
    return { workflowId: id, runId, started: false };
  }
}

/**
 * Finds an onboarding by workflow id or `externalId`.
 *
 * @throws {UnknownOnboarding} when there is none, or when the `externalId` fits several
 */
export async function findOnboarding(client: Client, given: string): Promise<WorkflowExecutionDescription> {
  const described = await Promise.all(possibleWorkflowIds(given).map((id) => describe(client, id)));
  const [first, ...more] = described.filter((description) => description !== undefined);
  if (!first) throw new UnknownOnboarding(`there is no onboarding ${JSON.stringify(given)}`);
  if (more.length > 0) {
    const ids = [first, ...more].map((description) => description.workflowId).join(', ');
    throw new UnknownOnboarding(`${JSON.stringify(given)} may mean ${ids}: give the whole workflow id`);
  }
  return first;
}

async function describe(client: Client, id: string): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.workflow.getHandle(id).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** How long to wait for a worker to answer a query. */
const QUERY_TIMEOUT_MS = 10_000;

/** No worker answered a query. The message is for people. */
export class NoWorker extends Error {
  override readonly name = 'NoWorker';
}

/** @throws {NoWorker} when no worker answers */
export async function stateOf(client: Client, id: string): Promise<OnboardingState> {
  const query = () => client.workflow.getHandle(id).query(stateQuery);
  try {
    return await client.connection.withDeadline(Date.now() + QUERY_TIMEOUT_MS, query);
  } catch (error) {
    if (!(error instanceof ServiceError) && !isGrpcServiceError(error)) throw error;
    throw new NoWorker(`no worker answers for ${id}: is one running?`, { cause: error });
  }
}

/** Waits until an onboarding has ended, and answers its outcome. */
export function outcomeOf(client: Client, id: string): Promise<MerchantBoardingOutcome> {
  const handle = client.workflow.getHandle(id) as WorkflowHandle;
  return handle.result() as Promise<MerchantBoardingOutcome>;
}
