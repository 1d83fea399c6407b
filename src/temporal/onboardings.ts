import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { BusinessOnboardingInput } from '../messages/business-onboarding-input.js';
import { PARTS, type Part, partId } from '../messages/customer-onboarding.js';
import type { CustomerOnboardingInput } from '../messages/customer-onboarding-input.js';
import { partsOfId, possibleWorkflowIds, type WorkflowType, workflowId } from '../messages/ids.js';
import type { MerchantBoardingInput } from '../messages/merchant-boarding-input.js';
import { type OnboardingState, stateQuery } from '../messages/onboarding-state.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { LONGEST, shortened } from '../partners/bounds.js';
import { priorityOf, type Urgency } from './priority.js';
import { whyUnreadable } from './unreadable.js';

/** Names something that is not there, or that more than one thing is called. The message is for people. */
export class UnknownOnboarding extends Error {
  override readonly name = 'UnknownOnboarding';
  constructor(
    message: string,
    /** Workflow ids of all that it may mean; empty when nothing of the name is there. */
    readonly mayMean: readonly string[] = [],
  ) {
    super(message);
  }
}

export interface StartOptions {
  readonly taskQueue: string;
  /** Start again although the first one of this id has ended. */
  readonly again?: boolean;
  /** `interactive` unless given. */
  readonly urgency?: Urgency;
}

export interface Started {
  readonly workflowId: string;
  readonly runId: string;
  /** False when it was started before: this is the first one. */
  readonly started: boolean;
}

export function startMerchantBoarding(
  client: Client,
  input: MerchantBoardingInput,
  options: StartOptions,
): Promise<Started> {
  const { externalId, merchant, account } = input;
  const summary = merchant.dba;
  const start = { type: 'merchantBoarding', key: externalId, args: [input], summary, agent: input } as const;
  return startOnce(client, { ...start, account }, options);
}

export function startBusinessOnboarding(
  client: Client,
  input: BusinessOnboardingInput,
  options: StartOptions,
): Promise<Started> {
  const { externalId, holder, account } = input;
  const summary = holder.doingBusinessAsName;
  const start = { type: 'businessOnboarding', key: externalId, args: [input], summary } as const;
  return startOnce(client, { ...start, account }, options);
}

export function startCustomerOnboarding(
  client: Client,
  input: CustomerOnboardingInput,
  options: StartOptions,
): Promise<Started> {
  const { externalId, boarding, account } = input;
  const args = [input, { again: options.again ?? false }];
  const summary = boarding.merchant.dba;
  const start = { type: 'customerOnboarding', key: externalId, args, summary, agent: boarding } as const;
  return startOnce(client, { ...start, account }, options);
}

/** What is to be started, under the id that {@link workflowId} makes of type, key and account. */
export interface Start {
  readonly type: WorkflowType;
  readonly key: string;
  readonly args: readonly unknown[];
  /** One line for the Web UI. */
  readonly summary: string;
  /** Whose it is, where it is an agent's. */
  readonly agent?: Parameters<typeof priorityOf>[1];
  /** The account at the partners; the one without a name unless given. */
  readonly account?: string | undefined;
}

/**
 * Starts a workflow. The same key attaches to the first one, running or ended, so a caller may retry blindly. (The
 * conflict policy is to fail, and the failure is caught here, only to know which of the two it was.)
 */
export async function startOnce(
  client: Client,
  { type, key, args, summary, agent, account }: Start,
  { taskQueue, again = false, urgency = 'interactive' }: StartOptions,
): Promise<Started> {
  const id = workflowId(type, key, account);
  try {
    const { firstExecutionRunId: runId } = await client.workflow.start(type, {
      workflowId: id,
      taskQueue,
      args: [...args],
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
      priority: priorityOf(urgency, agent, account),
      ...newcomer(summary, account),
    });
    return { workflowId: id, runId, started: true };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const { runId } = await client.workflow.getHandle(id).describe();
    return { workflowId: id, runId, started: false };
  }
}

/** What the Web UI and searches see of a workflow before it has run at all. */
export function newcomer(summary: string, account?: string) {
  return {
    staticSummary: shortened(summary, LONGEST.summary),
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.stage, value: 'preparing' },
      { key: SEARCH_ATTRIBUTES.actionRequired, value: false },
      ...(account === undefined ? [] : [{ key: SEARCH_ATTRIBUTES.partnerAccount, value: account }]),
    ],
  };
}

/** The workflow ids of a customer's parts, which may not be there yet. */
export function partIds(customerId: string): Readonly<Record<Part, string>> {
  const { key, account } = partsOfId(customerId) ?? { key: customerId, account: undefined };
  const ids = (Object.keys(PARTS) as Part[]).map((part) => [part, partId(part, key, account)]);
  return Object.fromEntries(ids) as Record<Part, string>;
}

/**
 * Finds an onboarding by workflow id, `externalId` or `externalId@account`, or an operation by workflow id. The onboarding of
 * a customer stands for those of its parts.
 *
 * @param accounts names of the accounts at the partners in which an `externalId` is looked for, beside the one without a name
 * @throws {UnknownOnboarding} when there is none, or when the `externalId` fits several
 */
export async function findOnboarding(
  client: Client,
  given: string,
  accounts: readonly string[],
): Promise<WorkflowExecutionDescription> {
  const ids = possibleWorkflowIds(given, accounts);
  const described = await Promise.all(ids.map((id) => describe(client, id)));
  const there = described.filter((description) => description !== undefined);
  const parts = there.filter(isCustomer).flatMap((customer) => Object.values(partIds(customer.workflowId)));
  const [first, ...more] = there.filter((description) => !parts.includes(description.workflowId));
  const name = JSON.stringify(given);
  if (!first)
    throw new UnknownOnboarding(`there is no ${ids.length > 1 ? 'onboarding' : 'workflow'} ${name}`);
  if (more.length > 0) {
    const mayMean = [first, ...more].map((description) => description.workflowId);
    const message = `${name} may mean ${mayMean.join(', ')}: give the whole workflow id`;
    throw new UnknownOnboarding(message, mayMean);
  }
  return first;
}

function isCustomer({ type }: WorkflowExecutionDescription): boolean {
  return type === ('customerOnboarding' satisfies WorkflowType);
}

async function describe(client: Client, id: string): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.workflow.getHandle(id).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** How long to wait for a worker to answer a query, and to find out why none does. */
const QUERY_TIMEOUT_MS = 10_000;
const REASON_TIMEOUT_MS = 5_000;

/**
 * @param timeoutMs how long a worker may take
 * @throws {UnreadableOnboarding} when no worker answers, or when the answer cannot be read
 */
export async function stateOf(
  client: Client,
  id: string,
  timeoutMs = QUERY_TIMEOUT_MS,
): Promise<OnboardingState> {
  const query = () => client.workflow.getHandle(id).query(stateQuery);
  try {
    return await client.connection.withDeadline(Date.now() + timeoutMs, query);
  } catch (error) {
    const why = () => whyUnreadable(client, id, error);
    throw (await client.connection.withDeadline(Date.now() + REASON_TIMEOUT_MS, why)) ?? error;
  }
}

/** Waits until a workflow has ended, and answers its outcome. */
export function outcomeOf<Outcome>(client: Client, id: string): Promise<Outcome> {
  return client.workflow.getHandle(id).result() as Promise<Outcome>;
}
