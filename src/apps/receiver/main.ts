#!/usr/bin/env node
/** The receiver process: accepts onboarding events and partner webhooks, until a signal stops it. */
import '../../platform/process/node-version.js';
import { Registry } from 'prom-client';
import { serveMetrics } from '../../platform/http/metrics.js';
import { awaitListening, closeOnSignal, runProcess } from '../../platform/process/lifecycle.js';
import { createLogger } from '../../platform/process/logging.js';
import { startTracing } from '../../platform/tracing/spans.js';
import { lazyClient, requireKeys, temporalSettings } from '../../temporal/connection.js';
import { warnOfUnknown } from '../settings.js';
import { startReceiver } from './server.js';
import { acceptsAnyone, authSetting, loadReceiverSettings, WEBHOOK_PARTNERS } from './settings.js';

async function main({ env }: NodeJS.Process): Promise<void> {
  const { logLevel, payloadKeys, metricsAddress, ...options } = loadReceiverSettings(env);
  requireKeys(temporalSettings(env).connectionOptions.address, payloadKeys);
  const logger = createLogger(logLevel);
  warnOfUnknown(logger, env, options.accounts);
  const stopTracing = await startTracing('gangway-receiver', env, logger);
  const client = lazyClient(env, payloadKeys);
  const registry = new Registry();
  const server = await awaitListening(
    'RECEIVER_ADDRESS',
    startReceiver({ ...options, client, logger, registry }),
  );
  const metrics = await awaitListening('RECEIVER_METRICS_ADDRESS', serveMetrics(registry, metricsAddress));
  const { secrets, clientsFile, taskQueue, webhooks } = options;
  if (secrets.length === 0) logger.warn('RECEIVER_SECRETS is not set: unsigned events are accepted');
  const partners = WEBHOOK_PARTNERS.filter((partner) => (webhooks[partner]?.senders.length ?? 0) > 0);
  for (const partner of partners.filter((partner) => acceptsAnyone(webhooks[partner]?.senders ?? []))) {
    logger.warn(`${authSetting(partner)} is none: webhooks from anyone are accepted`);
  }
  const counts = { secrets: secrets.length, hasClients: clientsFile !== undefined, webhooks: partners };
  logger.info({ url: server.url, metrics: metrics.url, taskQueue, ...counts }, 'receiver is ready');
  closeOnSignal([server, metrics, client.connection, { close: stopTracing }], () =>
    logger.info('receiver has stopped'),
  );
}

runProcess(main);
