import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { decodeTypedSearchAttributes } from '@temporalio/common/lib/converter/payload-search-attributes.js';
import { optionalTsToDate, requiredTsToDate } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import { CLAIMS_MEMO, type ClaimsMemo } from '../messages/claims.js';
import { partsOfId, systemOf, WORKFLOW_ID_PREFIXES } from '../messages/ids.js';
import {
  dbaForms,
  type ListedRequirement,
  maskedName,
  requirementsIn,
  type StageSeconds,
  searchWords,
  stagesIn,
  withClaims,
} from '../messages/list-fields.js';
import type { Stage } from '../messages/onboarding-state.js';
import type { RequirementKind } from '../messages/requirements.js';
import { SEARCH_ATTRIBUTES, STARTER_MEMO } from '../messages/search-attributes.js';
import { ACCOUNTS, type WorkflowType } from '../messages/workflow-types.js';
import type { SystemName } from '../partners/descriptors.js';
import { decodePayloads, isUnreadablePayload, MisplacedPayload } from './payload-codec.js';
import {
  all,
  type Condition,
  compareField,
  either,
  IS_RUNNING,
  is,
  isIn,
  isNot,
  isNull,
  startsWith,
  typedQuery,
} from './query.js';

const { WorkflowExecutionStatus } = proto.temporal.api.enums.v1;

/** A workflow in a visibility list, read without a worker. */
export interface Listed {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: WorkflowType;
  readonly taskQueue: string;
  /** Without the payload key, the search attribute's value, which may be masked. */
  readonly dba: string | undefined;
  /** The partner; '' for a customer, which has several. */
  readonly system: SystemName | '';
  readonly partnerAccount: string | undefined;
  /** Temporal's status in lower case: `running`, `completed`, `cancelled`, `terminated`, `failed`, `timed_out`. */
  readonly state: string;
  readonly stage: Stage | undefined;
  readonly partnerStatus: string | undefined;
  readonly merchantProfileId: string | undefined;
  readonly mid: string | undefined;
  readonly bankingProfileId: string | undefined;
  readonly agentProfileId: string | undefined;
  /** Open requirements in the search attribute, earliest due date first. Without the payload key, their claims are unknown. */
  readonly requirements: readonly ListedRequirement[];
  readonly moreRequirements: number;
  readonly stageSeconds: StageSeconds;
  readonly startedAt: Date;
  /** The person or program that started it; unknown without the payload key. */
  readonly startedBy: string | undefined;
  readonly endedAt: Date | undefined;
}

export interface Filter {
  readonly types: readonly WorkflowType[];
  readonly stage?: Stage | undefined;
  /** As in the search attribute. A masked value is not unique. */
  readonly dba?: string | undefined;
  readonly find?: string | undefined;
  /** One of these. Default: all. */
  readonly workflowIds?: readonly string[] | undefined;
  readonly partnerStatus?: string | undefined;
  readonly mid?: string | undefined;
  readonly merchantProfileId?: string | undefined;
  readonly system?: SystemName | undefined;
  /** Not the unnamed account. */
  readonly partnerAccount?: string | undefined;
  /** One of these accounts, '' for the unnamed account. Default: all. */
  readonly partnerAccounts?: readonly string[] | undefined;
  readonly agent?: string | undefined;
  readonly kind?: RequirementKind | undefined;
  /** Only workflows that wait for a person. */
  readonly actionRequired?: boolean | undefined;
  readonly running?: boolean | undefined;
  readonly dueAfter?: Date | undefined;
  readonly dueUntil?: Date | undefined;
  readonly startedSince?: Date | undefined;
  readonly startedBefore?: Date | undefined;
  readonly endedSince?: Date | undefined;
  readonly endedBefore?: Date | undefined;
  readonly query?: string | undefined;
}

/** Returns the workflow types that are the keys of a record. */
export function typesOf(kinds: Readonly<Partial<Record<WorkflowType, object>>>): WorkflowType[] {
  return Object.keys(kinds) as WorkflowType[];
}

