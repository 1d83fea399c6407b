import { totalmem } from 'node:os';
import type { WorkerOptions } from '@temporalio/worker';

/**
 * The time for which reads may continue after a signal, and the minimum for writes. This covers one HTTP exchange of at most 45 s,
 * so almost every request that was sent gets its response. A call that meets a 401 may take three exchanges (the call, the sign-in
 * and the replay) and be cut off; waiting for those as well would add two minutes to every deployment.
 */
export const SHUTDOWN_GRACE = '50s';

/** A worker ends at this time after a signal in any case, even when Temporal is unavailable and gets no report. */
export const SHUTDOWN_FORCE = '60s';

export const SHUTDOWN = {
  shutdownGraceTime: SHUTDOWN_GRACE,
  shutdownForceTime: SHUTDOWN_FORCE,
} satisfies Partial<WorkerOptions>;

/** The most workflows that a worker keeps in memory. More would save little: the replay of a short history takes milliseconds. */
const MAX_CACHED = 500;

/** The memory of a container for each cached workflow, which takes 0.8 MiB of it. The rest is for Node, and for partners' responses. */
const BYTES_FOR_EACH = 2 * 1_024 * 1_024;

/** The number of workflows that a worker with this much memory keeps, so that a small container is not killed for its cache. */
export function cachedWorkflows(bytes: number): number {
  return Math.min(MAX_CACHED, Math.floor(bytes / BYTES_FOR_EACH));
}

/**
 * The polls of a worker for tasks, and the number of workflows that it keeps in memory. The number of polls for workflow tasks
 * follows the load. For activities it is fixed: with a changing number, some tasks that the server had dispatched never reached the
 * worker, and each of those waits for its timeout. Nexus requests take few polls, because each is over in milliseconds.
 */
export const TUNING = {
  // Without a limit, the limit reads as 0 or as more than the machine has.
  maxCachedWorkflows: cachedWorkflows(Math.min(totalmem(), process.constrainedMemory() || totalmem())),
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
  workflowTaskPollerBehavior: { type: 'autoscaling' },
  nexusTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
} satisfies Partial<WorkerOptions>;
