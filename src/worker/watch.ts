import { X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ConnectionOptions } from '@temporalio/client';
import type { MetricMeter } from '@temporalio/common';
import { decodeJwt } from 'jose';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { TYPES_WITH_PARTS } from '../messages/workflow-types.js';
import { servedSystems } from '../partners/account-settings.js';
import { SYSTEM_NAMES, type SystemName } from '../partners/system-names.js';
import { ofAccount } from '../temporal/find-onboarding.js';
import type { PayloadKeys } from '../temporal/payload-codec.js';
import { all, type Condition, compareField, IS_RUNNING, is, isIn, isNot } from '../temporal/query.js';
import { listOnboardings } from '../temporal/search.js';
import {
  type DeployedVersion,
  deployedVersions,
  partnerQueues,
  polledQueues,
  pollersOf,
  type SystemsByAccount,
  versionName,
} from '../temporal/workers.js';
import type { WorkerSettings } from './settings.js';

/**
 * The interval between queries of Temporal, in milliseconds. Every worker process runs these queries, and Temporal limits the rate.
 */
const EVERY_MS = 30_000;

/** Counts a customer's parts, not the customer itself, which waits whenever a part of it waits. */
const EXCLUDE_PARENTS = TYPES_WITH_PARTS.map((type) => isNot('WorkflowType', type));

/** The context in which a gauge queries Temporal and shows the result. */
interface GaugeContext {
  readonly client: Client;
  readonly taskQueue: string;
  readonly accounts: SystemsByAccount;
  readonly gauge: (name: string, help: string) => ReturnType<MetricMeter['createGauge']>;
}

/**
 * Gauges of facts that only Temporal knows: workflows that wait for a person, tasks that wait for a worker, the workers that get
 * new tasks, and whether Temporal responds. Each worker process shows the same numbers. While Temporal does not respond, they keep
 * their last values.
 */
export function watchTemporal(client: Client, config: WorkerSettings, meter: MetricMeter): () => void {
  const watched = {
    client,
    taskQueue: config.taskQueue,
    accounts: servedSystems(config),
    gauge: (name: string, help: string) => meter.createGauge(name, 'int', undefined, help),
  };
  const queries = [waitingWorkflows, openRequirements, taskQueues, buildsWithoutWorkers].map((each) =>
    each(watched),
  );
  const reachable = watched.gauge(
    'gangway_temporal_reachable',
    'Whether Temporal responded to the last query of this worker',
  );
  const update = () => Promise.all(queries.map((query) => query()));
  const stopping = new AbortController();
  const { signal } = stopping;
  const watch = async () => {
    for (; !signal.aborted; await sleep(EVERY_MS, undefined, { signal, ref: false })) {
      const deadline = Date.now() + 10_000;
      const responded = await client.withDeadline(deadline, update).then(
        () => 1,
        () => 0,
      );
      reachable.set(responded);
    }
  };
  watch().catch(() => undefined);
  return () => stopping.abort();
}

/** Counts the workflows that wait for a person and those that are overdue, by Temporal's visibility. */
function waitingWorkflows({ client, taskQueue, accounts, gauge }: GaugeContext) {
  const waiting = gauge('gangway_workflows_waiting', 'Workflows that wait for a person');
  const overdue = gauge('gangway_workflows_overdue', 'Workflows that wait for a person, past the due time');
  return async () => {
    for (const [account] of accounts) {
      const labels = { account: account ?? '' };
      const waitingCount = await client.workflow.count(queryOf(taskQueue, account));
      const late = await client.workflow.count(queryOf(taskQueue, account, new Date()));
      waiting.set(waitingCount.count, labels);
      overdue.set(late.count, labels);
    }
  };
}

/**
 * The kinds of requirements that have an alert. An alert needs a gauge. A counter resets with its process, and is wrong after a
 * namespace restore.
 */
const ALERTING_KINDS: readonly string[] = [
  'uncertain-write',
  'credentials',
  'one-time-code',
  'software-error',
];

/** The maximum number of workflows to read. With more, the gauge counts too few, but an alert needs only one. */
const MAX_OPEN = 1_000;

function openRequirements({ client, taskQueue, gauge }: GaugeContext) {
  const open = gauge(
    'gangway_requirements_open',
    'Open requirements of the kinds that have an alert, in at most 1,000 workflows',
  );
  const condition = isIn(SEARCH_ATTRIBUTES.requirements, ALERTING_KINDS);
  const query = all(is('TaskQueue', taskQueue), IS_RUNNING, ...EXCLUDE_PARENTS, condition);
  const labels = new Set<string>();
  return async () => {
    const onboardings = await Array.fromAsync(listOnboardings(client, query, MAX_OPEN));
    const keys = onboardings.flatMap(({ system, partnerAccount: account = '', requirements }) =>
      requirements
        .filter(({ kind }) => ALERTING_KINDS.includes(kind))
        .map(({ kind }) => JSON.stringify({ kind, system, account })),
    );
    for (const key of keys) labels.add(key);
    for (const key of labels) open.set(keys.filter((each) => each === key).length, JSON.parse(key));
  };
}

