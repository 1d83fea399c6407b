import type { MetricMeter } from '@temporalio/common';
import type { TelemetryOptions } from '@temporalio/worker';
import Fastify from 'fastify';
import { systemOf, WORKFLOW_ID_PREFIXES, type WorkflowType, workflowId } from '../messages/ids.js';
import { REQUIREMENT_KINDS } from '../messages/requirements.js';
import { COUNTERS } from '../messages/search-attributes.js';
import type { PartnerObserver } from '../partners/http.js';
import { SYSTEM_NAMES } from '../partners/systems.js';
import type { WorkerSettings } from './settings.js';

export interface HealthServer {
  /** Where it listens: `http://127.0.0.1:8081`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface Vitals {
  /** The worker's own state: `RUNNING` when it takes tasks, `FAILED` when a part of it has broken. */
  readonly worker: () => string;
  /** Whether Temporal answers; in bounded time. */
  readonly temporal: () => Promise<boolean>;
}

/**
 * `/healthz` answers 200 as long as the process lives and no part of the worker has failed: otherwise it should be started
 * anew. `/readyz` answers 200 only while the worker takes tasks and reaches Temporal. Neither looks at the partners, for a
 * worker that waits for one does its work.
 */
export async function serveHealth(
  address: { readonly host: string; readonly port: number },
  { worker, temporal }: Vitals,
): Promise<HealthServer> {
  const server = Fastify();
  server.get('/healthz', (_, reply) => {
    const hasFailed = worker() === 'FAILED';
    return reply.code(hasFailed ? 503 : 200).send({ status: hasFailed ? 'failed' : 'ok' });
  });
  server.get('/readyz', async (_, reply) => {
    const [state, answers] = [worker(), await temporal()];
    const isReady = state === 'RUNNING' && answers;
    return reply.code(isReady ? 200 : 503).send({ worker: state, temporal: answers ? 'ready' : 'away' });
  });
  const url = await server.listen(address);
  return { url, close: () => server.close() };
}

const CALL_SECONDS = 'gangway_partner_call_duration_seconds';

/** Up to the longest that a call may take. */
const CALL_SECONDS_BUCKETS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 45];

/** The SDK's own exporter, which serves what we count beside what it counts itself; nothing where nobody is to read it. */
export function metricsOptions({
  metricsAddress,
}: Pick<WorkerSettings, 'metricsAddress'>): Pick<TelemetryOptions, 'metrics'> {
  if (!metricsAddress) return {};
  const { host, port } = metricsAddress;
  const histogramBucketOverrides = { [CALL_SECONDS]: CALL_SECONDS_BUCKETS };
  return { metrics: { prometheus: { bindAddress: `${host}:${port}`, histogramBucketOverrides } } };
}

/**
 * Counts and times each HTTP exchange with a partner: by system, account, operation and HTTP status, or kind of failure.
 *
 * @param account '' for the one without a name
 */
export function countExchanges(meter: MetricMeter, account: string): PartnerObserver {
  const calls = meter.createCounter('gangway_partner_calls_total', undefined, 'HTTP calls of partners');
  const help = 'How long HTTP calls of partners took';
  const seconds = meter.createHistogram(CALL_SECONDS, 'float', undefined, help);
  return ({ system, operation }) => {
    const began = performance.now();
    return (end) => {
      seconds.record((performance.now() - began) / 1_000, { system, account, operation });
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
 * Begins the counts of requirements at zero. Prometheus sees an increase only from a value that it knows, and an alert must
 * not miss the first one.
 *
 * @param accounts '' for the one without a name
 */
export function beginRequirements(
  meter: MetricMeter,
  worker: { namespace: string; taskQueue: string },
  accounts: readonly string[],
): void {
  const { requirementsRaised, requirementsAnswered, requirementsClosed } = COUNTERS;
  for (const [name, help] of [requirementsRaised, requirementsAnswered, requirementsClosed]) {
    const counter = meter.createCounter(name, undefined, help);
    for (const { workflowType, system } of ASKING)
      for (const kind of REQUIREMENT_KINDS)
        for (const account of accounts) counter.add(0, { ...worker, workflowType, system, account, kind });
  }
}

/** Which workflows ask, and about which partner. The children of a customer ask, and it only passes their answers on. */
const ASKING = (Object.keys(WORKFLOW_ID_PREFIXES) as WorkflowType[])
  .filter((type) => type !== 'customerOnboarding')
  .flatMap((workflowType) => {
    const keys = workflowType === 'partnerAccount' ? SYSTEM_NAMES : ['any'];
    return keys.map((key) => ({ workflowType, system: systemOf(workflowId(workflowType, key)) }));
  });
