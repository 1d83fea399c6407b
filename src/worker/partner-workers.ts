import { Client } from '@temporalio/client';
import { type NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { deliveryActivities } from '../activities/outbound-events.js';
import { documentStore } from '../documents/document-store.js';
import { openStore } from '../documents/open-store.js';
import { EventSender } from '../events/sender.js';
import { partnerTaskQueue } from '../messages/ids.js';
import { closeAll, partnerClients, servedAccounts } from '../partners/account-settings.js';
import { DEFAULT_HTTP_LIMITS, observers } from '../partners/http.js';
import { SYSTEM_NAMES } from '../partners/systems.js';
import { clientInterceptors } from '../temporal/connection.js';
import { dataConverter } from '../temporal/payload-codec.js';
import { traceExchanges } from '../tracing/spans.js';
import { watchDrift } from './drift.js';
import { countExchanges } from './health.js';
import { partnerTaskQueues } from './partner-task-queues.js';
import { pollBoundsOf } from './settings.js';
import { SHUTDOWN, TUNING } from './tuning.js';
import { intercepted, type WorkersConfig } from './workflow-worker.js';

/** Where workers run. */
export interface WorkerPlace extends Pick<WorkerOptions, 'identity' | 'workerDeploymentOptions'> {
  readonly connection: NativeConnection;
  readonly namespace: string;
}

/** The workers beside the one for the workflows. */
export interface PartnerWorkers {
  /** One for each partner task queue of each account, and one that delivers outbound events. */
  readonly workers: readonly Worker[];
  /** Runs beside the workers: finds out which credentials were corrected since the partner rejected them. */
  readonly start: () => Promise<unknown>;
  /** Closes the connections to the partners, after the workers have ended. */
  readonly release: () => Promise<unknown>;
}

/** Creates the workers that call partners and deliver outbound events. */
export async function partnerWorkers(place: WorkerPlace, config: WorkersConfig): Promise<PartnerWorkers> {
  const { taskQueue, poll, patience, documentDir, statementDir, s3Endpoint, payloadKeys, events } = config;
  const common = { ...place, dataConverter: dataConverter(payloadKeys), ...SHUTDOWN, ...TUNING };
  const documents = documentStore(await openStore(documentDir, s3Endpoint));
  const statements = await openStore(statementDir, s3Endpoint);
  const sender = new EventSender(events);
  const { metricMeter: meter, logger } = Runtime.instance();
  const { connection, namespace } = place;
  const client = new Client({
    connection,
    namespace,
    dataConverter: common.dataConverter,
    interceptors: clientInterceptors,
  });
  const accounts = servedAccounts(config).map(([name, account]) => {
    const observe = observers(countExchanges(meter, name ?? ''), traceExchanges);
    const bounds = { maxRetryAfterMs: patience.retryAfterMaxMs };
    const inspect = watchDrift({ meter, logger, client, taskQueue, account: name });
    const clients = partnerClients(account, observe, bounds, inspect);
    const queues = partnerTaskQueues({
      partnerAccount: name,
      wording: account,
      clients,
      documents,
      statements,
      pollBounds: pollBoundsOf(account, poll),
      taskQueue,
      patience,
    });
    return { name, account, clients, queues };
  });
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue: partnerTaskQueue(taskQueue, 'events'),
      activities: deliveryActivities(events.destinations, sender),
      interceptors: intercepted(),
    }),
    ...accounts.flatMap(({ name, account, queues }) =>
      SYSTEM_NAMES.map((system) =>
        Worker.create({
          ...common,
          taskQueue: partnerTaskQueue(taskQueue, system, name),
          activities: queues[system].activities,
          interceptors: intercepted(queues[system].interceptors),
          // What would wait for a connection waits in the task queue, where it has its turn by priority.
          maxConcurrentActivityTaskExecutions: DEFAULT_HTTP_LIMITS.connections,
          ...limited(account.activitiesPerSecond[system]),
        }),
      ),
    ),
  ]);
  const accesses = accounts.flatMap(({ queues }) =>
    Object.values(queues).flatMap(({ access }) => access ?? []),
  );
  return {
    workers,
    start: () => Promise.allSettled(accesses.map((access) => access.probeNow(client))),
    release: () => Promise.all([...accounts.map(({ clients }) => closeAll(clients)), sender.close()]),
  };
}

/** The server applies the limit over all workers of the task queue. Each of them must set the same limit. */
function limited(perSecond: number | undefined): Pick<WorkerOptions, 'maxTaskQueueActivitiesPerSecond'> {
  return perSecond === undefined ? {} : { maxTaskQueueActivitiesPerSecond: perSecond };
}
