import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import {
  type ActivityInterceptorsFactory,
  type NativeConnection,
  Runtime,
  Worker,
  type WorkerInterceptors,
  type WorkerOptions,
} from '@temporalio/worker';
import { correctionActivities } from '../activities/corrections.js';
import { onboardingActivities } from '../activities/onboardings.js';
import { deliveryActivities, publishActivities } from '../activities/outbound-events.js';
import { reportsWrites } from '../activities/write.js';
import { documentStore } from '../documents/document-store.js';
import { openStore } from '../documents/open-store.js';
import { EventSender } from '../events/sender.js';
import { partnerTaskQueue } from '../messages/ids.js';
import { knownAccounts } from '../messages/inputs.js';
import { closeAll, partnerClients, servedAccounts } from '../partners/account-settings.js';
import { observers } from '../partners/http.js';
import { SYSTEM_NAMES } from '../partners/systems.js';
import { holdsInputs, namesDba } from '../process/logging.js';
import { clientInterceptors } from '../temporal/connection.js';
import { dataConverter } from '../temporal/payload-codec.js';
import { tracedActivities, traceExchanges, traceSinks } from '../tracing/spans.js';
import { watchDrift } from './drift.js';
import { countExchanges } from './health.js';
import { partnerTaskQueues } from './partner-task-queues.js';
import { pollBoundsOf, type WorkerSettings } from './settings.js';

const bundle = (name: string) => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));

/**
 * The workflows as `npm run build` bundled them, also in tests of the sources. Failures are converted inside the bundle, so workers
 * with keys need a bundle of their own, which encodes them.
 */
export const WORKFLOW_BUNDLES = {
  plain: bundle('workflow-bundle.js'),
  encoding: bundle('workflow-bundle-encoding.js'),
} as const;

/**
 * How long reads may continue after a signal, and writes at least. This covers one HTTP exchange of at most 45 s, so almost every
 * request that was sent gets its response. A call that meets a 401 may take three exchanges (the call, the sign-in and the replay)
 * and be cut off; to wait for those, too, would delay every deployment by two minutes.
 */
export const SHUTDOWN_GRACE = '50s';

/** A worker ends at this time after a signal in any case, even when Temporal is unavailable and gets no report. */
export const SHUTDOWN_FORCE = '60s';

export interface WorkerSetup {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly config: Omit<WorkerSettings, 'healthAddress' | 'metricsAddress' | 'logLevel'>;
}

/** All of Gangway's workers in one process: one for the workflows, and one for each partner task queue of each account. */
export interface GangwayWorker {
  /** Runs until {@link shutdown} or a signal, then finishes its activities and closes the connections to the partners. */
  run(): Promise<void>;
  shutdown(): void;
  /** `RUNNING` when all workers take tasks, else the state of one that does not. */
  getState(): string;
}

