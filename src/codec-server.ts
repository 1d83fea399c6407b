#!/usr/bin/env node
/** The codec server process: decodes payloads for the Temporal Web UI and command, until SIGTERM or SIGINT. */
import { startCodecServer } from './codec-server/server.js';
import { loadCodecSettings } from './codec-server/settings.js';
import { createLogger, runProcess } from './process/logging.js';
import { BadSetting } from './settings/settings.js';

async function main({ env }: NodeJS.Process): Promise<void> {
  const { logLevel, ...options } = loadCodecSettings(env);
  const logger = createLogger(logLevel);
  const server = await startCodecServer({ ...options, logger }).catch((error: unknown) => {
    throw new BadSetting('CODEC_ADDRESS', error instanceof Error ? error.message : 'cannot be used');
  });
  const { uiOrigin, keys } = options;
  logger.info({ url: server.url, uiOrigin, keys: keys.map(({ id }) => id) }, 'codec server is ready');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void server.close().then(() => logger.info('codec server has stopped')));
  }
}

runProcess(main);
