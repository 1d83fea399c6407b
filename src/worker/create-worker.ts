import { fileURLToPath } from 'node:url';
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { bankingActivities } from '../activities/banking.js';
import { boardingActivities } from '../activities/boarding.js';
import { announcing, delivering } from '../activities/news.js';
import { onboardingActivities } from '../activities/onboardings.js';
import type { Config } from '../config.js';
import { folderStore } from '../documents/folder-store.js';
import { statementFolder } from '../documents/statement-folder.js';
import { type Lane, laneTaskQueue } from '../messages/task-queues.js';
import { NewsSender } from '../news/sender.js';
import { type BankingClient, bankingClient, bankingOff } from '../partners/banking/client.js';
import { type BoardingClient, boardingClient, boardingOff } from '../partners/boarding/client.js';
import { dataConverter } from '../temporal/data-converter.js';

const bundle = (name: string) => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));

/**
 * The workflows as `npm run build` bundled them; the same files for the built worker and for tests of the sources. Failures
 * are converted inside of the bundle, so that there is one that encodes them, for workers with keys.
 */
export const WORKFLOW_BUNDLES = {
  plain: bundle('workflow-bundle.js'),
  encoding: bundle('workflow-bundle-encoding.js'),
} as const;

/** Longer than a partner call may take, so that a worker told to stop hears the answer to what it has sent. */
const SHUTDOWN_GRACE = '50s';

/** After this a worker goes in any case, also when the server is away and cannot be told. */
const SHUTDOWN_FORCE = '60s';

export interface WorkerSetup {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly config: Pick<
    Config,
    | 'taskQueue'
    | 'poll'
    | 'boarding'
    | 'banking'
    | 'activitiesPerSecond'
    | 'events'
    | 'posNames'
    | 'documentDir'
    | 'statementDir'
    | 'payloadKeys'
  >;
}

/** All of Gangway's workers in one process: one for the workflows, and one for each lane of activities. */
export interface GangwayWorker {
  /** Runs until {@link shutdown} or a signal, then finishes what it has begun and lets go of the partners. */
  run(): Promise<void>;
  shutdown(): void;
  /** `RUNNING` when all of it takes tasks, else the state of what does not. */
  getState(): string;
}

/** Makes a worker with all workflows and activities. */
export async function createWorker({ connection, namespace, config }: WorkerSetup): Promise<GangwayWorker> {
  const { taskQueue, poll, documentDir, statementDir, payloadKeys, activitiesPerSecond, events } = config;
  const common = {
    connection,
    namespace,
    dataConverter: dataConverter(payloadKeys),
    shutdownGraceTime: SHUTDOWN_GRACE,
    shutdownForceTime: SHUTDOWN_FORCE,
    activityTaskPollerBehavior: { type: 'autoscaling' },
  } satisfies Omit<WorkerOptions, 'taskQueue'>;
  const lane = (name: Lane, activities: object) =>
    Worker.create({
      ...common,
      taskQueue: laneTaskQueue(taskQueue, name),
      activities,
      ...limited(activitiesPerSecond[name]),
    });

  const boarding = boardingFrom(config);
  const banking = bankingFrom(config);
  const documents = folderStore(documentDir);
  const statements = statementFolder(statementDir);
  const sender = new NewsSender(events);
  const { destinations } = events;
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue,
      workflowBundle: { codePath: payloadKeys ? WORKFLOW_BUNDLES.encoding : WORKFLOW_BUNDLES.plain },
      workflowTaskPollerBehavior: { type: 'autoscaling' },
      activities: { ...onboardingActivities(poll), ...announcing(destinations) },
    }),
    lane('boarding', boardingActivities({ client: boarding, documents, poll })),
    lane('banking', bankingActivities({ client: banking, statements, poll })),
    lane('events', delivering(destinations, sender)),
  ]);
  return together(workers, () => Promise.all([boarding.close(), banking.close(), sender.close()]));
}

/** Over all workers of the task queue: the server keeps the limit. Each of them must name the same. */
function limited(perSecond: number | undefined): Pick<WorkerOptions, 'maxTaskQueueActivitiesPerSecond'> {
  return perSecond === undefined ? {} : { maxTaskQueueActivitiesPerSecond: perSecond };
}

function together(workers: readonly Worker[], release: () => Promise<unknown>): GangwayWorker {
  const notRunning = () => workers.map((worker) => worker.getState()).find((state) => state !== 'RUNNING');
  const shutdown = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return {
    shutdown,
    getState: () => notRunning() ?? 'RUNNING',
    async run() {
      // One that breaks takes the others along: half a worker would look alive.
      const runs = workers.map((worker) => worker.run().finally(shutdown));
      try {
        await Promise.allSettled(runs);
        await Promise.all(runs);
      } finally {
        await release();
      }
    },
  };
}

function boardingFrom({ boarding, posNames }: WorkerSetup['config']): BoardingClient {
  return boarding ? boardingClient({ ...boarding, posNames }) : boardingOff('BOARDING_URL is not set');
}

function bankingFrom({ banking }: WorkerSetup['config']): BankingClient {
  return banking ? bankingClient(banking) : bankingOff('BANKING_URL is not set');
}
