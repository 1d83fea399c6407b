import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { status } from '@grpc/grpc-js';
import {
  type Client,
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Priority } from '@temporalio/common';
import type { z } from 'zod';
import type { OperationOutcome } from '../messages/banking-activities.js';
import {
  type OnboardingType,
  partsOfId,
  possibleWorkflowIds,
  type WorkflowType,
  workflowId,
} from '../messages/ids.js';
import {
  type BusinessOnboardingInput,
  businessOnboardingInput,
  type CustomerOnboardingInput,
  customerOnboardingInput,
  type KnownAccounts,
  type MerchantBoardingInput,
  merchantBoardingInput,
} from '../messages/inputs.js';
import { type OnboardingState, stateQuery } from '../messages/onboarding-state.js';
import { PARTS, type Part, partId } from '../messages/onboardings.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { LONGEST, shortened } from '../partners/bounds.js';
import { isUnreadable, whyUnreadable } from './unreadable.js';

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

/** What people and events start. A terminal comes with its customer. */
export type StartableType = Exclude<OnboardingType, 'terminalProvisioning'>;

/** A kind of onboarding: what is asked for, and how it is started. */
export interface Kind<Input> {
  /** Name of the command that starts one from a file. */
  readonly command: string;
  readonly type: StartableType;
  /** Every rule of the input. */
  readonly schema: (known: KnownAccounts) => z.ZodType<Input>;
  readonly start: (client: Client, input: Input, options: StartOptions) => Promise<Started>;
}

export const MERCHANT: Kind<MerchantBoardingInput> = {
  command: 'board',
  type: 'merchantBoarding',
  schema: merchantBoardingInput,
  start: startMerchantBoarding,
};

export const BUSINESS: Kind<BusinessOnboardingInput> = {
  command: 'onboard-business',
  type: 'businessOnboarding',
  schema: businessOnboardingInput,
  start: startBusinessOnboarding,
};

export const CUSTOMER: Kind<CustomerOnboardingInput> = {
  command: 'onboard',
  type: 'customerOnboarding',
  schema: customerOnboardingInput,
  start: startCustomerOnboarding,
};

/**
 * Starts a single operation, or attaches to the one of the same key that runs or was done. One that was
 * rejected did nothing, so the same key tries anew. One that an operator gave up, or stopped, may have done
 * something, so that needs `again`.
 */
export async function startOperation(client: Client, start: Start, options: StartOptions): Promise<Started> {
  const first = await startOnce(client, start, options);
  if (first.started || !(await wasRejected(client, first.workflowId))) return first;
  return startOnce(client, start, { ...options, again: true });
}

async function wasRejected(client: Client, workflowId: string): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId).describe();
  if (status.name !== 'COMPLETED') return false;
  const { outcome } = await outcomeOf<OperationOutcome>(client, workflowId);
  return outcome === 'rejected';
}

/** Who waits for an onboarding: a person or a program that asked for this one, or nobody in particular. */
export type Urgency = 'interactive' | 'batch';

/** Of 1 to 5, the lowest first; 3 is what Temporal takes for those that have none. */
const PRIORITY_KEYS: Readonly<Record<Urgency, number>> = { interactive: 3, batch: 4 };

/**
 * The order among tasks that wait, which an onboarding hands on to its activities and child workflows: the urgent ones
 * first, and among equals the agents by turns, so that one's ten thousand rows are in nobody's way.
 *
 * @param agent whose onboarding it is; Temporal shows the key in the clear, so a name is told by its hash
 */
export function priorityOf(
  urgency: Urgency,
  agent: Pick<MerchantBoardingInput, 'agentProfileId' | 'agent'> = {},
  account?: string,
): Priority {
  // Agents of two accounts may have the same id.
  const fairnessKey = [account, fairnessKeyOf(agent)].filter((key) => key !== undefined).join('-');
  return { priorityKey: PRIORITY_KEYS[urgency], ...(fairnessKey !== '' && { fairnessKey }) };
}

function fairnessKeyOf({ agentProfileId, agent }: Parameters<typeof priorityOf>[1] & object) {
  if (agentProfileId !== undefined) return `agent-${agentProfileId}`;
  if (agent === undefined) return undefined;
  return `agent-${createHash('sha256').update(agent).digest('hex').slice(0, 16)}`;
}

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

/**
 * Compares an input with the one that a workflow was first started with, before any correction.
 *
 * @returns dotted names of the fields that differ; none when both are the same. `undefined` when the first input cannot be
 * read any more: its history is gone, or its key is not among ours
 */
export async function differenceFromStart(
  client: Client,
  workflowId: string,
  input: unknown,
): Promise<string[] | undefined> {
  try {
    return differingFields(await firstInput(client, workflowId), JSON.parse(JSON.stringify(input)));
  } catch (error) {
    // A history is deleted when its run ended longer ago than the namespace's retention.
    if (isUnreadable(error) || (isGrpcServiceError(error) && error.code === status.NOT_FOUND))
      return undefined;
    throw error;
  }
}

async function firstInput(client: Client, workflowId: string): Promise<unknown> {
  const { raw, runId } = await client.workflow.getHandle(workflowId).describe();
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId: raw.workflowExecutionInfo?.firstRunId || runId },
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  const { payloadConverter, payloadCodecs } = client.options.loadedDataConverter;
  let payloads = started?.input?.payloads ?? [];
  for (const codec of payloadCodecs) payloads = await codec.decode(payloads);
  const [first] = payloads;
  return first && payloadConverter.fromPayload(first);
}

/** Of two values as JSON has them. */
export function differingFields(one: unknown, other: unknown, path = ''): string[] {
  if (isDeepStrictEqual(one, other)) return [];
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return [path];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) =>
    differingFields(one[name], other[name], path === '' ? name : `${path}.${name}`),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
