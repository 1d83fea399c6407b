import { totalmem } from 'node:os';
import type { WorkerOptions } from '@temporalio/worker';

/**
 * The time for which reads may continue after a signal, and the minimum for writes. This covers one HTTP exchange of at most 45 s,
 * so almost every request that was sent gets its response. A call that meets a 401 may take three exchanges (the call, the sign-in
 * and the replay) and be cut off; waiting for those as well would add two minutes to every deployment.
 */
export const SHUTDOWN_GRACE = '50s';

/** A worker ends at the latest after this time, even if Temporal is unavailable and gets no report. */
export const SHUTDOWN_FORCE = '60s';

export const SHUTDOWN = {
  shutdownGraceTime: SHUTDOWN_GRACE,
  shutdownForceTime: SHUTDOWN_FORCE,
} satisfies Partial<WorkerOptions>;

/** The maximum number of cached workflows. More would save little, because replaying a short history takes milliseconds. */
const MAX_CACHED = 500;

/** The container memory per cached workflow, in bytes. It uses 0.8 MiB; the rest is for Node and partners' responses. */
const BYTES_FOR_EACH = 2 * 1_024 * 1_024;

/** Returns the number of workflows to cache with this much memory, so that a small container is not killed. */
export function cachedWorkflows(bytes: number): number {
  return Math.min(MAX_CACHED, Math.floor(bytes / BYTES_FOR_EACH));
}

/**
 * A worker's polls, and the number of workflows that it caches. The number of workflow task polls follows the load. The number of
 * activity polls is fixed: when it changed, some dispatched tasks never reached the worker, and waited for their timeout. Nexus
 * needs few polls, because each request takes milliseconds.
 */
export const TUNING = {
  // Without a limit, this reads as 0, or as more than the machine has.
  maxCachedWorkflows: cachedWorkflows(Math.min(totalmem(), process.constrainedMemory() || totalmem())),
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
  workflowTaskPollerBehavior: { type: 'autoscaling' },
  nexusTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
} satisfies Partial<WorkerOptions>;