/** Creates a worker with all workflows and activities. */
export async function createWorker({ connection, namespace, config }: WorkerSetup): Promise<GangwayWorker> {
  const { taskQueue, version, poll, patience, documentDir, statementDir, s3Endpoint, payloadKeys, events } =
    config;
  const common = {
    connection,
    namespace,
    dataConverter: dataConverter(payloadKeys),
    shutdownGraceTime: SHUTDOWN_GRACE,
    shutdownForceTime: SHUTDOWN_FORCE,
    ...TUNING,
    interceptors: intercepted(),
    ...versioned(version),
  } satisfies Omit<WorkerOptions, 'taskQueue'>;
  const documents = documentStore(await openStore(documentDir, s3Endpoint));
  const statements = await openStore(statementDir, s3Endpoint);
  const sender = new EventSender(events);
  const { destinations } = events;
  const { metricMeter: meter, logger } = Runtime.instance();
  const client = new Client({
    connection,
    namespace,
    dataConverter: dataConverter(payloadKeys),
    interceptors: clientInterceptors,
  });
  const accounts = servedAccounts(config).map(([name, account]) => {
    const observe = observers(countExchanges(meter, name ?? ''), traceExchanges);
    const bounds = { maxRetryAfterMs: patience.retryAfterMaxMs };
    const inspect = watchDrift({ meter, logger, client, taskQueue, account: name });
    const clients = partnerClients(account, observe, bounds, inspect);
    const queues = partnerTaskQueues({
      ...{
        partnerAccount: name,
        wording: account,
        clients,
        documents,
        statements,
        pollBounds: pollBoundsOf(account, poll),
        taskQueue,
        patience,
      },
    });
    return { name, account, clients, queues };
  });
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue,
      workflowBundle: { codePath: payloadKeys ? WORKFLOW_BUNDLES.encoding : WORKFLOW_BUNDLES.plain },
      sinks: traceSinks,
      activities: {
        ...onboardingActivities(poll),
        ...correctionActivities(knownAccounts(config)),
        ...publishActivities(destinations),
      },
    }),
    Worker.create({
      ...common,
      taskQueue: partnerTaskQueue(taskQueue, 'events'),
      activities: deliveryActivities(destinations, sender),
    }),
    ...accounts.flatMap(({ name, account, queues }) =>
      SYSTEM_NAMES.map((system) =>
        Worker.create({
          ...common,
          taskQueue: partnerTaskQueue(taskQueue, system, name),
          activities: queues[system].activities,
          interceptors: intercepted(queues[system].interceptors),
          ...limited(account.activitiesPerSecond[system]),
        }),
      ),
    ),
  ]);
  // The credentials may have been corrected since the partner rejected them.
  const accesses = accounts.flatMap(({ queues }) =>
    Object.values(queues).flatMap(({ access }) => access ?? []),
  );
  const probe = () => Promise.allSettled(accesses.map((access) => access.probeNow(client)));
  return together(workers, probe, () =>
    Promise.all([...accounts.map(({ clients }) => closeAll(clients)), sender.close()]),
  );
}

function intercepted(ofQueue: readonly ActivityInterceptorsFactory[] = []): WorkerInterceptors {
  return {
    client: clientInterceptors,
    activity: [namesDba, holdsInputs, reportsWrites, tracedActivities, ...ofQueue],
  };
}

/**
 * With a build id, Temporal decides which build gets which task; without one, any worker gets any task. This applies to workers of
 * activities, too. Workflows continue on the current build, except those that workflows/index.ts pins.
 */
function versioned(version: WorkerSettings['version']): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (version === undefined) return {};
  return {
    workerDeploymentOptions: {
      useWorkerVersioning: true,
      version,
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

/** The server applies the limit over all workers of the task queue. Each of them must set the same limit. */
function limited(perSecond: number | undefined): Pick<WorkerOptions, 'maxTaskQueueActivitiesPerSecond'> {
  return perSecond === undefined ? {} : { maxTaskQueueActivitiesPerSecond: perSecond };
}

/**
 * Several workers as one.
 *
 * @param start runs beside the workers
 * @param release runs after they have ended
 */
function together(
  workers: readonly Worker[],
  start: () => Promise<unknown>,
  release: () => Promise<unknown>,
): GangwayWorker {
  const notRunning = () => workers.map((worker) => worker.getState()).find((state) => state !== 'RUNNING');
  const shutdown = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return {
    shutdown,
    getState: () => notRunning() ?? 'RUNNING',
    async run() {
      // A worker that fails stops the others, because half a worker would look alive.
      const runs = workers.map((worker) => worker.run().finally(shutdown));
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

/**
 * How a worker polls for tasks, and how many workflows it keeps in memory. The number of polls for workflow tasks follows the load.
 * For activities it is fixed: with a changing number, some tasks that the server had dispatched never reached the worker, and each
 * of those waits for its time-out. A workflow takes over half a MiB of memory, and the cache saves a waiting one little, because
 * the replay of its short history takes milliseconds.
 */
export const TUNING = {
  maxCachedWorkflows: 500,
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
  workflowTaskPollerBehavior: { type: 'autoscaling' },
} satisfies Partial<WorkerOptions>;
