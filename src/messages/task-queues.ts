import type { SystemName } from '../partners/systems.js';

/** What has a task queue of its own, beside that of the workflows: each partner, and news on its way to others. */
export const LANES = [
  'boarding',
  'banking',
  'plant-store',
  'payments',
  'processor',
  'events',
] as const satisfies (SystemName | 'events')[];

export type Lane = (typeof LANES)[number];

/**
 * The task queue of a lane's activities. Its rate is limited over all workers together, and what waits in one lane stands
 * in no other's way.
 *
 * @param taskQueue that of the workflows, `GANGWAY_TASK_QUEUE`
 */
export function laneTaskQueue(taskQueue: string, lane: Lane): string {
  return `${taskQueue}-${lane}`;
}
