#!/usr/bin/env node
/** The console process: a web page where people answer what onboardings ask, until a signal stops it. */
import './process/node-version.js';
import { startConsole } from './console/server.js';
import { loadConsoleSettings } from './console/settings.js';
import { listeningAt, runProcess, stopOnSignal } from './process/lifecycle.js';
import { createLogger } from './process/logging.js';
import { lazyClient, requireKeys, temporalSettings } from './temporal/connection.js';
import { startTracing } from './tracing/spans.js';

async function main({ env }: NodeJS.Process): Promise<void> {
  const settings = loadConsoleSettings(env);
  requireKeys(temporalSettings(env).connectionOptions.address, settings.payloadKeys);
  const logger = createLogger(settings.logLevel);
  const stopTracing = await startTracing('gangway-console', env, logger);
  const client = lazyClient(env, settings.payloadKeys);
  const server = await listeningAt('CONSOLE_ADDRESS', startConsole({ settings, client, logger }));
  if (!settings.oidc) logger.warn('OIDC_ISSUER is not set: everybody on this machine may use the console');
  logger.info({ url: server.url }, 'console is ready');
  stopOnSignal(async () => {
    await server.close();
    await client.connection.close();
    await stopTracing();
    logger.info('console has stopped');
  });
}

runProcess(main);
