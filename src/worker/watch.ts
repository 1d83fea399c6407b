import { X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ConnectionOptions } from '@temporalio/client';
import type { MetricMeter } from '@temporalio/common';
import { decodeJwt } from 'jose';
import type { WorkflowType } from '../messages/ids.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { servedAccounts } from '../partners/account-settings.js';
import type { PayloadKeys } from '../temporal/payload-codec.js';
import { deployedVersions, nameOf, polledQueues, pollersOf } from '../temporal/workers.js';
import type { WorkerSettings } from './settings.js';

/** How often Temporal is asked, in milliseconds: a few calls for each worker process, which it bounds by the second. */
const EVERY_MS = 30_000;

/** How long Temporal may take over all of them. */
const DEADLINE_MS = 10_000;

/** A customer waits as long as one of its parts does, which are counted themselves. */
const CUSTOMER: WorkflowType = 'customerOnboarding';

/** What a watcher needs; each asks Temporal once and shows what it says. */
interface Watched {
  readonly client: Client;
  readonly taskQueue: string;
  /** undefined for the one without a name */
  readonly accounts: readonly (string | undefined)[];
  readonly gauge: (name: string, help: string) => ReturnType<MetricMeter['createGauge']>;
}

/**
 * Shows what only Temporal knows: workflows that wait for a person, tasks that wait for a worker and who takes them, and
 * whether it answered at all. Each worker process shows the same numbers. While Temporal does not answer they stay as they
 * were.
 *
 * @returns ends it
 */
export function watchTemporal(client: Client, config: WorkerSettings, meter: MetricMeter): () => void {
  const watched = {
    client,
    taskQueue: config.taskQueue,
    accounts: servedAccounts(config).map(([name]) => name),
    gauge: (name: string, help: string) => meter.createGauge(name, 'int', undefined, help),
  };
  const asks = [waitingWorkflows(watched), taskQueues(watched), builds(watched)];
  const answers = watched.gauge(
    'gangway_temporal_answers',
    'Whether Temporal answered this worker at its last try',
  );
  const ask = () => Promise.all(asks.map((each) => each()));
  const stopping = new AbortController();
  const { signal } = stopping;
  const watch = async () => {
    for (; !signal.aborted; await sleep(EVERY_MS, undefined, { signal, ref: false })) {
      const deadline = Date.now() + DEADLINE_MS;
      const answered = await client.connection.withDeadline(deadline, ask).then(
        () => 1,
        () => 0,
      );
      answers.set(answered);
    }
  };
  watch().catch(() => undefined);
  return () => stopping.abort();
}

/** How many workflows wait for a person, and how many of those are overdue, as Temporal's visibility counts them. */
function waitingWorkflows({ client, taskQueue, accounts, gauge }: Watched) {
  const waiting = gauge('gangway_workflows_waiting', 'Workflows that wait for a person');
  const overdue = gauge(
    'gangway_workflows_overdue',
    'Workflows that wait for a person longer than they should',
  );
  return async () => {
    for (const account of accounts) {
      const labels = { account: account ?? '' };
      const all = await client.workflow.count(queryOf(taskQueue, account));
      const late = await client.workflow.count(queryOf(taskQueue, account, new Date()));
      waiting.set(all.count, labels);
      overdue.set(late.count, labels);
    }
  };
}

/** @param dueBefore leaves out what has more time */
function queryOf(taskQueue: string, account: string | undefined, dueBefore?: Date): string {
  const { name } = SEARCH_ATTRIBUTES.partnerAccount;
  return [
    `TaskQueue = '${taskQueue.replaceAll("'", "''")}'`,
    account === undefined ? `${name} IS NULL` : `${name} = '${account}'`,
    "ExecutionStatus = 'Running'",
    `WorkflowType != '${CUSTOMER}'`,
    'ActionRequired = true',
    ...(dueBefore ? [`ActionDueAt < '${dueBefore.toISOString()}'`] : []),
  ].join(' AND ');
}

/** Who takes new tasks from each task queue, and how long they wait there. */
function taskQueues({ client, taskQueue, accounts, gauge }: Watched) {
  const takers = gauge('gangway_task_queue_workers', 'Workers that are given new tasks of a task queue');
  const age = gauge('gangway_task_queue_backlog_age_seconds', 'How long the oldest task has waited');
  const queues = polledQueues(taskQueue, accounts);
  return async () => {
    for (const { queue, tasks, ...labels } of queues) {
      const { taking, backlogSeconds } = await pollersOf(client, queue, tasks);
      takers.set(taking, { ...labels, task_queue: queue, task_type: tasks });
      age.set(backlogSeconds, { ...labels, task_queue: queue, task_type: tasks });
    }
  };
}

/** Builds that must have workers: the current one, one that gets a part of the onboardings, those that workflows are pinned to. */
function builds({ client, taskQueue, gauge }: Watched) {
  const missing = gauge(
    'gangway_build_without_workers',
    'Whether a build that is current, ramping or pinned to has no worker',
  );
  const shown = new Set<string>();
  return async () => {
    const { target, versions } = await pollersOf(client, taskQueue, 'workflow');
    const polling = new Set(versions.map(nameOf));
    const names = new Set([target, ...versions].flatMap((version) => version?.deploymentName ?? []));
    const unserved = new Set<string>();
    for (const deploymentName of names) {
      for (const { buildId, status, pinned } of await deployedVersions(client, deploymentName)) {
        const isNeeded = status === 'current' || status === 'ramping' || pinned > 0;
        const name = nameOf({ deploymentName, buildId });
        if (isNeeded) shown.add(name);
        if (isNeeded && !polling.has(name)) unserved.add(name);
      }
    }
    for (const build of shown) missing.set(unserved.has(build) ? 1 : 0, { build });
  };
}

/** What lets this process in, and how old that gets. */
export interface Ages {
  /** When our certificate at Temporal ends. */
  certificate(options: Pick<ConnectionOptions, 'tls'>): void;
  /** When an API key of Temporal ends, if it is one that says so. */
  apiKey(key: string): void;
  /** When the key that encrypts was made, if its id tells the day. */
  payloadKey(keys: PayloadKeys): void;
}

/** Shows the ages of credentials, in seconds since 1970, so that they are replaced in time. */
export function watchAges(meter: MetricMeter): Ages {
  const expires = meter.createGauge(
    'gangway_credential_expires_timestamp_seconds',
    'int',
    undefined,
    'When what lets us in at Temporal ends',
  );
  const made = meter.createGauge(
    'gangway_payload_key_made_timestamp_seconds',
    'int',
    undefined,
    'When the key that encrypts payloads was made',
  );
  return {
    certificate({ tls }) {
      const pair = typeof tls === 'object' ? tls?.clientCertPair : undefined;
      if (!pair) return;
      const { validTo } = new X509Certificate(Buffer.from(pair.crt));
      expires.set(Date.parse(validTo) / 1_000, { credential: 'certificate' });
    },
    apiKey(key) {
      const end = expiryOf(key);
      if (end !== undefined) expires.set(end, { credential: 'api-key' });
    },
    payloadKey([{ id }]) {
      const [, year, month, day] = /^k(\d{4})(\d{2})(\d{2})-/.exec(id) ?? [];
      const at = Date.parse(`${year}-${month}-${day}`);
      if (Number.isFinite(at)) made.set(at / 1_000, { key: id });
    },
  };
}

/** A key of Temporal Cloud is a JWT. */
function expiryOf(key: string): number | undefined {
  try {
    return decodeJwt(key).exp;
  } catch {
    return undefined;
  }
}
