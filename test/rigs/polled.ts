import { pollersOf } from '../../src/temporal/workers.js';
import type { Rig } from './rig.js';
import { eventually } from './waiting.js';

/** Waits until a worker polls the task queue of a partner: the first poll of a new worker may be on its way. */
export async function untilPolled({ client, taskQueue }: Rig, system: string): Promise<void> {
  const queue = `${taskQueue}-${system}`;
  await eventually(
    () => pollersOf(client, queue, 'activity'),
    ({ taking }) => taking > 0,
    `a worker at ${queue}`,
  );
}
