import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { QueryDefinition } from '@temporalio/common';
import { type Correctable, inputQuery } from '../messages/activities.js';
import { proposedAnswer } from '../messages/claims.js';
import { isCustomer, partsOfId, possibleWorkflowIds, splitAccount } from '../messages/ids.js';
import { type OnboardingState, stateQuery } from '../messages/onboarding-state.js';
import { PARTS, type Part, partId } from '../messages/onboardings.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { BATCHES, ONBOARDINGS } from '../messages/workflow-types.js';
import { redact } from '../platform/privacy/masked.js';
import { didYouMean } from '../platform/settings/did-you-mean.js';
import { all, type Condition, either, is, isIn, isNull } from './query.js';
import { isInAccounts, listOnboardings, toListed, typesOf, visibilityQuery } from './search.js';
import { TemporalProblem, undefinedIfMissing } from './unavailable.js';
import { UnreadableOnboarding, whyUnreadable } from './unreadable.js';

/** Thrown if no onboarding, or more than one, has a name. */
export class UnknownOnboarding extends TemporalProblem {
  override readonly name = 'UnknownOnboarding';
  constructor(
    message: string,
    /** The IDs of all workflows with the name; empty if there is none. */
    readonly mayMean: readonly string[] = [],
  ) {
    super(message);
  }
}

export function partIds(customerId: string): Readonly<Record<Part, string>> {
  const { key, account } = partsOfId(customerId) ?? { key: customerId, account: undefined };
  const ids = (Object.keys(PARTS) as Part[]).map((part) => [part, partId(part, key, account)]);
  return Object.fromEntries(ids) as Record<Part, string>;
}

/**
 * Finds an onboarding by workflow ID, `externalId` or `externalId@account`, or an operation by workflow ID. If a customer and its
 * parts share the `externalId`, returns the customer.
 *
 * @param accounts names of the partner accounts in which to look for an `externalId`, besides the unnamed account
 * @throws {UnknownOnboarding} if none or several have the `externalId`
 */
export async function findOnboarding(client: Client, id: string, accounts: readonly string[]) {
  const execution = await onlyOne(client, id, possibleWorkflowIds(id, accounts));
  if (execution) return execution;
  const what = partsOfId(id) ? 'workflow' : 'onboarding';
  throw new UnknownOnboarding(`there is no ${what} ${JSON.stringify(id)}`);
}

/**
 * Like {@link findOnboarding}, for people: also accepts a unique mid, merchant ID, banking profile ID or dba, and suggests the
 * closest names in the error.
 *
 * @throws {UnknownOnboarding} as {@link findOnboarding}, or if a number is one onboarding's `externalId` and another's ID at the
 *   partner
 */
export async function findNamedOnboarding(client: Client, id: string, accounts: readonly string[]) {
  if (partsOfId(id)) return findOnboarding(client, id, accounts);
  const ids = [...possibleWorkflowIds(id, accounts), ...(await withPartnerId(client, id))];
  const execution =
    (await onlyOne(client, id, [...new Set(ids)])) ?? (await onlyOne(client, id, await idsOfDba(client, id)));
  if (!execution) throw await unknown(client, id);
  return execution;
}

/** Returns the only workflow that exists; undefined if there is none. @throws {UnknownOnboarding} if there are several */
async function onlyOne(client: Client, id: string, ids: readonly string[]) {
  const described = await Promise.all(ids.map((id) => describe(client, id)));
  const descriptions = described.filter((description) => description !== undefined);
  const customers = descriptions.map((description) => description.workflowId).filter(isCustomer);
  const parts = customers.flatMap((customer) => Object.values(partIds(customer)));
  const [first, ...more] = descriptions.filter((description) => !parts.includes(description.workflowId));
  if (!first || more.length === 0) return first;
  const mayMean = [first, ...more].map((description) => description.workflowId);
  const message = `${JSON.stringify(id)} may mean ${mayMean.join(', ')}: give the whole workflow id`;
  throw new UnknownOnboarding(message, mayMean);
}

