import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import pLimit from 'p-limit';
import { ONBOARDINGS, type OnboardingType } from '../messages/ids.js';
import { mergePatch } from '../messages/merge-patch.js';
import { type Resolution, resolveRequirement } from '../messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';

type Event = temporal.api.history.v1.IHistoryEvent;

/** How an onboarding stood when it was backed up. */
export interface BackedUp {
  readonly workflowId: string;
  readonly type: OnboardingType;
  /** As Temporal calls it, in lower case: `running`, `completed`, `cancelled`, `terminated`, `failed`, `timed_out`. */
  readonly status: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly stage?: string;
  readonly merchantProfileId?: number;
  readonly bankingProfileId?: number;
  readonly mid?: string;
  /** With the corrections that were taken. Private. */
  readonly input: object;
}

/** How many histories are read at once. */
const CONCURRENCY = 16;

/** Those that are being read, and those that wait to be written. */
const AHEAD = 64;

/**
 * All onboardings of a task queue that Temporal remembers, each by its last run. Needs no worker: it reads histories.
 *
 * @throws {UnreadablePayload} when a key is missing
 */
export async function* backedUp(client: Client, taskQueue: string): AsyncGenerator<BackedUp> {
  const limit = pLimit(CONCURRENCY);
  const reading: Promise<BackedUp>[] = [];
  for (const run of await lastRuns(client, taskQueue)) {
    const read = limit(() => entryOf(client, run));
    // It is awaited in its turn.
    read.catch(() => undefined);
    reading.push(read);
    if (reading.length >= AHEAD) yield await (reading.shift() as Promise<BackedUp>);
  }
  for (const read of reading) yield await read;
}

type Run = Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'type' | 'startTime'> & {
  readonly status: string;
};

async function lastRuns(client: Client, taskQueue: string): Promise<Run[]> {
  const types = Object.keys(ONBOARDINGS).map((type) => `'${type}'`);
  const query = `WorkflowType IN (${types.join(', ')}) AND TaskQueue = '${taskQueue.replaceAll("'", "''")}'`;
  const last = new Map<string, Run>();
  for await (const { workflowId, runId, type, startTime, status } of client.workflow.list({ query })) {
    const known = last.get(workflowId);
    const isLater = !known || known.startTime < startTime || status.name === 'RUNNING';
    if (isLater)
      last.set(workflowId, { workflowId, runId, type, startTime, status: status.name.toLowerCase() });
  }
  return [...last.values()];
}

async function entryOf(client: Client, run: Run): Promise<BackedUp> {
  const { workflowId, runId, type, startTime, status } = run;
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const history = events ?? [];
  const indexed = indexedIn(history);
  const { stage, merchantProfileId, bankingProfileId, mid } = indexed;
  return {
    workflowId,
    type: type as OnboardingType,
    status,
    startedAt: startTime.toISOString(),
    ...(stage !== undefined && { stage }),
    ...(merchantProfileId !== undefined && { merchantProfileId: Number(merchantProfileId) }),
    ...(bankingProfileId !== undefined && { bankingProfileId: Number(bankingProfileId) }),
    ...(mid !== undefined && { mid }),
    input: await inputIn(client, history),
  };
}

/** The search attributes, as the history has them: the visibility store may lag behind it. */
function indexedIn(history: readonly Event[]): Partial<Record<keyof typeof SEARCH_ATTRIBUTES, string>> {
  const names = Object.entries(SEARCH_ATTRIBUTES);
  const found: Record<string, string> = {};
  for (const event of history) {
    const { searchAttributes } =
      event.workflowExecutionStartedEventAttributes ??
      event.upsertWorkflowSearchAttributesEventAttributes ??
      {};
    for (const [key, { name }] of names) {
      const data = searchAttributes?.indexedFields?.[name]?.data;
      if (!data?.length) continue;
      const value: unknown = JSON.parse(Buffer.from(data).toString());
      const [first] = Array.isArray(value) ? value : [value];
      if (first !== undefined && first !== null) found[key] = String(first);
    }
  }
  return found;
}

/** The input of a run, with the corrections that its workflow took and that nobody took back. */
async function inputIn(client: Client, history: readonly Event[]): Promise<object> {
  const started = history[0]?.workflowExecutionStartedEventAttributes;
  const [input] = await decoded(client, started?.input?.payloads);
  const corrections: Resolution[] = [];
  for (const { requirementId, answer, ...who } of await resolutionsIn(client, history)) {
    const before = corrections.findLastIndex((each) => each.requirementId === requirementId);
    if (answer.kind === 'take-back' && before >= 0) corrections.splice(before, 1);
    if (answer.kind === 'correction') corrections.push({ requirementId, answer, ...who });
  }
  return corrections.reduce<object>(
    (corrected, { answer }) =>
      answer.kind === 'correction' ? mergePatch(corrected, answer.patch) : corrected,
    input as object,
  );
}

/** The answers that were taken, in order. */
async function resolutionsIn(client: Client, history: readonly Event[]): Promise<Resolution[]> {
  const taken = new Set(
    history.flatMap(({ workflowExecutionUpdateCompletedEventAttributes: completed }) =>
      completed?.outcome?.success ? [completed.meta?.updateId] : [],
    ),
  );
  const accepted = history.flatMap(({ workflowExecutionUpdateAcceptedEventAttributes: update }) => {
    const { input, meta } = update?.acceptedRequest ?? {};
    const isAnswer = input?.name === resolveRequirement.name && taken.has(meta?.updateId);
    return isAnswer ? [input?.args?.payloads] : [];
  });
  const all = await Promise.all(accepted.map((payloads) => decoded(client, payloads)));
  return all.map(([resolution]) => resolution as Resolution);
}

function decoded(client: Client, payloads: readonly Payload[] | null | undefined): Promise<unknown[]> {
  return decodeArrayFromPayloads(client.options.loadedDataConverter, payloads && [...payloads]);
}
