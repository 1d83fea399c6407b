import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { isUnsupportedQuery } from '../temporal/away.js';
import { stateOf } from '../temporal/onboardings.js';
import { isUnreadable, UnreadableOnboarding } from '../temporal/unreadable.js';

/** Set by the server on a workflow whose task fails, or times out, five times in a row; taken off by one that completes. */
const FAILING =
  "TemporalReportedProblems IN ('category=WorkflowTaskFailed', 'category=WorkflowTaskTimedOut')";

/** How many of them are named, each with its cause. */
const NAMED = 10;

/** @throws {Error} naming workflows whose tasks fail, and why */
export async function examineTasks(client: Client, taskQueue: string): Promise<string> {
  const query = running(taskQueue, FAILING);
  const counted = await client.workflow.count(query).catch((error: unknown) => {
    if (isUnsupportedQuery(error)) return undefined;
    throw error;
  });
  if (counted === undefined) return 'not known: this server does not report workflow tasks that fail';
  if (counted.count === 0) return 'none is known to fail (the server reports one after a minute)';
  const failing = await first(client, query, NAMED);
  const named = await Promise.all(failing.map(({ workflowId }) => whyOf(client, workflowId)));
  const more = counted.count > named.length ? `; and ${counted.count - named.length} more` : '';
  throw new Error(
    `${counted.count} stand still: ${named.join('; ')}${more}; see "workflow tasks fail" in docs/operations.md`,
  );
}

async function whyOf(client: Client, workflowId: string): Promise<string> {
  return stateOf(client, workflowId).then(
    () => `${workflowId} can be read again`,
    (error: unknown) => {
      if (error instanceof UnreadableOnboarding) return error.message;
      throw error;
    },
  );
}

/** How many days running workflows are old of which some are looked at: old ones need old keys. */
const AGES_DAYS = [30, 7, 1, 0];
const OF_EACH_AGE = 5;
const DAY_MS = 86_400_000;

/** @throws {Error} naming running workflows that are encrypted with a key that we do not have */
export async function examineKeys(client: Client, taskQueue: string): Promise<string> {
  const sampled = await Promise.all(
    AGES_DAYS.map((days) => {
      const before = new Date(Date.now() - days * DAY_MS).toISOString();
      return first(client, running(taskQueue, ...(days > 0 ? [`StartTime < '${before}'`] : [])), OF_EACH_AGE);
    }),
  );
  const ids = [...new Set(sampled.flat().map(({ workflowId }) => workflowId))];
  const locked = (await Promise.all(ids.map((id) => isLocked(client, id)))).flat();
  if (locked.length > 0)
    throw new Error(`not in PAYLOAD_KEYS: the key of ${locked.join(', ')}, of ${ids.length} looked at`);
  return `${ids.length} running workflows looked at can be read`;
}

/** The summary of a workflow is encrypted like all that it holds, and needs no worker to be read. */
async function isLocked(client: Client, workflowId: string): Promise<string[]> {
  const description = await client.workflow.getHandle(workflowId).describe();
  try {
    await description.staticSummary();
    return [];
  } catch (error) {
    if (isUnreadable(error)) return [workflowId];
    throw error;
  }
}

function running(taskQueue: string, ...conditions: readonly string[]): string {
  const quoted = `'${taskQueue.replaceAll("'", "''")}'`;
  return [`TaskQueue = ${quoted}`, "ExecutionStatus = 'Running'", ...conditions].join(' AND ');
}

async function first(client: Client, query: string, count: number): Promise<WorkflowExecutionInfo[]> {
  const found: WorkflowExecutionInfo[] = [];
  for await (const each of client.workflow.list({ query, pageSize: count })) {
    found.push(each);
    if (found.length >= count) break;
  }
  return found;
}
