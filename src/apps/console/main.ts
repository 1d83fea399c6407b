#!/usr/bin/env node
/** The console process: serves the pages where people answer requirements, until a signal stops it. */
import '../../platform/process/node-version.js';
import { Registry } from 'prom-client';
import { serveMetrics } from '../../platform/http/metrics.js';
import { awaitListening, closeOnSignal, runProcess } from '../../platform/process/lifecycle.js';
import { createLogger } from '../../platform/process/logging.js';
import { startTracing } from '../../platform/tracing/spans.js';
import { lazyClient, requireKeys, temporalSettings } from '../../temporal/connection.js';
import { warnOfUnknown } from '../settings.js';
import { startConsole } from './server.js';
import { loadConsoleSettings } from './settings.js';

async function main({ env }: NodeJS.Process): Promise<void> {
  const settings = loadConsoleSettings(env);
  requireKeys(temporalSettings(env).connectionOptions.address, settings.payloadKeys);
  const logger = createLogger(settings.logLevel);
  warnOfUnknown(logger, env, settings.accounts);
  const stopTracing = await startTracing('gangway-console', env, logger);
  const client = lazyClient(env, settings.payloadKeys);
  const registry = new Registry();
  const server = await awaitListening(
    'CONSOLE_ADDRESS',
    startConsole({ settings, client, logger, registry }),
  );
  const metrics = await awaitListening(
    'CONSOLE_METRICS_ADDRESS',
    serveMetrics(registry, settings.metricsAddress),
  );
  if (!settings.oidc) logger.warn('OIDC_ISSUER is not set: anyone on this machine can use the console');
  logger.info({ url: server.url, metrics: metrics.url }, 'console is ready');
  closeOnSignal([server, metrics, client.connection, { close: stopTracing }], () =>
    logger.info('console has stopped'),
  );
}

runProcess(main);
