import type { Logger, LogLevel } from '@temporalio/worker';
import type { Logger as PinoLogger } from 'pino';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** Lets the SDK, and through it workflows and activities, log through pino. */
export function temporalLogger(logger: PinoLogger): Logger {
  const log = (level: LogLevel, message: string, meta: object = {}) => logger[LEVELS[level]](meta, message);
  return {
    log,
    trace: (message, meta) => log('TRACE', message, meta),
    debug: (message, meta) => log('DEBUG', message, meta),
    info: (message, meta) => log('INFO', message, meta),
    warn: (message, meta) => log('WARN', message, meta),
    error: (message, meta) => log('ERROR', message, meta),
  };
}
