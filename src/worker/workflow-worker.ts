import { Client } from '@temporalio/client';
import {
  type ActivityInterceptorsFactory,
  type NativeConnection,
  type PatchActivationCallback,
  Runtime,
  type WorkerInterceptors,
  type WorkerOptions,
} from '@temporalio/worker';
import { batchActivities } from '../activities/batches.js';
import { correctionActivities } from '../activities/corrections.js';
import { holdsInputs, namesDba } from '../activities/interceptors.js';
import { reportsWrites } from '../activities/marks.js';
import { onboardingActivities } from '../activities/onboardings.js';
import { publishSinks } from '../activities/outbound-events.js';
import { softwareErrors } from '../activities/software-errors.js';
import type { CorrectionActivities, OnboardingActivities } from '../messages/activities.js';
import type { BatchActivities } from '../messages/batches.js';
import { WORKFLOW_ID_PREFIXES } from '../messages/ids.js';
import { knownAccounts } from '../messages/inputs.js';
import { openStore } from '../platform/documents/open-store.js';
import { clientInterceptors } from '../temporal/connection.js';
import { dataConverter } from '../temporal/payload-codec.js';
import { tracedActivities, traceSinks } from '../temporal/tracing.js';
import { nexusService } from './nexus/service.js';
import type { WorkerSettings } from './settings.js';

export type WorkersConfig = Omit<WorkerSettings, 'healthAddress' | 'metricsAddress' | 'logLevel'>;

/**
 * The activities and services on the task queue of the workflows, besides the workflows. @param client starts the deliveries of
 * outbound events
 */
export function workflowQueue(config: WorkersConfig, client: Client) {
  const { taskQueue, dbaForm, poll, events, documentDir, activePatches } = config;
  const known = knownAccounts(config);
  return {
    sinks: { ...traceSinks, ...publishSinks(events.destinations, client) },
    activities: {
      ...onboardingActivities(poll),
      ...correctionActivities(known),
      ...batchActivities({ taskQueue, dbaForm }, () => openStore(documentDir)),
    } satisfies OnboardingActivities & CorrectionActivities & BatchActivities,
    patchActivationCallback: patchActivation(activePatches),
    nexusServices: [nexusService({ taskQueue, dbaForm, known })],
    interceptors: intercepted([softwareErrors('gangway', config.version?.buildId)]),
    // A batch shows its progress, and learns that it is to stop, by its heartbeats.
    maxHeartbeatThrottleInterval: '1s',
  } satisfies Partial<WorkerOptions>;
}

/**
 * Decides about a patch when a workflow first gets to it. An inactive one leaves no marker, so the workflow can still continue on a
 * build without the patch.
 *
 * @param theirs decides for the workflows of another program. Default: all of their patches are active
 */
export function patchActivation(
  active: readonly string[],
  theirs: PatchActivationCallback = () => true,
): PatchActivationCallback {
  return (input) =>
    input.workflowInfo.workflowType in WORKFLOW_ID_PREFIXES ? active.includes(input.patchId) : theirs(input);
}

/** Counts what a worker cannot decrypt: the SDK fails such a task before Gangway's code runs. */
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

/** The interceptors of every worker. @param ofQueue those of one task queue, from the outermost to the innermost */
export function intercepted(ofQueue: readonly ActivityInterceptorsFactory[] = []) {
  return {
    client: clientInterceptors,
    activity: [namesDba, holdsInputs, reportsWrites, tracedActivities, ...ofQueue],
  } satisfies WorkerInterceptors;
}

/**
 * With a build id, Temporal decides which build gets which task; without one, any worker gets any task. This also applies to
 * workers of activities. Workflows continue on the current build, except those that workflows/index.ts pins.
 */
export function versioned(
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
