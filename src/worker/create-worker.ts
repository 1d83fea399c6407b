import { activityInfo } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import {
  type ActivityInterceptorsFactory,
  type NativeConnection,
  type PatchActivationCallback,
  Runtime,
  Worker,
  type WorkerInterceptors,
  type WorkerOptions,
} from '@temporalio/worker';
import { batchActivities } from '../activities/batches.js';
import { callActivities } from '../activities/cli-calls.js';
import { correctionActivities } from '../activities/corrections.js';
import { AccountCredentials } from '../activities/credentials.js';
import { callWithDeadline } from '../activities/failures.js';
import { boundOutcomes, logDba, maskInputs } from '../activities/interceptors.js';
import { onboardingActivities } from '../activities/other-workflows.js';
import { deliveryActivities, publishSinks } from '../activities/outbound-events.js';
import { type ActivityDependencies, activitiesAt } from '../activities/partner-activities.js';
import { softwareErrors } from '../activities/software-errors.js';
import { type StalledCallLimits, StalledCallReporter } from '../activities/stalled-calls.js';
import { StatusMeanings } from '../activities/status-meanings.js';
import { accountActivities } from '../activities/wake-activities.js';
import { reportOutcomes } from '../at-most-once/activity.js';
import type { CorrectionActivities, OnboardingActivities } from '../messages/activities.js';
import type { BatchActivities } from '../messages/batches.js';
import { partnerAccountId, partnerTaskQueue, WORKFLOW_ID_PREFIXES } from '../messages/ids.js';
import { knownAccounts } from '../messages/inputs.js';
import { omitUndefined } from '../messages/objects.js';
import type { ProcessActivities } from '../messages/partner-account.js';
import {
  type Account,
  closeAll,
  partnerClients,
  servedAccounts,
  systemsOf,
} from '../partners/account-settings.js';
import type { Operations } from '../partners/catalogue.js';
import type { Inspector, PartnerClient } from '../partners/client.js';
import { PARTNERS, type SystemName, type Wording } from '../partners/descriptors.js';
import { documentStore } from '../partners/documents/document-store.js';
import { observers, type PartnerObserver, traceExchanges } from '../partners/exchange-observers.js';
import { DEFAULT_HTTP_LIMITS } from '../partners/http.js';
import type { FileStore } from '../platform/documents/file-store.js';
import { openStore } from '../platform/documents/open-store.js';
import { EventSender } from '../platform/events/sender.js';
import { clientInterceptors } from '../temporal/connection.js';
import { checkNow } from '../temporal/partner-accounts.js';
import { dataConverter } from '../temporal/payload-codec.js';
import { tracedActivities, traceSinks } from '../temporal/tracing.js';
import { processTaskQueue, workerIdentity } from '../temporal/workers.js';
import { bundleFor } from './bundles.js';
import { watchDrift } from './drift.js';
import { countExchanges } from './health.js';
import { nexusService } from './nexus/service.js';
import type { WorkerSettings } from './settings.js';
import { SHUTDOWN, TUNING } from './tuning.js';

/** All of Gangway's workers in one process: for workflows, each partner in each account, events, and credential checks. */
export interface GangwayWorker {
  /** Runs until {@link shutdown} or a signal, then finishes its activities and closes the connections to the partners. */
  run(): Promise<void>;
  shutdown(): void;
  /** `RUNNING` if all workers take tasks, otherwise the state of one that does not. */
  getState(): string;
}

export async function createWorker(
  { connection, namespace }: Pick<WorkerPlace, 'connection' | 'namespace'>,
  config: WorkersConfig,
): Promise<GangwayWorker> {
  const { taskQueue, version, payloadKeys } = config;
  const place = { connection, namespace, identity: workerIdentity(payloadKeys), ...versionOptions(version) };
  const [worker, partners] = await Promise.all([
    Worker.create({
      ...place,
      taskQueue,
      ...SHUTDOWN,
      ...TUNING,
      dataConverter: dataConverter(payloadKeys, countUnreadable),
      workflowBundle: bundleFor(payloadKeys),
      ...workflowQueue(config, workersClient(place, config)),
    }),
    partnerWorkers(place, config),
  ]);
  return combineWorkers(worker, partners);
}