/** Finds the onboardings to which a partner gave this number, or `number@account`. */
async function withPartnerId(client: Client, value: string): Promise<string[]> {
  const { key, account } = splitAccount(value);
  if (!/^\d+$/.test(key)) return [];
  const { mid, merchantProfileId, bankingProfileId, partnerAccount } = SEARCH_ATTRIBUTES;
  const query = all(
    isIn('WorkflowType', typesOf(ONBOARDINGS)),
    either(...[mid, merchantProfileId, bankingProfileId].map((id) => is(id, key))),
    account !== undefined && is(partnerAccount, account),
  );
  const ids: string[] = [];
  for await (const { workflowId } of listOnboardings(client, query, MAX_SIMILAR)) ids.push(workflowId);
  return ids;
}

const MAX_OF_A_DBA = 1_000;

async function idsOfDba(client: Client, dba: string): Promise<string[]> {
  const query = visibilityQuery({ types: typesOf(ONBOARDINGS), dba });
  const ids = new Set<string>();
  for await (const onboardings of listOnboardings(client, query, MAX_OF_A_DBA))
    if (onboardings.dba === dba) ids.add(onboardings.workflowId);
  return [...ids];
}

const MAX_SIMILAR = 200;

async function unknown(client: Client, id: string): Promise<UnknownOnboarding> {
  const names: string[] = [];
  for await (const { workflowId, dba } of listOnboardings(
    client,
    visibilityQuery({ types: typesOf(ONBOARDINGS) }),
    MAX_SIMILAR,
  ))
    names.push(workflowId, partsOfId(workflowId)?.key ?? workflowId, ...(dba === undefined ? [] : [dba]));
  const next = didYouMean(id, names) || beginning(id, names) || '; "gangway list" shows all';
  return new UnknownOnboarding(`there is no onboarding with id, mid or dba ${JSON.stringify(id)}${next}`);
}

/** Returns `; did you mean Willow Street Yoga [notes]?` for `Willow`, or '' if no name begins with it. */
function beginning(prefix: string, names: readonly string[]): string {
  const ids = names.filter((name) => name.toLowerCase().startsWith(prefix.toLowerCase()));
  const some = [...new Set(ids)].slice(0, 3);
  return some.length === 0 ? '' : `; did you mean ${some.join(' or ')}?`;
}

export function describe(client: Client, workflowId: string) {
  return undefinedIfMissing(client.workflow.getHandle(workflowId).describe());
}

// Keeps D1.
/**
 * Reports whether people with these accounts may see a workflow, whether or not it exists, from the account in its ID. A batch's ID
 * has none, so nobody sees a batch here.
 *
 * @param accounts '' for the unnamed account; undefined for all accounts
 */
export function isInSomeAccount(workflowId: string, accounts: readonly string[] | undefined): boolean {
  const parts = partsOfId(workflowId);
  if (parts === undefined || parts.type in BATCHES) return false;
  return accounts === undefined || accounts.includes(parts.account ?? '');
}

/**
 * Describes the onboarding, operation or partner account with a workflow ID. Returns undefined if it does not exist or, without
 * asking Temporal, if it is not in these accounts.
 */
export async function describeWithin(client: Client, id: string, accounts: readonly string[] | undefined) {
  const description = isInSomeAccount(id, accounts) ? await describe(client, id) : undefined;
  const partnerAccount = description?.typedSearchAttributes.get(SEARCH_ATTRIBUTES.partnerAccount);
  return isInAccounts({ workflowId: id, partnerAccount }, accounts) ? description : undefined;
}

/**
 * Requests the cancellation of a workflow. Temporal stores the reason in plain text, so it is masked.
 *
 * @returns false if the workflow has ended
 */
export async function requestCancellation(client: Client, workflowId: string, reason = ''): Promise<boolean> {
  const { namespace, identity } = client.options;
  const request = { namespace, identity, requestId: randomUUID(), workflowExecution: { workflowId } };
  // The SDK's own `cancel` accepts no reason.
  const why = { ...request, reason: redact(reason, 'log') };
  // The server accepts a second request for a workflow that is already canceled.
  const ended = (await client.workflow.getHandle(workflowId).describe()).status.name !== 'RUNNING';
  return (
    !ended &&
    (await undefinedIfMissing(client.workflowService.requestCancelWorkflowExecution(why))) !== undefined
  );
}

/** The time limit for a worker to respond to a query, and for Temporal to report why none does, in milliseconds. */
const QUERY_TIMEOUT_MS = 10_000;
const REASON_TIMEOUT_MS = 5_000;

