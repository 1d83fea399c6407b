import type { WorkerOptions } from '@temporalio/worker';

/** How a worker asks for tasks: with as many polls at once as there is work for. */
export const TUNING = {
  activityTaskPollerBehavior: { type: 'autoscaling' },
  workflowTaskPollerBehavior: { type: 'autoscaling' },
} satisfies Partial<WorkerOptions>;
