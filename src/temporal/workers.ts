import { createHmac, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import proto from '@temporalio/proto';
import { partnerTaskQueue } from '../messages/ids.js';
import { type SystemName, urlSetting } from '../partners/system-names.js';
import type { PayloadKey, PayloadKeys } from './payload-codec.js';
import { all, IS_RUNNING, is } from './query.js';
import { serverNow } from './server.js';
import { TransientError, undefinedIfMissing } from './unavailable.js';

/** How recently the server must have seen a poller for it to count as a running worker, in milliseconds. */
const RECENT_MS = 60_000;

const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = proto.temporal.api.enums.v1.TaskQueueType;
const TYPES = { workflow: TASK_QUEUE_TYPE_WORKFLOW, activity: TASK_QUEUE_TYPE_ACTIVITY };
const { WORKER_VERSIONING_MODE_VERSIONED } = proto.temporal.api.enums.v1.WorkerVersioningMode;

/** The systems of each account, by account name. */
export type SystemsByAccount = readonly (readonly [
  account: string | undefined,
  systems: readonly SystemName[],
])[];

/** A task queue that only this worker process polls: `gangway-host7-4711-5f1c09ab`. */
export function processTaskQueue(taskQueue: string): string {
  return `${taskQueue}-${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
}

/** Returns the task queues that all worker processes share. @param served the partners whose task queues a worker polls */
export function polledQueues(taskQueue: string, served: SystemsByAccount) {
  return [
    polled(taskQueue, 'workflow'),
    polled(taskQueue, 'activity'),
    polled(partnerTaskQueue(taskQueue, 'events'), 'activity'),
    ...partnerQueues(taskQueue, served),
  ];
}

export function partnerQueues(taskQueue: string, accounts: SystemsByAccount) {
  return accounts.flatMap(([account, systems]) =>
    systems.map((system) =>
      polled(partnerTaskQueue(taskQueue, system, account), 'activity', system, account),
    ),
  );
}

function polled(queue: string, tasks: keyof typeof TYPES, system: SystemName | '' = '', account = '') {
  return { queue, tasks, system, account };
}

/** The workers that poll a task queue, and which of them get new tasks. */
export type Pollers = Awaited<ReturnType<typeof pollersOf>>;

/** @param at counts polls in the minute before this time, by the server's clock, in milliseconds since 1970. Default: now */
export async function pollersOf(client: Client, taskQueue: string, tasks: keyof typeof TYPES, at?: number) {
  const now = at ?? (await serverNow(client, taskQueue));
  const { pollers, versioningInfo, stats } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TYPES[tasks],
    reportStats: true,
  });
  const recent = (pollers ?? []).filter(
    ({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 > now - RECENT_MS,
  );
  const entry = recent.map(({ identity, deploymentOptions }) => {
    const isVersioned = deploymentOptions?.workerVersioningMode === WORKER_VERSIONING_MODE_VERSIONED;
    return { identity, version: isVersioned ? versionOf(deploymentOptions) : undefined };
  });
  const isRamped = versioningInfo?.rampingVersionPercentage === 100;
  const target = versionOf(
    isRamped ? versioningInfo.rampingDeploymentVersion : versioningInfo?.currentDeploymentVersion,
  );
  const taking = entry.filter(({ version }) => versionName(version) === versionName(target));
  const versions = new Map(entry.map(({ version }) => [versionName(version), version]));
  return {
    // The number of workers that receive new tasks.
    taking: new Set(taking.map(({ identity }) => identity)).size,
    // The version of the workers that receive new tasks; undefined if unversioned.
    target,
    versions: [...versions.values()].filter((version) => version !== undefined),
    identities: [...new Set(entry.map(({ identity }) => identity ?? ''))].sort(),
    // The age of the oldest waiting task; 0 if none waits.
    backlogSeconds: Number(stats?.approximateBacklogAge?.seconds ?? 0),
  };
}

/** Explains why no worker gets the new tasks of a task queue, with the command that fixes it, if any. */
export function describeNoWorker(queue: string, { target, versions }: Pollers) {
  const others = versions.length > 0 ? `, only ${versions.map(versionName).join(', ')}` : '';
  if (target)
    return {
      why: `no worker of the current version ${versionName(target)} polls task queue ${queue}${others}`,
    };
  const [version] = versions;
  if (!version) return { why: `no worker polls task queue ${queue}` };
  const { deploymentName, buildId } = version;
  return {
    why: `deployment ${deploymentName} has no current version, so no worker gets new tasks of task queue ${queue}`,
    run: `temporal worker deployment set-current-version --deployment-name ${deploymentName} --build-id ${buildId} --yes`,
  };
}

export class NoWorker extends TransientError {
  override readonly name = 'NoWorker';
}

export function whyNoWorker(queue: string, pollers: Pollers): string {
  const { why, run } = describeNoWorker(queue, pollers);
  return run ? `${why}; run "${run}"` : why;
}

/**
 * Explains why no worker polls a partner task queue although workers run: they lack the partner's URL in this account. Asks the
 * server, because the account's workers may run on other machines.
 *
 * @returns undefined if a worker polls it, or no worker runs at all
 */
export async function whyOff(
  client: Client,
  taskQueue: string,
  system: SystemName,
  account: string | undefined,
): Promise<string | undefined> {
  const queue = partnerTaskQueue(taskQueue, system, account);
  const own = await pollersOf(client, queue, 'activity');
  if (own.taking > 0 || (await pollersOf(client, taskQueue, 'workflow')).taking === 0) return undefined;
  const why = whyNoWorker(queue, own);
  if (own.versions.length > 0) return why;
  const named = account === undefined ? '' : `, and ${account} in GANGWAY_ACCOUNTS,`;
  return `${why}: set ${urlSetting(system, account)}${named} for a worker`;
}

/** Returns a version as people and queries write it: `gangway:2026-11-21`. */
export function versionName(version: WorkerDeploymentVersion | undefined): string {
  return version ? `${version.deploymentName}:${version.buildId}` : 'unversioned';
}

export function versionOf(
  version: { deploymentName?: string | null; buildId?: string | null } | null | undefined,
): WorkerDeploymentVersion | undefined {
  const { deploymentName, buildId } = version ?? {};
  return deploymentName && buildId ? { deploymentName, buildId } : undefined;
}

const Status = proto.temporal.api.enums.v1.WorkerDeploymentVersionStatus;

const STATUS_NAMES: Readonly<Record<number, DeployedVersion['status']>> = {
  [Status.WORKER_DEPLOYMENT_VERSION_STATUS_CURRENT]: 'current',
  [Status.WORKER_DEPLOYMENT_VERSION_STATUS_RAMPING]: 'ramping',
  [Status.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINING]: 'draining',
  [Status.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINED]: 'drained',
};

export interface DeployedVersion {
  readonly buildId: string;
  /** `inactive`: it was never current. `draining`: it gets no new workflows, but some may be pinned to it. */
  readonly status: 'inactive' | 'current' | 'ramping' | 'draining' | 'drained';
  readonly pinned: number;
}

/** Returns the versions of a deployment; none if no versioned worker has ever polled under that name. */
export async function deployedVersions(client: Client, deploymentName: string): Promise<DeployedVersion[]> {
  const { namespace } = client.options;
  const described = await undefinedIfMissing(
    client.workflowService.describeWorkerDeployment({ namespace, deploymentName }),
  );
  return Promise.all(
    (described?.workerDeploymentInfo?.versionSummaries ?? []).map(async ({ deploymentVersion, status }) => {
      const buildId = deploymentVersion?.buildId ?? '';
      const { count: pinned } = await client.workflow.count(
        all(
          is('TemporalWorkerDeploymentVersion', `${deploymentName}:${buildId}`),
          is('TemporalWorkflowVersioningBehavior', 'Pinned'),
          IS_RUNNING,
        ),
      );
      return { buildId, status: STATUS_NAMES[status ?? 0] ?? 'inactive', pinned };
    }),
  );
}

/** With more keys, an identity could become longer than Temporal accepts. */
const MAX_KEYS = 64;

/**
 * Returns `4711@host#5f1c09ab`: process, host, and a check value for each key, with which `gangway doctor` finds the worker whose
 * key differs, although a query may reach any worker.
 *
 * @param name default: process and host, as in the SDK
 */
export function workerIdentity(keys: PayloadKeys | undefined, name = `${process.pid}@${hostname()}`): string {
  const checks = (keys ?? []).map(keyCheck);
  return checks.length > MAX_KEYS ? name : `${name}#${checks.join(',')}`;
}

/** A parsed worker identity: process and host, and the check values of its payload keys. */
export type WorkerIdentity = ReturnType<typeof parseWorkerIdentity>;

/**
 * The inverse of {@link workerIdentity}.
 *
 * @returns `keyChecks` in the order of the keys, so the first one encrypts; undefined for a worker that does not publish them
 */
export function parseWorkerIdentity(identity: string) {
  const [, name, checks] = /^(.*)#((?:[0-9a-f]{8}(?:,(?!$)|$))*)$/s.exec(identity) ?? [];
  if (name === undefined) return { name: identity, keyChecks: undefined };
  return { name, keyChecks: checks ? checks.split(',') : [] };
}

/**
 * Returns a check value that is equal for two processes only if they have the same bytes under the same ID. 32 bits of an HMAC of
 * 256 random bits reveal nothing else about the key.
 */
export function keyCheck({ id, key }: PayloadKey): string {
  return createHmac('sha256', key).update(`gangway key check ${id}`).digest('hex').slice(0, 8);
}
