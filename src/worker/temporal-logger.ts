import type { Logger, LogLevel } from '@temporalio/worker';
import type { Logger as PinoLogger } from 'pino';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** Lets the SDK, and through it workflows and activities, log through pino. */
export function temporalLogger(logger: PinoLogger): Logger {
  const log = (level: LogLevel, message: string, meta: object = {}) =>
    logger[LEVELS[level]](withoutContents(meta), message);
  return {
    log,
    trace: (message, meta) => log('TRACE', message, meta),
    debug: (message, meta) => log('DEBUG', message, meta),
    info: (message, meta) => log('INFO', message, meta),
    warn: (message, meta) => log('WARN', message, meta),
    error: (message, meta) => log('ERROR', message, meta),
  };
}

/** At level trace the SDK logs whole tasks, decrypted. Ids, counts and errors are what one looks for in a log. */
function withoutContents(meta: object): object {
  const isTold = (value: unknown) => typeof value !== 'object' || value instanceof Error;
  return Object.fromEntries(Object.entries(meta).filter(([, value]) => isTold(value)));
}
