import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { MetricMeter } from '@temporalio/common';
import type { WorkflowType } from '../messages/ids.js';

/** How often Temporal is asked, in milliseconds: two counts for each worker process, which it bounds by the second. */
const EVERY_MS = 30_000;

/** A customer waits as long as one of its parts does, which are counted themselves. */
const CUSTOMER: WorkflowType = 'customerOnboarding';

/**
 * Shows how many workflows of the task queue wait for a person, and how many of those are overdue, as Temporal's visibility
 * counts them. Each worker process shows the same two numbers. While Temporal does not answer they stay as they were.
 *
 * @returns ends it
 */
export function watchWaiting(client: Client, taskQueue: string, meter: MetricMeter): () => void {
  const waiting = meter.createGauge(
    'gangway_workflows_waiting',
    'int',
    undefined,
    'Workflows that wait for a person',
  );
  const overdue = meter.createGauge(
    'gangway_workflows_overdue',
    'int',
    undefined,
    'Workflows that wait for a person longer than they should',
  );
  const count = async (more = '') => {
    const query = `TaskQueue = '${taskQueue.replaceAll("'", "''")}' AND ExecutionStatus = 'Running' AND WorkflowType != '${CUSTOMER}' AND ActionRequired = true${more}`;
    return (await client.workflow.count(query)).count;
  };
  const stopping = new AbortController();
  const { signal } = stopping;
  const watch = async () => {
    for (; !signal.aborted; await sleep(EVERY_MS, undefined, { signal, ref: false })) {
      await Promise.all([
        count().then((number) => waiting.set(number)),
        count(` AND ActionDueAt < '${new Date().toISOString()}'`).then((number) => overdue.set(number)),
      ]).catch(() => undefined);
    }
  };
  watch().catch(() => undefined);
  return () => stopping.abort();
}