// Keeps R2.
export function combineWorkers(
  worker: GangwayWorker,
  { workers, start, release }: PartnerWorkers,
): GangwayWorker {
  const all: readonly GangwayWorker[] = [worker, ...workers];
  const notRunning = () => all.map((each) => each.getState()).find((state) => state !== 'RUNNING');
  const shutdown = () => {
    for (const each of all) if (each.getState() === 'RUNNING') each.shutdown();
  };
  return {
    shutdown,
    getState: () => notRunning() ?? 'RUNNING',
    async run() {
      // A failed worker stops the others, because half a worker would look healthy.
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

export interface WorkerPlace extends Pick<WorkerOptions, 'identity' | 'workerDeploymentOptions'> {
  readonly connection: NativeConnection;
  readonly namespace: string;
}

export type PartnerWorkers = Awaited<ReturnType<typeof partnerWorkers>>;

export interface ActivityQueue {
  readonly taskQueue: string;
  readonly activities: object;
  readonly interceptors?: readonly ActivityInterceptorsFactory[];
  /** Absent if no partner is called. */
  readonly partner?: {
    readonly system: SystemName;
    readonly account: Account;
    readonly credentials: AccountCredentials | undefined;
  };
}

export type Watch = (account: string | undefined) => {
  readonly observe?: PartnerObserver;
  readonly inspect?: Inspector;
};

// Keeps R1.
/**
 * The activities that call partners and deliver outbound events, by task queue. @param process the task queue of this process
 *
 * @returns `start`, to run next to the workers, and `release`, which closes the connections to partners after the workers have
 *   ended
 */
export function activityQueues(
  config: WorkersConfig,
  { documents, statements }: { readonly documents: FileStore; readonly statements: FileStore },
  process: string,
  watch: Watch = () => ({}),
) {
  const { taskQueue, fourEyes, poll, stalledCalls, events, version } = config;
  const sender = new EventSender(events);
  const bounds = { maxRetryAfterMs: stalledCalls.retryAfterMaxMs };
  const accounts = servedAccounts(config).map(([name, account]) => {
    const { observe, inspect } = watch(name);
    const clients = partnerClients(account, observe, bounds, inspect);
    const dependencies = {
      partnerAccount: name,
      wording: account,
      clients,
      taskQueue,
      stalledCalls,
      statements,
      version,
      documents: documentStore(documents),
      poll,
      process,
      fourEyes,
    };
    const queues = systemsOf(account).map((system): ActivityQueue => {
      const { credentials, ...ofQueue } = partnerWork(system, dependencies);
      const partner = { system, account, credentials };
      return { taskQueue: partnerTaskQueue(taskQueue, system, name), ...ofQueue, partner };
    });
    return { clients, queues };
  });
  const interceptors = [softwareErrors('gangway', version?.buildId)];
  const delivery: ActivityQueue = {
    taskQueue: partnerTaskQueue(taskQueue, 'events'),
    activities: deliveryActivities(events.destinations, sender),
    interceptors,
  };
  const ofPartners = accounts.flatMap(({ queues }) => queues);
  const credentials = ofPartners.flatMap(({ partner }) => partner?.credentials ?? []);
  const checks: ActivityQueue = {
    taskQueue: process,
    activities: checkActivities(credentials),
    interceptors,
  };
  return {
    queues: [delivery, ...ofPartners, checks],
    start: (client: Client) =>
      Promise.allSettled(
        credentials.map(({ account }) => callWithDeadline(() => checkNow(client, account), client)),
      ),
    release: () => Promise.all([...accounts.map(({ clients }) => closeAll(clients)), sender.close()]),
  };
}

/** Returns the activities that check credentials, each for the account whose workflow calls it. */
function checkActivities(credentials: readonly AccountCredentials[]): ProcessActivities {
  const byWorkflowId = new Map(
    credentials.map((each) => [partnerAccountId(each.account.system, each.account.account), each]),
  );
  return {
    async checkCredentials(request) {
      const { workflowExecution } = activityInfo();
      return byWorkflowId.get(workflowExecution?.workflowId ?? '')?.check(request) ?? null;
    },
  };
}

/**
 * Creates the workers besides the one for workflows: one for each partner with a URL in each account, one that delivers outbound
 * events, and one that checks this process's credentials. Each worker costs memory and polls, even while nothing happens.
 */
export async function partnerWorkers(place: WorkerPlace, config: WorkersConfig) {
  const { documentDir, statementDir, payloadKeys } = config;
  // A versioned worker would add each process's task queue to its deployment version, and the server limits their number.
  const { workerDeploymentOptions: _, ...unversioned } = place;
  const common = {
    dataConverter: dataConverter(payloadKeys, countUnreadable),
    ...SHUTDOWN,
    ...TUNING,
  };
  const [documents, statements] = await Promise.all([openStore(documentDir), openStore(statementDir)]);
  const { metricMeter: meter, logger } = Runtime.instance();
  const watch: Watch = (account) => ({
    observe: observers(countExchanges(meter, account ?? ''), traceExchanges),
    inspect: watchDrift({ meter, logger, account }),
  });
  const process = processTaskQueue(config.taskQueue);
  const { queues, start, release } = activityQueues(config, { documents, statements }, process, watch);
  const workers = await Promise.all(
    queues.map(({ interceptors, partner, ...queue }) =>
      Worker.create({
        ...(queue.taskQueue === process ? unversioned : place),
        ...common,
        ...queue,
        interceptors: interceptorOptions(interceptors),
        ...(partner && {
          // A task that would wait for a connection waits in the task queue instead, where its priority counts.
          maxConcurrentActivityTaskExecutions: DEFAULT_HTTP_LIMITS.connections,
          // The server applies the limit across all workers of the task queue, each of which must set the same limit.
          ...omitUndefined({
            maxTaskQueueActivitiesPerSecond: partner.account.activitiesPerSecond[partner.system],
          }),
        }),
      }),
    ),
  );
  return { workers, start: () => start(workersClient(place, config)), release };
}

interface PartnerDependencies extends Omit<ActivityDependencies, 'meaningOf'> {
  readonly wording: Wording;
  readonly stalledCalls: StalledCallLimits;
  readonly taskQueue: string;
  readonly version: WorkersConfig['version'];
  readonly process: string;
}

/** The activities that call a partner in one account. Without a credential check, each refused call is handled alone. */
function partnerWork(system: SystemName, dependencies: PartnerDependencies) {
  const { partnerAccount: account, clients, taskQueue, fourEyes, documents, statements } = dependencies;
  const client = clients[system];
  const place = { system, account, taskQueue, fourEyes };
  const { credentialsCheck } = PARTNERS[system];
  const credentials =
    credentialsCheck &&
    new AccountCredentials(place, dependencies.process, client, () => credentialsCheck.read(client, {}));
  const stalledCalls = new StalledCallReporter(place, dependencies.stalledCalls);
  const meanings = new StatusMeanings(place);
  const calls = callActivities({
    system,
    operations: PARTNERS[system].operations(dependencies.wording),
    client: client as unknown as PartnerClient<Operations>,
    documents,
    downloads: statements,
  });
  const callers = { ...activitiesAt(system, { ...dependencies, meaningOf: meanings.meaningOf }), ...calls };
  return {
    activities: {
      ...(credentials?.guard(callers) ?? callers),
      ...meanings.activities,
      ...accountActivities(place),
    },
    credentials,
    interceptors: [
      stalledCalls.interceptors,
      softwareErrors(system, dependencies.version?.buildId),
      boundOutcomes,
    ],
  };
}

export type WorkersConfig = Omit<WorkerSettings, 'healthAddress' | 'metricsAddress' | 'logLevel'>;

/** Activities and services on the workflows' task queue. @param client starts deliveries of outbound events */
export function workflowQueue(config: WorkersConfig, client: Client) {
  const { taskQueue, dbaForm, fourEyes, poll, events, documentDir, activePatches } = config;
  const accounts = knownAccounts(config);
  return {
    sinks: { ...traceSinks, ...publishSinks(events.destinations, client) },
    activities: {
      ...onboardingActivities(poll),
      ...correctionActivities(accounts),
      ...batchActivities({ taskQueue, dbaForm, fourEyes }, () => openStore(documentDir)),
    } satisfies OnboardingActivities & CorrectionActivities & BatchActivities,
    patchActivationCallback: patchActivation(activePatches),
    nexusServices: [nexusService({ taskQueue, dbaForm, fourEyes, accounts })],
    interceptors: interceptorOptions([softwareErrors('gangway', config.version?.buildId)]),
    // Heartbeats show a batch's progress, and tell it to stop.
    maxHeartbeatThrottleInterval: '1s',
  } satisfies Partial<WorkerOptions>;
}

/**
 * Decides whether a patch is active when a workflow first reaches it. An inactive patch leaves no marker, so the workflow can still
 * continue on a build without it.
 *
 * @param theirs decides for another program's workflows. Default: all of their patches are active
 */
export function patchActivation(
  active: readonly string[],
  theirs: PatchActivationCallback = () => true,
): PatchActivationCallback {
  return (input) =>
    input.workflowInfo.workflowType in WORKFLOW_ID_PREFIXES ? active.includes(input.patchId) : theirs(input);
}

/** Counts payloads that a worker cannot decrypt. The SDK fails such a task before Gangway's code runs. */
export function countUnreadable(): void {
  const help = 'Tasks with a payload that this worker cannot decrypt';
  const { metricMeter } = Runtime.instance();
  metricMeter.createCounter('gangway_payloads_unreadable_total', undefined, help).add(1);
}

export function workersClient(
  { connection, namespace }: { readonly connection: NativeConnection; readonly namespace: string },
  { payloadKeys }: WorkersConfig,
): Client {
  const interceptors = clientInterceptors;
  return new Client({ connection, namespace, dataConverter: dataConverter(payloadKeys), interceptors });
}

/** Returns a worker's interceptors. @param ofQueue the task queue's own, from the outermost to the innermost */
export function interceptorOptions(ofQueue: readonly ActivityInterceptorsFactory[] = []) {
  return {
    client: clientInterceptors,
    activity: [logDba, maskInputs, reportOutcomes, tracedActivities, ...ofQueue],
  } satisfies WorkerInterceptors;
}

/**
 * With a build ID, Temporal decides which build gets which task; without one, any worker gets any task. This also applies to
 * activity workers. Workflows continue on the current build, except the types that workflows/index.ts pins.
 */
export function versionOptions(
  version: WorkerSettings['version'],
): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (version === undefined) return {};
  return {
    workerDeploymentOptions: {
      useWorkerVersioning: true,
      version,
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}
