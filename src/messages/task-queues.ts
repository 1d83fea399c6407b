/** What has a task queue of its own, beside that of the workflows: each partner, and news on its way to others. */
export type Lane = (typeof LANES)[number];

export const LANES = ['boarding', 'banking', 'events'] as const;

/**
 * The task queue of a lane's activities. Its rate is limited over all workers together, and what waits in one lane stands
 * in no other's way.
 *
 * @param taskQueue that of the workflows, `GANGWAY_TASK_QUEUE`
 */
export function laneTaskQueue(taskQueue: string, lane: Lane): string {
  return `${taskQueue}-${lane}`;
}
