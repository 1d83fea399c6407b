#!/usr/bin/env node
import { createLogger, runProcess } from './process/logging.js';
import { startReceiver } from './receiver/server.js';
import { authSetting, loadReceiverSettings, takesAnyone, WEBHOOK_PARTNERS } from './receiver/settings.js';
/** The receiver process: takes events and partners' webhooks, until SIGTERM or SIGINT. */
import { BadSetting } from './settings/settings.js';
import { lazyClient, requireKeys, temporalSettings } from './temporal/connection.js';
import { startTracing } from './tracing/export.js';

async function main({ env }: NodeJS.Process): Promise<void> {
  const { logLevel, payloadKeys, ...options } = loadReceiverSettings(env);
  requireKeys(temporalSettings(env).connectionOptions.address, payloadKeys);
  const logger = createLogger(logLevel);
  const stopTracing = await startTracing('gangway-receiver', env, logger);
  const client = lazyClient(env, payloadKeys);
  const server = await startReceiver({ ...options, client, logger }).catch((error: unknown) => {
    throw new BadSetting('RECEIVER_ADDRESS', error instanceof Error ? error.message : 'cannot be used');
  });
  const { secrets, tokens, taskQueue, hints } = options;
  if (secrets.length === 0) logger.warn('RECEIVER_SECRETS is not set: unsigned events are taken');
  const webhooks = WEBHOOK_PARTNERS.filter((partner) => hints[partner].senders.length > 0);
  for (const partner of webhooks.filter((partner) => takesAnyone(hints[partner].senders))) {
    logger.warn(`${authSetting(partner)} is none: webhooks are taken from anyone`);
  }
  const counts = { secrets: secrets.length, tokens: tokens.length, webhooks };
  logger.info({ url: server.url, taskQueue, ...counts }, 'receiver is ready');
  const stop = async () => {
    await server.close();
    await client.connection.close();
    await stopTracing();
    logger.info('receiver has stopped');
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());
}

runProcess(main);