/**
 * Queries the state of an onboarding. The first query waits up to 10 s for the worker that last ran the workflow, which may be
 * gone. If other workers poll, a second query follows.
 *
 * @param timeoutMs the time limit of each query
 * @throws {UnreadableOnboarding} if no worker responds, or the response is unreadable
 * @example queryState(client, 'merchant-boarding-m-1')
 */
export function queryState(
  client: Client,
  id: string,
  timeoutMs = QUERY_TIMEOUT_MS,
): Promise<OnboardingState> {
  return ask(client, id, stateQuery, timeoutMs);
}

/**
 * Returns the current input of an onboarding, including private values.
 *
 * @throws {UnreadableOnboarding} as {@link queryState}
 */
export function inputOf(client: Client, id: string): Promise<Correctable> {
  return ask(client, id, inputQuery, QUERY_TIMEOUT_MS);
}

/**
 * Returns the proposed answer of a requirement, including private values; null if there is none.
 *
 * @throws {UnreadableOnboarding} as {@link queryState}
 */
export function proposedAnswerOf(client: Client, id: string, requirementId: string) {
  return ask(client, id, proposedAnswer, QUERY_TIMEOUT_MS, requirementId);
}

async function ask<Result, Args extends [string?]>(
  client: Client,
  id: string,
  definition: QueryDefinition<Result, Args>,
  timeoutMs: number,
  ...args: Args
): Promise<Result> {
  const query = () =>
    client.withDeadline(Date.now() + timeoutMs, () =>
      client.workflow.getHandle(id).query(definition, ...args),
    );
  const explained = async (error: unknown) => {
    const why = () => whyUnreadable(client, id, error);
    return (await client.withDeadline(Date.now() + REASON_TIMEOUT_MS, why)) ?? error;
  };
  return query().catch(async (error: unknown) => {
    const why = await explained(error);
    if (!(why instanceof UnreadableOnboarding && why.obstacle === 'no-response')) throw why;
    return query().catch(async (again: unknown) => {
      throw await explained(again);
    });
  });
}

export function waitForResult<Outcome>(client: Client, id: string): Promise<Outcome> {
  return client.workflow.getHandle(id).result() as Promise<Outcome>;
}

/** The banking profiles of one account to search for. */
export interface Followed {
  readonly ids: readonly number[];
  /** The workflows' task queue. Another task queue has different accounts, even under the same names. */
  readonly taskQueue: string;
  readonly partnerAccount: string | undefined;
}

/** Returns the profiles that running onboardings show to people. Temporal's visibility store may lag behind. */
export async function shownProfiles(client: Client, followed: Followed): Promise<Set<number>> {
  const { ids, taskQueue, partnerAccount } = followed;
  if (ids.length === 0) return new Set();
  const query = all(
    is('WorkflowType', 'businessOnboarding'),
    isIn(SEARCH_ATTRIBUTES.bankingProfileId, ids.map(String)),
    ofAccount(taskQueue, partnerAccount),
  );
  // A workflow may have several runs. After a continue-as-new, the next run may not be listed yet.
  const last = new Map<string, { readonly id: number; readonly isRunning: boolean }>();
  for await (const { workflowId, state, bankingProfileId } of listOnboardings(client, query)) {
    const isRunning = state === 'running' || state === 'continued_as_new';
    if (state === 'running' || !last.has(workflowId))
      last.set(workflowId, { id: Number(bankingProfileId), isRunning });
  }
  return new Set([...last.values()].flatMap(({ id, isRunning }) => (isRunning ? [id] : [])));
}

/** Returns the dba of a workflow, which may be masked; undefined if unreadable. */
export async function dbaOf(client: Client, workflowId: string): Promise<string | undefined> {
  const execution = await describe(client, workflowId);
  return execution && (await toListed(client, execution)).dba;
}

/** Returns the query condition for the workflows of a task queue in one partner account. */
export function ofAccount(taskQueue: string, account: string | undefined): Condition {
  const { partnerAccount } = SEARCH_ATTRIBUTES;
  return all(
    is('TaskQueue', taskQueue),
    account === undefined ? isNull(partnerAccount) : is(partnerAccount, account),
  );
}
