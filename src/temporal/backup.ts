import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionInfo,
} from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import pLimit from 'p-limit';
import { ONBOARDINGS, type OnboardingType, partsOfId } from '../messages/ids.js';
import type {
  BusinessOnboardingInput,
  CustomerOnboardingInput,
  MerchantBoardingInput,
  TerminalProvisioningInput,
} from '../messages/inputs.js';
import { mergePatch } from '../messages/objects.js';
import { partId, type Restored } from '../messages/onboardings.js';
import { type Resolution, resolveRequirement } from '../messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { newcomer, priorityOf } from './onboardings.js';

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

/**
 * What became of an entry of a backup. `adopts`: started with what it has at its partner. `looks`: started, and nothing was known
 * of it at a partner; it looks there, and asks a person before it creates anything. `there`: it is known to Temporal.
 * `skipped`: somebody ended it, or it failed.
 */
export type Restoring = 'adopts' | 'looks' | 'there' | 'skipped';

export interface RestoreOptions {
  readonly taskQueue: string;
  /** When the backup was made. ISO 8601. */
  readonly backedUpAt: string;
  /** Starts nothing. */
  readonly dryRun?: boolean | undefined;
}

/**
 * In the order in which they are started: the parts of a customer before it, which then waits for them instead of starting
 * them anew. Its merchant is among them also when it had not begun, because it may have since.
 */
export function inOrder(entries: readonly BackedUp[]): BackedUp[] {
  const known = new Set(entries.map(({ workflowId }) => workflowId));
  const unbegun = entries.flatMap((entry): BackedUp[] => {
    if (entry.type !== 'customerOnboarding' || isEndedBySomebody(entry)) return [];
    const { key, account } = partsOfId(entry.workflowId) ?? { key: entry.workflowId, account: undefined };
    const workflowId = partId('boarding', key, account);
    if (known.has(workflowId)) return [];
    const { boarding } = entry.input as CustomerOnboardingInput;
    const { startedAt } = entry;
    const input = { externalId: key, ...boarding };
    return [{ workflowId, type: 'merchantBoarding', status: 'running', startedAt, input }];
  });
  const isCustomer = ({ type }: BackedUp) => type === 'customerOnboarding';
  return [...entries.filter((entry) => !isCustomer(entry)), ...unbegun, ...entries.filter(isCustomer)];
}

/** Starts an onboarding again. Nothing is written at a partner by it: what it had there is adopted. */
export async function restore(
  client: Client,
  entry: BackedUp,
  { taskQueue, backedUpAt, dryRun = false }: RestoreOptions,
): Promise<Restoring> {
  const { workflowId, type } = entry;
  if (isEndedBySomebody(entry)) return 'skipped';
  const account = partsOfId(workflowId)?.account;
  const { args, summary, agent, isKnown } = startOf(entry, { backedUpAt });
  const restoring = isKnown ? 'adopts' : 'looks';
  if (dryRun) return restoring;
  try {
    await client.workflow.start(type, {
      workflowId,
      taskQueue,
      args,
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      priority: priorityOf('batch', agent, account),
      ...newcomer(summary, account),
    });
    return restoring;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'there';
    throw error;
  }
}

/** Only one that ran, or ended by the word of a partner, is gone on with. */
function isEndedBySomebody({ status, stage }: BackedUp): boolean {
  return (status !== 'running' && status !== 'completed') || isGivenUp(stage);
}

/** Whether an operator has ended it, or is just ending it. */
export function isGivenUp(stage: string | undefined): boolean {
  return stage === 'abandoned' || stage === 'cancelled';
}

interface RestoredStart {
  readonly args: unknown[];
  readonly summary: string;
  readonly agent?: Parameters<typeof priorityOf>[1];
  /** What it has at its partner is known. */
  readonly isKnown: boolean;
}

function startOf(
  { type, input, merchantProfileId, bankingProfileId }: BackedUp,
  restored: Restored,
): RestoredStart {
  switch (type) {
    case 'merchantBoarding': {
      const boarding = input as MerchantBoardingInput;
      const known = merchantProfileId ?? boarding.merchantProfileId;
      const { dba: summary } = boarding.merchant;
      return known === undefined
        ? { args: [boarding, undefined, restored], summary, agent: boarding, isKnown: false }
        : { args: [{ ...boarding, merchantProfileId: known }], summary, agent: boarding, isKnown: true };
    }
    case 'businessOnboarding': {
      const { holder } = input as BusinessOnboardingInput;
      const isKnown = bankingProfileId !== undefined;
      const adopted = isKnown ? { ...restored, profileId: bankingProfileId } : restored;
      return { args: [input, undefined, adopted], summary: holder.doingBusinessAsName, isKnown };
    }
    case 'customerOnboarding': {
      const { boarding } = input as CustomerOnboardingInput;
      return { args: [input], summary: boarding.merchant.dba, agent: boarding, isKnown: true };
    }
    case 'terminalProvisioning': {
      // It looks at the platform before each write.
      const { name = '' } = (input as TerminalProvisioningInput).provisionTerminal.account;
      return { args: [input], summary: name, isKnown: true };
    }
  }
}
