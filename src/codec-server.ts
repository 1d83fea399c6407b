#!/usr/bin/env node
/** The codec server process: decodes payloads for the Temporal Web UI and the `temporal` command, until a signal stops it. */
import './process/node-version.js';
import { startCodecServer } from './codec-server/server.js';
import { loadCodecSettings } from './codec-server/settings.js';
import { listeningAt, runProcess, stopOnSignal } from './process/lifecycle.js';
import { createLogger } from './process/logging.js';

async function main({ env }: NodeJS.Process): Promise<void> {
  const { logLevel, ...options } = loadCodecSettings(env);
  const logger = createLogger(logLevel);
  const server = await listeningAt('CODEC_ADDRESS', startCodecServer({ ...options, logger }));
  const { uiOrigin, keys } = options;
  logger.info({ url: server.url, uiOrigin, keys: keys.map(({ id }) => id) }, 'codec server is ready');
  stopOnSignal(async () => {
    await server.close();
    logger.info('codec server has stopped');
  });
}

runProcess(main);
