import type { WorkerOptions } from '@temporalio/worker';

/**
 * How a worker asks for tasks, and how many workflows it keeps in memory. Polls for workflow tasks are as many as there is
 * work for. Polls for activities are a fixed number: while their number changed with the load, some tasks that the server had
 * handed out never reached the worker, and each of those waits for its time-out. A workflow takes over half a MiB in memory,
 * and one that waits for days gains nothing by it: to replay its short history takes milliseconds.
 */
export const TUNING = {
  maxCachedWorkflows: 500,
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
  workflowTaskPollerBehavior: { type: 'autoscaling' },
} satisfies Partial<WorkerOptions>;
