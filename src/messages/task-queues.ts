import type { SystemName } from '../partners/systems.js';

/** What has a task queue of its own, beside that of the workflows: each partner, and news on its way to others. */
export type Lane = SystemName | 'events';

/**
 * The task queue of a lane's activities: `gangway-boarding`, or of a named account `gangway-boarding-acme`. Its rate is
 * limited over all workers together, and what waits in one lane stands in no other's way.
 *
 * @param taskQueue that of the workflows, `GANGWAY_TASK_QUEUE`
 */
export function laneTaskQueue(taskQueue: string, lane: Lane, account?: string): string {
  return account === undefined ? `${taskQueue}-${lane}` : `${taskQueue}-${lane}-${account}`;
}

/** The task queue of the workflows, from that of a lane: the opposite of {@link laneTaskQueue}. */
export function workflowTaskQueue(ofLane: string, lane: Lane, account?: string): string {
  return ofLane.slice(0, -laneTaskQueue('', lane, account).length);
}
