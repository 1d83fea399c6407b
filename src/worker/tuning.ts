import type { WorkerOptions } from '@temporalio/worker';

/**
 * How a worker asks for tasks, with as many polls at once as there is work for, and how many workflows it keeps in memory. Each
 * takes over half a MiB there, and one that waits for days gains nothing by it: to replay its short history takes
 * milliseconds.
 */
export const TUNING = {
  maxCachedWorkflows: 500,
  activityTaskPollerBehavior: { type: 'autoscaling' },
  workflowTaskPollerBehavior: { type: 'autoscaling' },
} satisfies Partial<WorkerOptions>;
