import type { MetricMeter } from '@temporalio/common';
import type { TelemetryOptions } from '@temporalio/worker';
import { READS } from '../activities/poll.js';
import { COUNTERS } from '../messages/codes.js';
import { metricLabels, POLLS, partnerTaskQueue, systemOf, workflowId } from '../messages/ids.js';
import { REQUIREMENT_KINDS } from '../messages/requirements.js';
import { ACCOUNTS, ASKING } from '../messages/workflow-types.js';
import { SYSTEM_NAMES } from '../partners/descriptors.js';
import type { PartnerObserver } from '../partners/exchange-observers.js';
import { type ListenAddress, type Listening, listen, serverWithin } from '../platform/http/server.js';
import type { SystemsByAccount } from '../temporal/workers.js';
import type { WorkerSettings } from './settings.js';

export interface Vitals {
  /** The state of the worker: `RUNNING` while it takes tasks, `FAILED` if a part of it has failed. */
  readonly worker: () => string;
  readonly temporal: () => Promise<boolean>;
}

/**
 * `/healthz` responds with 200 until a part of the worker fails and the process should be restarted. `/readyz` responds with 200
 * only while the worker takes tasks and reaches Temporal. Neither checks the partners, because a worker may wait for a partner.
 */
export function serveHealth(address: ListenAddress, { worker, temporal }: Vitals): Promise<Listening> {
  const server = serverWithin();
  server.get('/healthz', (_, reply) => {
    const hasFailed = worker() === 'FAILED';
    return reply.code(hasFailed ? 503 : 200).send({ status: hasFailed ? 'failed' : 'ok' });
  });
  server.get('/readyz', async (_, reply) => {
    const [state, isReachable] = [worker(), await temporal()];
    const isReady = state === 'RUNNING' && isReachable;
    const reported = { worker: state, temporal: isReachable ? 'ready' : 'unavailable' };
    return reply.code(isReady ? 200 : 503).send(reported);
  });
  return listen(server, address);
}

const CALL_SECONDS = 'gangway_partner_call_duration_seconds';

/** Up to the longest duration of an exchange, in seconds. */
const CALL_SECONDS_BUCKETS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 45];

/** Options of the SDK's exporter, which serves the SDK's and Gangway's metrics. Off without an address. */
export function metricsOptions({
  metricsAddress,
}: Pick<WorkerSettings, 'metricsAddress'>): Pick<TelemetryOptions, 'metrics'> {
  if (!metricsAddress) return {};
  const { host, port } = metricsAddress;
  const histogramBucketOverrides = { [CALL_SECONDS]: CALL_SECONDS_BUCKETS };
  return { metrics: { prometheus: { bindAddress: `${host}:${port}`, histogramBucketOverrides } } };
}

/** Counts and times each HTTP exchange with a partner: by system, account, operation and HTTP status, or kind of failure. */
export function countExchanges(meter: MetricMeter, account: string): PartnerObserver {
  const calls = meter.createCounter('gangway_partner_calls_total', undefined, 'HTTP calls to partners');
  const help = 'Duration of HTTP calls to partners';
  const seconds = meter.createHistogram(CALL_SECONDS, 'float', undefined, help);
  return ({ system, operation }) => {
    const began = performance.now();
    return (end) => {
      const isPaused = 'failure' in end && end.failure === 'Paused';
      if (!isPaused) seconds.record((performance.now() - began) / 1_000, { system, account, operation });
      calls.add(1, {
        system,
        account,
        operation,
        status: 'status' in end ? String(end.status) : end.failure,
      });
    };
  };
}

/**
 * Starts the counters of requirements and status changes at zero. Prometheus computes an increase only from an earlier value, and an
 * alert must not miss the first requirement.
 */
export function startCounters(
  meter: MetricMeter,
  worker: { namespace: string; taskQueue: string },
  accounts: SystemsByAccount,
): void {
  for (const [event, [name, help]] of Object.entries(COUNTERS)) {
    if (!event.startsWith('requirement-')) continue;
    const counter = meter.createCounter(name, undefined, help);
    for (const { workflowType, system } of RAISING)
      for (const kind of REQUIREMENT_KINDS)
        for (const account of accountsWith(system, accounts))
          counter.add(0, { ...worker, workflowType, system, account, kind });
  }
  const reads = meter.createCounter(...READS);
  for (const { type, activity: activityType } of POLLS)
    for (const account of accountsWith(systemOf(workflowId(type, 'any')), accounts)) {
      const about = metricLabels(workflowId(type, 'any', account || undefined));
      const taskQueue = partnerTaskQueue(worker.taskQueue, about.system || undefined, account || undefined);
      reads.add(0, { ...worker, taskQueue, activityType, ...about, result: 'changed' });
    }
}

/** Returns the label values of the accounts in which a system is on. */
function accountsWith(system: string, accounts: SystemsByAccount): string[] {
  return accounts.flatMap(([account = '', on]) => (on.some((name) => name === system) ? [account] : []));
}

/** The workflow types that raise requirements, and their partners. */
const RAISING = ASKING.flatMap((workflowType) => {
  const keys = workflowType in ACCOUNTS ? SYSTEM_NAMES : ['any'];
  return keys.map((key) => ({ workflowType, system: systemOf(workflowId(workflowType, key)) }));
});