/** @param dueBefore if set, selects only workflows that are due before that time */
function queryOf(taskQueue: string, account: string | undefined, dueBefore?: Date): Condition {
  return all(
    ofAccount(taskQueue, account),
    IS_RUNNING,
    ...EXCLUDE_PARENTS,
    is(SEARCH_ATTRIBUTES.actionRequired, true),
    dueBefore && compareField(SEARCH_ATTRIBUTES.actionDueAt, '<', dueBefore),
  );
}

/** Checks unpolled task queues on every 20th update, about every ten minutes. */
const ROUNDS_PER_UNPOLLED_QUERY = 20;

/** Shows how long each queue's tasks wait and, if workers poll it, how many get its new tasks. */
function taskQueues({ client, taskQueue, accounts, gauge }: GaugeContext) {
  const workers = gauge('gangway_task_queue_workers', 'Workers that get the new tasks of a task queue');
  const age = gauge('gangway_task_queue_backlog_age_seconds', 'How long the oldest task has waited');
  const polled = polledQueues(taskQueue, accounts);
  const notIn = (served: readonly SystemName[]) => (system: SystemName) => !served.includes(system);
  const unservedSystems = accounts.map(
    ([account, served]) => [account, SYSTEM_NAMES.filter(notIn(served))] as const,
  );
  const unpolled = partnerQueues(taskQueue, unservedSystems);
  let round = 0;
  return async () => {
    const isUnpolledDue = round++ % ROUNDS_PER_UNPOLLED_QUERY === 0;
    for (const each of isUnpolledDue ? [...polled, ...unpolled] : polled) {
      const { queue, tasks, ...labels } = each;
      const { taking, backlogSeconds } = await pollersOf(client, queue, tasks);
      const attributes = { ...labels, task_queue: queue, task_type: tasks };
      if (polled.includes(each)) workers.set(taking, attributes);
      age.set(backlogSeconds, attributes);
    }
  };
}

/** Finds builds that need workers: the current one, a ramping one, and those with pinned workflows. */
function buildsWithoutWorkers({ client, taskQueue, gauge }: GaugeContext) {
  const missing = gauge(
    'gangway_build_without_workers',
    'Whether a current, ramping or pinned build has no worker',
  );
  const labels = new Set<string>();
  return async () => {
    const { target, versions } = await pollersOf(client, taskQueue, 'workflow');
    const polling = new Set(versions.map(versionName));
    const names = new Set([target, ...versions].flatMap((version) => version?.deploymentName ?? []));
    const unserved = new Set<string>();
    for (const deploymentName of names) {
      for (const version of await deployedVersions(client, deploymentName)) {
        const isNeeded = needsWorkers(version);
        const name = versionName({ deploymentName, buildId: version.buildId });
        if (isNeeded) labels.add(name);
        if (isNeeded && !polling.has(name)) unserved.add(name);
      }
    }
    for (const build of labels) missing.set(unserved.has(build) ? 1 : 0, { build });
  };
}

export function needsWorkers({ status, pinned }: Pick<DeployedVersion, 'status' | 'pinned'>): boolean {
  return status === 'current' || status === 'ramping' || pinned > 0;
}

/** Shows when credentials expire and when the payload key was created, so that people replace them in time. */
export function credentialAgeGauges(meter: MetricMeter) {
  const gauge = (name: string, help: string) => meter.createGauge(name, 'int', undefined, help);
  const expires = gauge(
    'gangway_credential_expires_timestamp_seconds',
    'When a credential for Temporal expires',
  );
  const created = gauge(
    'gangway_payload_key_created_timestamp_seconds',
    'When the key that encrypts payloads was created',
  );
  return {
    certificate({ tls }: Pick<ConnectionOptions, 'tls'>): void {
      const pair = typeof tls === 'object' ? tls?.clientCertPair : undefined;
      if (!pair) return;
      const { validTo } = new X509Certificate(Buffer.from(pair.crt));
      expires.set(Date.parse(validTo) / 1_000, { credential: 'certificate' });
    },
    apiKey(key: string): void {
      const end = expiryOf(key);
      if (end !== undefined) expires.set(end, { credential: 'api-key' });
    },
    /** Shows when the key that encrypts was created, if its ID contains the date. */
    payloadKey([{ id }]: PayloadKeys): void {
      const [, year, month, day] = /^k(\d{4})(\d{2})(\d{2})-/.exec(id) ?? [];
      const at = Date.parse(`${year}-${month}-${day}`);
      if (Number.isFinite(at)) created.set(at / 1_000, { key: id });
    },
  };
}

/** An API key of Temporal Cloud is a JWT. */
function expiryOf(key: string): number | undefined {
  try {
    return decodeJwt(key).exp;
  } catch {
    return undefined;
  }
}