/** Returns the query of a filter. {@link searchOnboardings} checks `partnerAccounts` again in the result. */
export function visibilityQuery(filter: Filter): Condition {
  const { stage, dba, find, system, partnerAccount, agent, kind, actionRequired, running, query } = filter;
  const { partnerAccounts, dueAfter, dueUntil, startedSince, startedBefore, endedSince, endedBefore } =
    filter;
  const has = (name: keyof typeof SEARCH_ATTRIBUTES, value: string | undefined) =>
    value && is(SEARCH_ATTRIBUTES[name], value);
  const due = SEARCH_ATTRIBUTES.actionDueAt;
  const isAt = (type: WorkflowType) =>
    isAccount(type) || systemOf(`${WORKFLOW_ID_PREFIXES[type]}-`) === system;
  const types = system === undefined ? filter.types : filter.types.filter(isAt);
  return all(
    isIn('WorkflowType', types),
    // The ID of an account's workflow contains its partner.
    ...(system === undefined ? [] : types.filter(isAccount).map((type) => atSystem(type, types, system))),
    filter.workflowIds && isIn('WorkflowId', filter.workflowIds),
    has('stage', stage),
    has('partnerStatus', filter.partnerStatus),
    has('mid', filter.mid),
    has('merchantProfileId', filter.merchantProfileId),
    dba && isIn(SEARCH_ATTRIBUTES.dba, dbaForms(dba)),
    find?.trim() && findable(find.trim(), types),
    has('agentProfileId', agent),
    has('partnerAccount', partnerAccount),
    partnerAccounts && inAccounts(partnerAccounts),
    has('requirements', kind),
    actionRequired && is(SEARCH_ATTRIBUTES.actionRequired, true),
    dueAfter && compareField(due, '>', dueAfter),
    dueUntil && compareField(due, '<=', dueUntil),
    startedSince && compareField('StartTime', '>=', startedSince),
    startedBefore && compareField('StartTime', '<', startedBefore),
    endedSince && compareField('CloseTime', '>=', endedSince),
    endedBefore && compareField('CloseTime', '<', endedBefore),
    (running || actionRequired) && IS_RUNNING,
    query && typedQuery(query),
  );
}

/** The maximum number of characters and words to compare. No name or ID is longer, and `DbaWords` has a name's first words. */
const LONGEST_FIND = 300;
const MAX_WORDS = 7;

/**
 * Matches beginnings of words in the dba, in any case and order, the beginning of an ID, or a complete dba, even a masked one.
 * Compares only digits with the partners' IDs, because those search attributes are the slowest in the visibility store.
 */
