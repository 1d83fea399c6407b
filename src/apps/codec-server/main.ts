#!/usr/bin/env node
/** The codec server process: decodes payloads for the Temporal Web UI and the `temporal` command, until a signal stops it. */
import '../../platform/process/node-version.js';
import { Registry } from 'prom-client';
import { serveMetrics } from '../../platform/http/metrics.js';
import { awaitListening, closeOnSignal, runProcess } from '../../platform/process/lifecycle.js';
import { createLogger } from '../../platform/process/logging.js';
import { warnOfUnknown } from '../settings.js';
import { startCodecServer } from './server.js';
import { loadCodecSettings } from './settings.js';

async function main({ env }: NodeJS.Process): Promise<void> {
  const { logLevel, metricsAddress, ...options } = loadCodecSettings(env);
  const logger = createLogger(logLevel);
  warnOfUnknown(logger, env);
  const registry = new Registry();
  const server = await awaitListening('CODEC_ADDRESS', startCodecServer({ ...options, logger, registry }));
  const metrics = await awaitListening('CODEC_METRICS_ADDRESS', serveMetrics(registry, metricsAddress));
  const { uiOrigin, keys } = options;
  const ready = { url: server.url, metrics: metrics.url, uiOrigin, keys: keys.map(({ id }) => id) };
  logger.info(ready, 'codec server is ready');
  closeOnSignal([server, metrics], () => logger.info('codec server has stopped'));
}

runProcess(main);
