import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import pLimit from 'p-limit';
import { z } from 'zod';
import { partsOfId } from '../messages/ids.js';
import { type CustomerOnboardingInput, partnerId } from '../messages/inputs.js';
import type { DbaForm } from '../messages/list-fields.js';
import { mergePatch, omitUndefined } from '../messages/objects.js';
import { findCarriedHistory } from '../messages/onboarding-state.js';
import type { EndedPart, EndedParts } from '../messages/onboardings.js';
import type { Resolved } from '../messages/requirements.js';
import { initialVisibility, SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { ONBOARDINGS, type OnboardingType, TYPES_WITH_PARTS } from '../messages/workflow-types.js';
import { partIds } from './find-onboarding.js';
import { answersIn, argumentsOf, type Event, type Run as History, indexedChangesIn } from './history.js';
import type { AnyInput } from './kinds/define-kind.js';
import { KINDS } from './kinds/kinds.js';
import { all, is, isIn } from './query.js';
import { type Listed, listOnboardings } from './search.js';
import { priorityOf } from './start.js';

/** The state of an onboarding in a backup, without its input. */
export const backedUpFacts = z.object({
  workflowId: z.string().min(1),
  type: z.enum(Object.keys(ONBOARDINGS) as OnboardingType[]),
  /** Temporal's status in lower case: `running`, `completed`, `cancelled`, `terminated`, `failed`, `timed_out`. */
  status: z.string().regex(/^[a-z_]*$/, 'must be a status of Temporal'),
  startedAt: z.iso.datetime(),
  stage: z.string().optional(),
  merchantProfileId: partnerId.optional(),
  bankingProfileId: partnerId.optional(),
  mid: z.string().optional(),
});

export interface BackedUp extends z.output<typeof backedUpFacts> {
  readonly input: object;
  /** For a customer: the parts that are not restored. Set by {@link sortEntries}. */
  readonly ended?: EndedParts;
}

/** The maximum number of onboardings in memory, being read or waiting to be written. */
const AHEAD = 64;

/**
 * Yields all onboardings of a task queue within Temporal's retention, each from its last run. Reads histories, so it needs no
 * worker.
 *
 * @throws {UnreadablePayload} if a key is missing
 */
export async function* backUpOnboardings(client: Client, taskQueue: string): AsyncGenerator<BackedUp> {
  const limit = pLimit(16);
  const reading: Promise<BackedUp>[] = [];
  for (const run of await lastRuns(client, taskQueue)) {
    const read = limit(() => entryOf(client, run));
    // Awaited below, in order.
    read.catch(() => undefined);
    reading.push(read);
    if (reading.length >= AHEAD) yield await (reading.shift() as Promise<BackedUp>);
  }
  for (const read of reading) yield await read;
}

type Run = Pick<Listed, 'workflowId' | 'runId' | 'type' | 'startedAt' | 'state'>;

async function lastRuns(client: Client, taskQueue: string): Promise<Run[]> {
  const query = all(isIn('WorkflowType', Object.keys(ONBOARDINGS)), is('TaskQueue', taskQueue));
  const last = new Map<string, Run>();
  for await (const run of listOnboardings(client, query)) {
    const previous = last.get(run.workflowId);
    const after = previous ? run.startedAt.getTime() - previous.startedAt.getTime() : 1;
    // Visibility may still list an earlier run as running.
    if (after > 0 || (after === 0 && run.state === 'running')) last.set(run.workflowId, run);
  }
  return [...last.values()];
}

const number = (text: string | undefined) => (text === undefined ? undefined : Number(text));

async function entryOf(client: Client, run: Run): Promise<BackedUp> {
  const { workflowId, runId, type, startedAt, state: status } = run;
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const history = events ?? [];
  const indexed = indexedIn(history);
  const { stage, merchantProfileId, bankingProfileId, mid } = indexed;
  return {
    workflowId,
    type: type as OnboardingType,
    status,
    startedAt: startedAt.toISOString(),
    ...omitUndefined({ stage, mid, merchantProfileId: number(merchantProfileId) }),
    ...omitUndefined({ bankingProfileId: number(bankingProfileId) }),
    input: await inputIn(client, { workflowId, runId, events: history }),
  };
}

/** Reads the search attributes from the history, because the visibility store may lag behind. */
function indexedIn(history: readonly Event[]): Partial<Record<keyof typeof SEARCH_ATTRIBUTES, string>> {
  const names = Object.entries(SEARCH_ATTRIBUTES);
  const attributes: Record<string, string> = {};
  for (const { values } of indexedChangesIn(history)) {
    for (const [key, { name }] of names) {
      const value = values[name];
      const [first] = Array.isArray(value) ? value : [value];
      if (first !== undefined && first !== null) attributes[key] = String(first);
    }
  }
  return attributes;
}

/**
 * Returns a run's input, with the accepted corrections that were not taken back. The previous run may have accepted some without
 * applying them.
 */
async function inputIn(client: Client, run: History): Promise<object> {
  const [input, ...args] = (await argumentsOf(client, run)) as [object, ...unknown[]];
  const entries = findCarriedHistory(args)?.requirements.entries ?? [];
  const before = entries.flatMap(({ progress }) => progress.resolution ?? []);
  const corrections: { readonly requirementId: string; readonly patch: Readonly<Record<string, unknown>> }[] =
    [];
  for (const { requirementId, answer } of [...before, ...(await answersIn(client, run))]) {
    const last = corrections.findLastIndex((each) => each.requirementId === requirementId);
    if (answer.kind === 'take-back' && last >= 0) corrections.splice(last, 1);
    if (answer.kind === 'correction') corrections.push({ requirementId, patch: answer.patch });
  }
  return corrections.reduce((corrected, { patch }) => mergePatch(corrected, patch), input);
}

/**
 * The result of restoring an entry of a backup. `imports`: started, and imports its record at the partner. `asks`: started, but the
 * backup names no record, so it searches the bank for a business, and asks a person to look before it creates anything. `there`:
 * Temporal still has it. `skipped`: it was canceled, was terminated, or failed.
 */
export type Restoring = 'imports' | 'asks' | 'there' | 'skipped';

export interface RestoreOptions {
  readonly taskQueue: string;
  readonly dbaForm: DbaForm;
  readonly backedUpAt: string;
  readonly dryRun?: boolean | undefined;
  /** The person who restores. */
  readonly actor?: string | undefined;
}

/**
 * Sorts entries in start order: a customer's parts come before the customer, which attaches to them instead of starting them again.
 * Adds a customer's missing merchant, which may have started since the backup, or been deleted by Temporal. The customer itself
 * starts a missing business, because it knows of the restore. Tells a customer which parts have ended and are not restored, so it
 * does not start them again.
 */
export function sortEntries(entries: readonly BackedUp[]): BackedUp[] {
  const ids = new Set(entries.map(({ workflowId }) => workflowId));
  const unstarted = entries.flatMap((entry): BackedUp[] => {
    if (entry.type !== 'customerOnboarding' || !isRestored(entry)) return [];
    const { boarding: workflowId } = partIds(entry.workflowId);
    if (ids.has(workflowId)) return [];
    const { boarding, fourEyes } = entry.input as CustomerOnboardingInput & Resolved;
    const { startedAt, merchantProfileId, mid } = entry;
    const externalId = partsOfId(entry.workflowId)?.key ?? entry.workflowId;
    const input = { externalId, ...omitUndefined({ fourEyes }), ...boarding };
    const current = omitUndefined({ merchantProfileId, mid });
    return [{ workflowId, type: 'merchantBoarding', status: 'running', startedAt, ...current, input }];
  });
  const isCustomer = ({ type }: BackedUp) => TYPES_WITH_PARTS.includes(type);
  const skipped = new Map(
    entries.filter((entry) => !isRestored(entry)).map((entry) => [entry.workflowId, entry] as const),
  );
  const customers = entries.filter(isCustomer).map((entry): BackedUp => {
    const ended = endedParts(entry, skipped);
    return Object.keys(ended).length === 0 ? entry : { ...entry, ended };
  });
  return [...entries.filter((entry) => !isCustomer(entry)), ...unstarted, ...customers];
}

function endedParts({ workflowId }: BackedUp, skipped: ReadonlyMap<string, BackedUp>): EndedParts {
  const parts = Object.entries(partIds(workflowId)).map(([part, id]) => {
    const entry = skipped.get(id);
    return [part, entry && endedPart(entry)] as const;
  });
  return omitUndefined(Object.fromEntries(parts));
}

/** A failed part counts as `cancelled`, because it failed before this run of the customer. */
function endedPart({ type, status, stage, merchantProfileId, bankingProfileId, mid }: BackedUp): EndedPart {
  const facts = omitUndefined({ merchantProfileId, profileId: bankingProfileId, mid });
  if (stage === 'abandoned') {
    const { profileId } = facts;
    const left = omitUndefined(type === 'merchantBoarding' ? { merchantProfileId } : { profileId });
    return { facts, end: { how: 'completed', outcome: { outcome: 'abandoned', comment: null, ...left } } };
  }
  const how = status === 'terminated' ? status : status === 'timed_out' ? 'timed out' : 'cancelled';
  return { facts, end: { how } };
}

export async function restore(
  client: Client,
  entry: BackedUp,
  { taskQueue, dbaForm, backedUpAt, dryRun = false, actor }: RestoreOptions,
): Promise<Restoring> {
  const { workflowId, type } = entry;
  const input = entry.input as AnyInput;
  if (!isRestored(entry)) return 'skipped';
  const account = partsOfId(workflowId)?.account;
  // Keeps T5.
  const { args, isKnown } = KINDS[type].restart(input, entry, { backedUpAt });
  const { dba, agent } = KINDS[type].about(input);
  const restoring = isKnown ? 'imports' : 'asks';
  if (dryRun) return restoring;
  try {
    await client.workflow.start(type, {
      workflowId,
      taskQueue,
      args,
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      priority: priorityOf('batch', agent, account),
      ...initialVisibility(type, { dba, account, dbaForm, actor }),
    });
    return restoring;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'there';
    throw error;
  }
}

/** Reports whether to restore an onboarding: it was running or continued as new, or a partner had decided. */
export function isRestored({ status, stage }: BackedUp): boolean {
  return ['running', 'continued_as_new', 'completed'].includes(status) && !isGivenUp(stage);
}

/** Reports whether an operator has ended an onboarding, or is ending it. */
export function isGivenUp(stage: string | undefined): boolean {
  return stage === 'abandoned' || stage === 'cancelled';
}