function findable(text: string, types: readonly WorkflowType[]): Condition {
  // The server removes quotes around a value, and every value begins with an empty rest.
  const value = text
    .slice(0, LONGEST_FIND)
    .replace(/[\p{Cc}\p{Cs}]+/gu, ' ')
    .replace(/^['\s]+|(?<!['\s])['\s]+$/g, '');
  if (value === '') return isIn('WorkflowId', []);
  const { dba, dbaWords, mid, merchantProfileId, bankingProfileId } = SEARCH_ATTRIBUTES;
  const words = searchWords(value).slice(0, MAX_WORDS);
  const names =
    words.length > 0
      ? [all(...words.map((word) => is(dbaWords, word))), is(dbaWords, maskedName(value))]
      : [isIn(dba, dbaForms(value))];
  const ids = /^\d+$/.test(value) ? [mid, merchantProfileId, bankingProfileId] : [];
  const workflowIds = [value, ...types.map((type) => `${WORKFLOW_ID_PREFIXES[type]}-${value}`)];
  return either(
    ...names,
    ...ids.map((id) => startsWith(id, value)),
    ...workflowIds.map((id) => startsWith('WorkflowId', id)),
  );
}

function inAccounts(accounts: readonly string[]): Condition {
  const { partnerAccount } = SEARCH_ATTRIBUTES;
  const named = accounts.filter(Boolean);
  const conditions = [
    ...(accounts.includes('') ? [isNull(partnerAccount)] : []),
    ...(named.length > 0 ? [isIn(partnerAccount, named)] : []),
  ];
  return conditions.length > 0 ? either(...conditions) : isIn(partnerAccount, []);
}

/**
 * Reports whether a workflow is in one of these accounts, '' for the unnamed account. Both its ID and its search attribute must say
 * so, because it may have been started by hand under another account's ID.
 */
export function isInAccounts(
  { workflowId, partnerAccount }: Pick<Listed, 'workflowId' | 'partnerAccount'>,
  accounts: readonly string[] | undefined,
): boolean {
  if (accounts === undefined) return true;
  const parts = partsOfId(workflowId);
  const own = [parts?.account ?? '', partnerAccount ?? parts?.account ?? ''];
  return parts !== undefined && own.every((account) => accounts.includes(account));
}

function isAccount(type: WorkflowType): boolean {
  return type in ACCOUNTS;
}

function atSystem(type: WorkflowType, types: readonly WorkflowType[], system: SystemName): Condition {
  const own = startsWith('WorkflowId', `${WORKFLOW_ID_PREFIXES[type]}-${system}`);
  return types.length > 1 ? either(isNot('WorkflowType', type), own) : own;
}

export async function count(client: Client, query: string): Promise<number> {
  return (await client.workflow.count(query)).count;
}

/** The maximum page size of the server. */
const PAGE = 1_000;

/** Finds the workflows of a query, newest first. Without the payload key, `dba` comes from the search attribute. */
export async function* listOnboardings(client: Client, query: string, most = Number.POSITIVE_INFINITY) {
  for await (const raw of listExecutions(client, query, most)) yield await listedFrom(client, raw);
}

/** Finds the workflows of a filter, newest first. Never returns workflows outside its `partnerAccounts`. */
export async function* searchOnboardings(
  client: Client,
  filter: Filter,
  most?: number,
): AsyncGenerator<Listed> {
  for await (const onboarding of listOnboardings(client, visibilityQuery(filter), most))
    if (isInAccounts(onboarding, filter.partnerAccounts)) yield onboarding;
}

/**
 * Returns one page of the workflows of a filter, newest first, with one request.
 *
 * @param token the token from the previous page
 * @returns the token of the next page
 */
export async function pageBy(client: Client, filter: Filter, pageSize: number, token = '') {
  const { executions, nextPageToken } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    query: visibilityQuery(filter),
    pageSize,
    ...(token !== '' && { nextPageToken: Buffer.from(token, 'base64url') }),
  });
  const onboardings = await Promise.all(executions.map((raw) => listedFrom(client, raw)));
  return {
    found: onboardings.filter((each) => isInAccounts(each, filter.partnerAccounts)),
    next: nextPageToken?.length ? Buffer.from(nextPageToken).toString('base64url') : undefined,
  };
}

/** A workflow in Temporal's own form. */
export type Raw = temporal.api.workflow.v1.IWorkflowExecutionInfo;

/** Finds the workflows of a query without decrypting anything, with `page` of them in each request. */
export async function* listExecutions(client: Client, query: string, most: number, page = PAGE) {
  const { namespace } = client.options;
  let left = most;
  let nextPageToken: Uint8Array | undefined;
  while (left > 0) {
    const part = await client.workflowService.listWorkflowExecutions({
      namespace,
      query,
      pageSize: Math.min(page, PAGE, left),
      ...(nextPageToken && { nextPageToken }),
    });
    yield* part.executions;
    left -= part.executions.length;
    ({ nextPageToken } = part);
    if (!nextPageToken?.length) return;
  }
}

/** Converts a described workflow to its form in a list. */
export function toListed(client: Client, { raw }: WorkflowExecutionDescription): Promise<Listed> {
  return listedFrom(client, raw.workflowExecutionInfo as Raw);
}

