import { parentPort } from 'node:worker_threads';
import { simulatedPlace } from '../../test/rigs/simulated-place.js';
import { type Walk, walked } from './walk.js';

/** A thread that walks on the simulated service: virtual time replaces its clock. */

/** A walk takes a real server about as long as it takes here, in milliseconds. */
const LONGEST_MS = 60_000;

parentPort?.on('message', async (walk?: Walk) => {
  if (!walk) return parentPort?.close();
  const { plan, continueAfter } = walk;
  const taskQueue = `compared-${plan.seed}`;
  // A namespace of its own, because workflows are called the same in each walk of a plan.
  const place = await simulatedPlace({ continueAfter, namespace: crypto.randomUUID() }, taskQueue);
  parentPort?.postMessage(await walked(walk, place, taskQueue, LONGEST_MS));
});
