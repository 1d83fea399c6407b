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
import { correctionActivities, onboardingActivities } from '../activities/onboardings.js';
import { announcing, delivering } from '../activities/outbound-events.js';
import { reportsWrites } from '../activities/write.js';
import { documentStore } from '../documents/document-store.js';
import { openStore } from '../documents/open-store.js';
import { EventSender } from '../events/sender.js';
import { partnerTaskQueue } from '../messages/ids.js';
import { knownTo } from '../messages/inputs.js';
import { servedAccounts } from '../partners/account-settings.js';
import { closeAll, partnerClients } from '../partners/clients.js';
import { observers } from '../partners/http.js';
import { SYSTEM_NAMES } from '../partners/systems.js';
import { holdsInputs } from '../process/logging.js';
import { dataConverter } from '../temporal/payload-codec.js';
import { traceExchanges } from '../tracing/spans.js';
import { tracedActivities, tracedClient, traceSinks } from '../tracing/temporal.js';
import { countExchanges } from './health.js';
import { partnerTaskQueues } from './partner-task-queues.js';
import type { WorkerSettings } from './settings.js';

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
export const SHUTDOWN_FORCE = '60s';

export interface WorkerSetup {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly config: Omit<WorkerSettings, 'healthAddress' | 'metricsAddress' | 'logLevel'>;
}

/** All of Gangway's workers in one process: one for the workflows, and one for each lane of activities of each account. */
export interface GangwayWorker {
  /** Runs until {@link shutdown} or a signal, then finishes what it has begun and lets go of the partners. */
  run(): Promise<void>;
  shutdown(): void;
  /** `RUNNING` when all of it takes tasks, else the state of what does not. */
  getState(): string;
}

/** Makes a worker with all workflows and activities. */
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
  const { metricMeter } = Runtime.instance();
  const accounts = servedAccounts(config).map(([name, account]) => {
    const observe = observers(countExchanges(metricMeter, name ?? ''), traceExchanges);
    const clients = partnerClients(account, observe, { maxRetryAfterMs: patience.retryAfterMaxMs });
    const lanes = partnerTaskQueues({
      ...{
        partnerAccount: name,
        wording: account,
        clients,
        documents,
        statements,
        poll,
        taskQueue,
        patience,
      },
    });
    return { name, account, clients, lanes };
  });
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue,
      workflowBundle: { codePath: payloadKeys ? WORKFLOW_BUNDLES.encoding : WORKFLOW_BUNDLES.plain },
      sinks: traceSinks,
      activities: {
        ...onboardingActivities(poll),
        ...correctionActivities(knownTo(config)),
        ...announcing(destinations),
      },
    }),
    Worker.create({
      ...common,
      taskQueue: partnerTaskQueue(taskQueue, 'events'),
      activities: delivering(destinations, sender),
    }),
    ...accounts.flatMap(({ name, account, lanes }) =>
      SYSTEM_NAMES.map((system) =>
        Worker.create({
          ...common,
          taskQueue: partnerTaskQueue(taskQueue, system, name),
          activities: lanes[system].activities,
          interceptors: intercepted(lanes[system].interceptors),
          ...limited(account.activitiesPerSecond[system]),
        }),
      ),
    ),
  ]);
  // The settings may have changed since the partner refused them.
  const client = new Client({ connection, namespace });
  const accesses = accounts.flatMap(({ lanes }) =>
    Object.values(lanes).flatMap(({ access }) => access ?? []),
  );
  const begin = () => Promise.allSettled(accesses.map((access) => access.probeNow(client)));
  return together(workers, begin, () =>
    Promise.all([...accounts.map(({ clients }) => closeAll(clients)), sender.close()]),
  );
}

function intercepted(ofLane: readonly ActivityInterceptorsFactory[] = []): WorkerInterceptors {
  return { client: tracedClient, activity: [holdsInputs, reportsWrites, tracedActivities, ...ofLane] };
}

/**
 * With a build id, Temporal decides which build gets which task; without one, any worker gets any. Every worker of a build
 * says so, those of activities as well. Workflows go on with the current build, but for those that workflows/index.ts pins.
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

/** Over all workers of the task queue: the server keeps the limit. Each of them must name the same. */
function limited(perSecond: number | undefined): Pick<WorkerOptions, 'maxTaskQueueActivitiesPerSecond'> {
  return perSecond === undefined ? {} : { maxTaskQueueActivitiesPerSecond: perSecond };
}

/**
 * @param begin runs beside the workers once they run
 * @param release runs when they have ended
 */
function together(
  workers: readonly Worker[],
  begin: () => Promise<unknown>,
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
      // One that breaks takes the others along: half a worker would look alive.
      const runs = workers.map((worker) => worker.run().finally(shutdown));
      const begun = begin();
      try {
        await Promise.allSettled(runs);
        await Promise.all(runs);
      } finally {
        await begun;
        await release();
      }
    },
  };
}

/**
 * How a worker asks for tasks, and how many workflows it keeps in memory. Polls for workflow tasks are as many as there is
 * work for. Polls for activities are a fixed number: while their number changed with the load, some tasks that the server had
 * handed out never reached the worker, and each of those waits for its time-out. A workflow takes over half a MiB in memory,
 * and one that waits for days gains nothing by it: to replay its short history takes milliseconds.
 */
export const TUNING = {
  maxCachedWorkflows: 500,
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
  workflowTaskPollerBehavior: { type: 'autoscaling' },
} satisfies Partial<WorkerOptions>;
