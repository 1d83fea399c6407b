#!/usr/bin/env node
/** The process of the merchant's page, a client of the HTTP API. Runs until a signal stops it. */
import '../../platform/process/node-version.js';
import { Registry } from 'prom-client';
import { serveMetrics } from '../../platform/http/metrics.js';
import { awaitListening, closeOnSignal, runProcess } from '../../platform/process/lifecycle.js';
import { createLogger } from '../../platform/process/logging.js';
import { startLinkServer } from './server.js';
import { loadLinkSettings } from './settings.js';

async function main({ env }: NodeJS.Process): Promise<void> {
  const settings = loadLinkSettings(env);
  const logger = createLogger(settings.logLevel);
  const registry = new Registry();
  const server = await awaitListening('LINK_ADDRESS', startLinkServer({ settings, logger, registry }));
  const metrics = await awaitListening(
    'LINK_METRICS_ADDRESS',
    serveMetrics(registry, settings.metricsAddress),
  );
  logger.info({ url: server.url, metrics: metrics.url }, 'link is ready');
  closeOnSignal([server, metrics], () => logger.info('link has stopped'));
}

runProcess(main);
