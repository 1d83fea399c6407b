import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { MetricMeter } from '@temporalio/common';
import type { WorkflowType } from '../messages/ids.js';

/** How often Temporal is asked, in milliseconds: two counts for each worker process, which it bounds by the second. */
const EVERY_MS = 30_000;

/** How long Temporal may take over both. */
const DEADLINE_MS = 10_000;

/** A customer waits as long as one of its parts does, which are counted themselves. */
const CUSTOMER: WorkflowType = 'customerOnboarding';

/**
 * Shows how many workflows of the task queue wait for a person, and how many of those are overdue, as Temporal's visibility
 * counts them, and whether it answered at all. Each worker process shows the same numbers. While Temporal does not answer
 * they stay as they were.
 *
 * @returns ends it
 */
export function watchWaiting(client: Client, taskQueue: string, meter: MetricMeter): () => void {
  const gauge = (name: string, help: string) => meter.createGauge(name, 'int', undefined, help);
  const waiting = gauge('gangway_workflows_waiting', 'Workflows that wait for a person');
  const overdue = gauge(
    'gangway_workflows_overdue',
    'Workflows that wait for a person longer than they should',
  );
  const answers = gauge('gangway_temporal_answers', 'Whether Temporal answered this worker at its last try');
  const ask = async () => {
    const all = await client.workflow.count(queryOf(taskQueue));
    const late = await client.workflow.count(queryOf(taskQueue, new Date()));
    waiting.set(all.count);
    overdue.set(late.count);
  };
  const stopping = new AbortController();
  const { signal } = stopping;
  const watch = async () => {
    for (; !signal.aborted; await sleep(EVERY_MS, undefined, { signal, ref: false })) {
      const deadline = Date.now() + DEADLINE_MS;
      const answered = await client.connection.withDeadline(deadline, ask).then(
        () => 1,
        () => 0,
      );
      answers.set(answered);
    }
  };
  watch().catch(() => undefined);
  return () => stopping.abort();
}

/** @param dueBefore leaves out what has more time */
function queryOf(taskQueue: string, dueBefore?: Date): string {
  return [
    `TaskQueue = '${taskQueue.replaceAll("'", "''")}'`,
    "ExecutionStatus = 'Running'",
    `WorkflowType != '${CUSTOMER}'`,
    'ActionRequired = true',
    ...(dueBefore ? [`ActionDueAt < '${dueBefore.toISOString()}'`] : []),
  ].join(' AND ');
}
