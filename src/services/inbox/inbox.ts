import type { Client } from '@temporalio/client';
import { isSamePerson } from '../../messages/actors.js';
import { atAccount, partsOfId } from '../../messages/ids.js';
import type { ListedRequirement } from '../../messages/list-fields.js';
import { omitUndefined } from '../../messages/objects.js';
import { type AnswerKind, TASKS } from '../../messages/requirements.js';
import { ASKING, ONBOARDINGS } from '../../messages/workflow-types.js';
import { type Filter, type Listed, mostUrgent, pageBy } from '../../temporal/search.js';

/** An open requirement, its onboarding, and the people who handle it. */
export interface InboxItem
  extends Partial<Omit<ListedRequirement, 'claim' | 'proposal'>>,
    Pick<Listed, 'workflowId' | 'taskQueue' | 'dba' | 'system' | 'partnerAccount' | 'stage'> {
  /** The person's task. */
  readonly task: string;
  /** The exact question, which needs a query. */
  readonly title?: string;
  readonly detail?: string;
  readonly answers?: readonly AnswerKind[];
  /** Needs a query too. */
  readonly hasRemark?: boolean;
  readonly overdue: boolean;
  /** The person who has claimed it. */
  readonly claimedBy?: string;
  /** ISO 8601. */
  readonly claimedUntil?: string;
  /** The colleague who assigned it to that person. */
  readonly assignedBy?: string;
  /** The person who proposed an answer that is not confirmed yet. */
  readonly proposedBy?: string;
  /** Identifies the proposal. ISO 8601. */
  readonly proposedAt?: string;
}

/** Reports whether a person has claimed a requirement, or a remark mentions them. */
export function isMine({ claimedBy, mentioned = [] }: InboxItem, actor: string): boolean {
  return [...(claimedBy === undefined ? [] : [claimedBy]), ...mentioned].some((each) =>
    isSamePerson(each, actor),
  );
}

/** Returns the open requirements of a listed workflow. One item without an ID stands for those that the list only counts. */
export function inboxItems(listed: Listed): InboxItem[] {
  const { workflowId, taskQueue, dba, system, partnerAccount, stage, moreRequirements: more } = listed;
  const of = { workflowId, taskQueue, dba, system, partnerAccount, stage };
  const items = listed.requirements.map(({ claim, proposal, ...requirement }) => ({
    ...of,
    ...requirement,
    task: TASKS[requirement.kind],
    overdue: isOverdue(requirement.dueAt),
    ...(claim && omitUndefined({ claimedBy: claim.actor, claimedUntil: claim.until, assignedBy: claim.by })),
    ...(proposal && { proposedBy: proposal.actor, proposedAt: proposal.at }),
  }));
  if (more === 0) return items;
  // The counted requirements are due later than the listed ones.
  const [last] = items.slice(-1);
  const task = `and ${more} more`;
  return [...items, { ...of, task, overdue: false, ...(last && { dueAt: last.dueAt }) }];
}

/** How long a requirement waits, and when it was raised. */
export interface WaitFilter {
  /** In milliseconds. */
  readonly waitingOver?: number | undefined;
  readonly raisedSince?: Date | undefined;
}

/** Reports whether a requirement was raised in this time span. One that the list only counts has no time, and never matches. */
export function isRaisedIn(
  { waitingOver, raisedSince }: WaitFilter,
  { raisedAt }: Pick<InboxItem, 'raisedAt'>,
): boolean {
  const at = Date.parse(raisedAt ?? '');
  return (
    (waitingOver === undefined || at < Date.now() - waitingOver) &&
    (raisedSince === undefined || at >= raisedSince.getTime())
  );
}

/** A place in the list of open requirements: a window of due dates, and the server's page in it. */
export interface WaitingPlace {
  /** ISO 8601: the window begins after this due date. */
  readonly after?: string | undefined;
  /** ISO 8601: the end of the window. Absent for the last window. */
  readonly until?: string | undefined;
  readonly token?: string | undefined;
}

export interface WaitingPage {
  readonly items: readonly InboxItem[];
  /** Undefined on the last page. */
  readonly next: WaitingPlace | undefined;
}

/** The end of the window of a page. */
function endOf(page: WaitingPage | undefined): Date | undefined {
  const end = page?.next?.until ?? page?.next?.after;
  return end === undefined ? undefined : new Date(end);
}

/**
 * Lists open requirements, the first due first. The server does not sort by due date, so each page covers a window of due dates. If
 * a window has several pages, they are in the server's order.
 *
 * @param most the maximum number of onboardings, each with all its requirements
 * @param before the same page from an earlier call
 */
export async function waitingPage(
  client: Client,
  input: Omit<Filter, 'types' | 'actionRequired'>,
  most: number,
  { after, until, token }: WaitingPlace,
  before?: WaitingPage,
): Promise<WaitingPage> {
  const dueAfter = after === undefined ? undefined : new Date(after);
  const wanted: Filter = { ...input, types: ASKING, actionRequired: true, dueAfter };
  const window =
    token === undefined
      ? (await mostUrgent(client, wanted, most, endOf(before))).filter
      : { ...wanted, dueUntil: until === undefined ? wanted.dueUntil : new Date(until) };
  const page = await pageBy(client, window, most, token);
  const end = window === wanted ? until : window.dueUntil?.toISOString();
  const place = page.next === undefined ? end && { after: end } : { after, until: end, token: page.next };
  const items = page.found
    .flatMap(inboxItems)
    .filter(({ kind }) => input.kind === undefined || kind === input.kind);
  return {
    items: items.filter(({ id }) => id !== undefined).sort(compareDueDates),
    next: place || undefined,
  };
}

/**
 * Returns a function that shortens workflow IDs to what every command accepts: the `externalId`, if no other workflow in the list has
 * it in any account.
 */
export function shortIds(workflowIds: readonly string[]): (workflowId: string) => string {
  const idsByWorkflow = new Map(
    workflowIds.map((id) => [id, { ...partsOfId(id), short: shortName(id) ?? id }] as const),
  );
  const keys = [...idsByWorkflow.values()].map(({ key }) => key);
  const isAlone = (key: string | undefined) => keys.indexOf(key) === keys.lastIndexOf(key);
  return (id) => {
    const { key, short = id } = idsByWorkflow.get(id) ?? {};
    return isAlone(key) ? short : id;
  };
}

/** `externalId` or `externalId@account`; undefined for other workflows, or if that name looks like a workflow ID. */
export function shortName(workflowId: string): string | undefined {
  const { type = '', key = '', account } = partsOfId(workflowId) ?? {};
  const name = atAccount(key, account);
  return type in ONBOARDINGS && !partsOfId(name) ? name : undefined;
}

export function compareDueDates({ dueAt: one = '' }: InboxItem, { dueAt: other = '' }: InboxItem): number {
  return one.localeCompare(other);
}

export function isOverdue(dueAt: string): boolean {
  return Date.parse(dueAt) < Date.now();
}

/** Reports whether the first requirement of a workflow is overdue. */
export function isLate({ requirements: [first] }: Pick<Listed, 'requirements'>): boolean {
  return first !== undefined && isOverdue(first.dueAt);
}

/** Returns the first task for a person, and the number of further tasks. */
export function toDo({ state, requirements, moreRequirements }: Listed): string {
  const [first, ...others] = requirements;
  if (!first || state !== 'running') return '';
  const more = others.length + moreRequirements;
  return TASKS[first.kind] + (more > 0 ? ` (${more} more)` : '');
}
