import { createWorker } from '../../src/worker/create-worker.js';
import './runtime.js';
import { configOf, type WorkerOptions, type WorkerPlace } from './worker-config.js';

export interface RunningWorker {
  stop(): Promise<void>;
}

/** Runs all of Gangway's workers in this process, against a sandbox. */
export async function runWorker(place: WorkerPlace, options: WorkerOptions): Promise<RunningWorker> {
  const { connection, namespace, ...own } = place;
  const worker = await createWorker({ connection, namespace }, configOf(own, options));
  const running = worker.run();
  let stopped: Promise<void> | undefined;
  return {
    stop() {
      stopped ??= (async () => {
        worker.shutdown();
        await running;
      })();
      return stopped;
    },
  };
}
