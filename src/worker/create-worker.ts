import { type NativeConnection, Worker } from '@temporalio/worker';
import { dataConverter } from '../temporal/payload-codec.js';
import { workerIdentity } from '../temporal/workers.js';
import { bundleFor } from './bundles.js';
import { type PartnerWorkers, partnerWorkers } from './partner-workers.js';
import { SHUTDOWN, TUNING } from './tuning.js';
import { versioned, type WorkersConfig, workersClient, workflowQueue } from './workflow-worker.js';

export interface WorkerSetup {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly config: WorkersConfig;
}

/** All of Gangway's workers in one process: one for the workflows, and one for each partner task queue of each account. */
export interface GangwayWorker {
  /** Runs until {@link shutdown} or a signal, then finishes its activities and closes the connections to the partners. */
  run(): Promise<void>;
  shutdown(): void;
  /** `RUNNING` when all workers take tasks, else the state of one that does not. */
  getState(): string;
}

export async function createWorker({ connection, namespace, config }: WorkerSetup): Promise<GangwayWorker> {
  const { taskQueue, version, payloadKeys } = config;
  const place = { connection, namespace, identity: workerIdentity(payloadKeys), ...versioned(version) };
  const [worker, partners] = await Promise.all([
    Worker.create({
      ...{ ...place, taskQueue, ...SHUTDOWN, ...TUNING },
      dataConverter: dataConverter(payloadKeys),
      workflowBundle: bundleFor(payloadKeys),
      ...workflowQueue(config, workersClient(place, config)),
    }),
    partnerWorkers(place, config),
  ]);
  return together(worker, partners);
}

export function together(worker: GangwayWorker, { workers, start, release }: PartnerWorkers): GangwayWorker {
  const all: readonly GangwayWorker[] = [worker, ...workers];
  const notRunning = () => all.map((each) => each.getState()).find((state) => state !== 'RUNNING');
  const shutdown = () => {
    for (const each of all) if (each.getState() === 'RUNNING') each.shutdown();
  };
  return {
    shutdown,
    getState: () => notRunning() ?? 'RUNNING',
    async run() {
      // A worker that fails stops the others, because half a worker would look alive.
      const runs = all.map((each) => each.run().finally(shutdown));
      const started = start();
      try {
        await Promise.allSettled(runs);
        await Promise.all(runs);
      } finally {
        await started;
        await release();
      }
    },
  };
}
