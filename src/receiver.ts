#!/usr/bin/env node
/** The receiver process: accepts onboarding events and partner webhooks, until a signal stops it. */
import './process/node-version.js';
import { Registry } from 'prom-client';
import { warnOfUnknown } from './commands/system/doctor/settings.js';
import { serveMetrics } from './http/metrics.js';
import { closeOnSignal, listeningAt, runProcess } from './process/lifecycle.js';
import { createLogger } from './process/logging.js';
import { startReceiver } from './receiver/server.js';
import { acceptsAnyone, authSetting, loadReceiverSettings, WEBHOOK_PARTNERS } from './receiver/settings.js';
import { lazyClient, requireKeys, temporalSettings } from './temporal/connection.js';
import { startTracing } from './tracing/spans.js';

async function main({ env }: NodeJS.Process): Promise<void> {
  const { logLevel, payloadKeys, metricsAddress, ...options } = loadReceiverSettings(env);
  requireKeys(temporalSettings(env).connectionOptions.address, payloadKeys);
  const logger = createLogger(logLevel);
  warnOfUnknown(logger, env, options.accounts);
  const stopTracing = await startTracing('gangway-receiver', env, logger);
  const client = lazyClient(env, payloadKeys);
  const registry = new Registry();
  const server = await listeningAt(
    'RECEIVER_ADDRESS',
    startReceiver({ ...options, client, logger, registry }),
  );
  const metrics = await listeningAt('RECEIVER_METRICS_ADDRESS', serveMetrics(registry, metricsAddress));
  const { secrets, tokens, taskQueue, webhooks } = options;
  if (secrets.length === 0) logger.warn('RECEIVER_SECRETS is not set: unsigned events are accepted');
  const partners = WEBHOOK_PARTNERS.filter((partner) => (webhooks[partner]?.senders.length ?? 0) > 0);
  for (const partner of partners.filter((partner) => acceptsAnyone(webhooks[partner]?.senders ?? []))) {
    logger.warn(`${authSetting(partner)} is none: webhooks from anyone are accepted`);
  }
  const counts = { secrets: secrets.length, tokens: tokens.length, webhooks: partners };
  logger.info({ url: server.url, metrics: metrics.url, taskQueue, ...counts }, 'receiver is ready');
  closeOnSignal([server, metrics, client.connection, { close: stopTracing }], () =>
    logger.info('receiver has stopped'),
  );
}

runProcess(main);
