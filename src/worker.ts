#!/usr/bin/env node
/**
 * The worker process: runs workflows and activities until a signal stops it (docs/operations.md, Stop a worker). Unfinished work is
 * safe: the server retries reads and unsent writes, and a sent write leaves its intent (at-most-once/README.md).
 */
import './platform/process/node-version.js';
import { Client } from '@temporalio/client';
import { makeTelemetryFilterString, NativeConnection, Runtime } from '@temporalio/worker';
import { warnOfUnknown } from './apps/settings.js';
import { servedSystems } from './partners/account-settings.js';
import { awaitListening, runProcess, STOP_SIGNALS } from './platform/process/lifecycle.js';
import { createLogger, temporalLogger } from './platform/process/logging.js';
import { startTracing } from './platform/tracing/spans.js';
import {
  onNewApiKey,
  requireKeys,
  TemporalUnavailable,
  temporalSettings,
  temporalUnavailable,
} from './temporal/connection.js';
import { missingSearchAttributes } from './temporal/search-attributes.js';
import { temporalCheck } from './temporal/server.js';
import { callPromptly } from './temporal/unavailable.js';
import { createWorker } from './worker/create-worker.js';
import { metricsOptions, serveHealth, startCounters, type Vitals } from './worker/health.js';
import { loadWorkerSettings, type WorkerSettings } from './worker/settings.js';
import { credentialAgeGauges, watchTemporal } from './worker/watch.js';

async function main({ env }: NodeJS.Process): Promise<void> {
  const config = loadWorkerSettings(env);
  const { connectionOptions, namespace } = temporalSettings(env);
  requireKeys(connectionOptions.address, config.payloadKeys);
  const logger = createLogger(config.logLevel);
  warnOfUnknown(logger, env, config.accounts);
  Runtime.install({
    logger: temporalLogger(logger),
    // The SDK's native core logs through the same logger, as JSON lines.
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN' }) },
      ...metricsOptions(config),
    },
    shutdownSignals: [...STOP_SIGNALS],
    // Otherwise each worker has a thread that reads the machine's load for heartbeats, which "gangway doctor" does not need.
    workerHeartbeatInterval: 0,
  });

  const stopTracing = await startTracing('gangway-worker', env, logger);

  // Node's warnings go through the logger too, including those about partners' deprecated operations.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => logger.warn({ warning: name }, message));

  let vitals: Vitals = { worker: () => 'STARTING', temporal: async () => false };
  const health = await awaitListening(
    'GANGWAY_HEALTH_ADDRESS',
    serveHealth(config.healthAddress, {
      worker: () => vitals.worker(),
      temporal: () => vitals.temporal(),
    }),
  );
  const connection = await NativeConnection.connect(connectionOptions).catch(async (error: unknown) => {
    throw await temporalUnavailable(connectionOptions, error);
  });
  const ages = credentialAgeGauges(Runtime.instance().metricMeter);
  ages.certificate(connectionOptions);
  if (config.payloadKeys) ages.payloadKey(config.payloadKeys);
  if (typeof connectionOptions.apiKey === 'string') ages.apiKey(connectionOptions.apiKey);
  onNewApiKey(env, (apiKey) => {
    void connection.setApiKey(apiKey);
    ages.apiKey(apiKey);
  });
  const worker = await createWorker({ connection, namespace }, config);
  const client = new Client({ connection, namespace });
  vitals = { worker: () => worker.getState(), temporal: temporalCheck(client) };
  const stopWatching = config.metricsAddress && startMetrics(client, config);
  const started = { taskQueue: config.taskQueue, ...config.version, namespace, health: health.url };
  const missing = await callPromptly(client, () => missingSearchAttributes(client)).catch(() => []);
  if (missing.length === 0) logger.info(started, 'worker is ready');
  else logger.warn({ ...started, missing }, `worker is ready, ${WITHOUT_SETUP}`);
  try {
    await worker.run();
  } finally {
    stopWatching?.();
    await health.close();
    await connection.close();
    await stopTracing();
  }
  logger.info('worker has stopped');
}

const WITHOUT_SETUP =
  'but no onboarding can start, because search attributes are missing: run "gangway setup"';

function startMetrics(client: Client, config: WorkerSettings): () => void {
  const { metricMeter } = Runtime.instance();
  const { namespace } = client.options;
  startCounters(metricMeter, { namespace, taskQueue: config.taskQueue }, servedSystems(config));
  return watchTemporal(client, config, metricMeter);
}

runProcess(main, (error) => error instanceof TemporalUnavailable);