async function listedFrom(client: Client, raw: Raw): Promise<Listed> {
  const { workflowId = '', runId = '' } = raw.execution as { workflowId: string; runId: string };
  const attributes = decodeTypedSearchAttributes(raw.searchAttributes?.indexedFields);
  const text = (name: Exclude<keyof typeof SEARCH_ATTRIBUTES, 'requirements' | 'stageTimes'>) =>
    attributes.get(SEARCH_ATTRIBUTES[name]) as string | undefined;
  const list = (name: 'requirements' | 'stageTimes') =>
    textsOf(raw.searchAttributes?.indexedFields?.[SEARCH_ATTRIBUTES[name].name]);
  const { requirements, more } = requirementsIn(list('requirements'));
  const state = (WorkflowExecutionStatus[raw.status ?? 0] ?? '').replace('WORKFLOW_EXECUTION_STATUS_', '');
  // The complete dba is in the memo.
  const memo = ['dba', CLAIMS_MEMO, STARTER_MEMO].map((field) => inMemo(client, raw, field));
  const [dba, claims, startedBy] = await Promise.all(memo);
  return {
    workflowId,
    runId,
    type: raw.type?.name as WorkflowType,
    taskQueue: raw.taskQueue ?? '',
    dba: typeof dba === 'string' ? dba : text('dba'),
    system: systemOf(workflowId),
    partnerAccount: text('partnerAccount'),
    state: state.replace('CANCELED', 'CANCELLED').toLowerCase(),
    stage: text('stage') as Stage | undefined,
    partnerStatus: text('partnerStatus'),
    merchantProfileId: text('merchantProfileId'),
    mid: text('mid'),
    bankingProfileId: text('bankingProfileId'),
    agentProfileId: text('agentProfileId'),
    requirements: withClaims(requirements, (claims ?? {}) as ClaimsMemo),
    moreRequirements: more,
    stageSeconds: stagesIn(list('stageTimes')),
    startedAt: requiredTsToDate(raw.startTime, 'startTime'),
    startedBy: typeof startedBy === 'string' ? startedBy : undefined,
    endedAt: optionalTsToDate(raw.closeTime),
  };
}

/** The server returns a one-element list as a plain string, which the SDK's decoder drops. */
function textsOf(payload: temporal.api.common.v1.IPayload | undefined): string[] {
  const value: unknown = payload?.data?.length ? JSON.parse(Buffer.from(payload.data).toString()) : [];
  return [value].flat().filter((each) => typeof each === 'string');
}

/** Describes a workflow with its memo, which our client's descriptions lack. */
export async function describeWithMemo(client: Client, workflowId: string): Promise<Raw> {
  const request = { namespace: client.options.namespace, execution: { workflowId } };
  const { workflowExecutionInfo } = await client.workflowService.describeWorkflowExecution(request);
  return workflowExecutionInfo ?? {};
}

/** Returns a field of the encrypted memo; undefined without its key, or if it belongs to another workflow. */
export async function inMemo(client: Client, { execution, memo }: Raw, field: string): Promise<unknown> {
  const payload = memo?.fields?.[field];
  if (!payload) return undefined;
  try {
    const [value] = await decodePayloads(client, [payload], execution?.workflowId ?? '');
    return value;
  } catch (error) {
    if (isUnreadablePayload(error) || error instanceof MisplacedPayload) return undefined;
    throw error;
  }
}

/** The range of due dates to search, in hours from now, as inverse hyperbolic sines: the closer to now, the finer. */
const [LEAST, MOST] = [-90_000, 10_000].map(Math.asinh) as [number, number];

/** Due dates have this precision, in milliseconds. */
const SHARPNESS_MS = 1_000;

/**
 * Narrows a filter to the most urgent workflows. The server sorts only by start time, so this searches for a due date before which
 * at most `most`, and at least half as many, workflows wait for a person. Returns the same filter if no more than `most` wait.
 *
 * @param near a due date from an earlier search, which probably still fits
 * @returns `total` includes workflows that are due later
 */
export async function mostUrgent(client: Client, filter: Filter, most: number, near?: Date) {
  const waiting = (dueUntil = filter.dueUntil) => count(client, visibilityQuery({ ...filter, dueUntil }));
  const total = await waiting();
  if (total <= most) return { filter, total };
  const isEnough = (match: number) => match <= most && match >= most / 2;
  const until = (dueUntil: Date) => ({ filter: { ...filter, dueUntil }, total });
  if (near && isEnough(await waiting(near))) return until(near);
  const now = Date.now();
  const timeAt = (place: number) => new Date(Math.round(now + Math.sinh(place) * 3_600_000));
  let [low, high] = [LEAST, MOST];
  while (timeAt(high).getTime() - timeAt(low).getTime() > SHARPNESS_MS) {
    const middle = (low + high) / 2;
    const match = await waiting(timeAt(middle));
    if (match > most) high = middle;
    else low = middle;
    if (isEnough(match)) break;
  }
  // More than `most` may be due in the same second.
  const isNone = (await waiting(timeAt(low))) === 0;
  return until(timeAt(isNone ? high : low));
}
