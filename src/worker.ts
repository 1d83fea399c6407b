#!/usr/bin/env node
/** The worker process: runs workflows and activities until SIGTERM or SIGINT, then finishes what it has begun. */
import { makeTelemetryFilterString, NativeConnection, Runtime } from '@temporalio/worker';
import { BadSetting, type Config, loadConfig } from './config.js';
import { createLogger } from './logging.js';
import { requireKeys, TemporalAway, temporalSettings } from './temporal/connection.js';
import { createWorker } from './worker/create-worker.js';
import { serveHealth } from './worker/health.js';
import { temporalLogger } from './worker/temporal-logger.js';

async function main(): Promise<void> {
  const config = loadConfig();
  const { connectionOptions, namespace } = temporalSettings();
  requireKeys(connectionOptions.address, config.payloadKeys);
  const logger = createLogger(config.logLevel);
  Runtime.install({
    logger: temporalLogger(logger),
    // What the SDK's native part says goes through the same logger, as JSON lines.
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN' }) },
      ...metricsOf(config),
    },
    shutdownSignals: ['SIGTERM', 'SIGINT'],
  });

  // What Node warns of goes the same way, deprecated operations of partners among it.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => logger.warn({ warning: name }, message));

  let state = () => 'STARTING';
  const health = await serveHealth(config.healthAddress, () => state()).catch((error: unknown) => {
    throw new BadSetting('GANGWAY_HEALTH_ADDRESS', error instanceof Error ? error.message : 'cannot be used');
  });
  const connection = await NativeConnection.connect(connectionOptions).catch((error: unknown) => {
    throw new TemporalAway(connectionOptions.address, { cause: error });
  });
  const worker = await createWorker({ connection, namespace, config });
  state = () => worker.getState();
  logger.info({ taskQueue: config.taskQueue, namespace, health: health.url }, 'worker is ready');
  try {
    await worker.run();
  } finally {
    await health.close();
    await connection.close();
  }
  logger.info('worker has stopped');
}

function metricsOf({ metricsAddress }: Config) {
  if (!metricsAddress) return {};
  const { host, port } = metricsAddress;
  return { metrics: { prometheus: { bindAddress: `${host}:${port}` } } };
}

main().catch((error: unknown) => {
  const expected = error instanceof BadSetting || error instanceof TemporalAway;
  process.stderr.write(`${expected ? error.message : error instanceof Error ? error.stack : error}\n`);
  // Whatever is open by now, native connections too, would keep the process alive.
  process.exit(error instanceof BadSetting ? 2 : 1);
});
